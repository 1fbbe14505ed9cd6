// What becomes of packets of inspected connections in a real kernel while no engine runs, and that everything goes again.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { unlessComplete } from '../../../../test/support/requires.ts'
import type { InspectedChannel } from '../../../plan/inspection.ts'
import { Bench } from '../../stand-ins/harness.ts'
import { chainLines, tableRules } from './queue-rules.ts'
import { createQueues } from './queues.ts'

const skip =
  process.getuid?.() === 0 && existsSync('/usr/sbin/iptables-nft-restore')
    ? false
    : unlessComplete('only root can change the rules of a namespace, and iptables must be there')

const channels: readonly InspectedChannel[] = [
  { number: 1, isFailOpen: true, isReady: true },
  { number: 2, isFailOpen: false, isReady: true },
  { number: 3, isFailOpen: false, isReady: false },
  { number: 4, isFailOpen: true, isReady: false },
]

/** Connections to port 5000 + N are of channel N, as the tables of a plan would mark them. */
const marking = [
  'table inet marks {',
  '  chain output { type filter hook output priority filter; policy accept;',
  ...[1, 2, 3, 4].map((number) => `    udp dport { ${5000 + number}, ${7100 + number} } ct mark set ${number * 256}`),
  '    udp dport 5009 ct mark set 0x10200',
  '  }',
  '}',
  '',
].join('\n')

describe('packets of inspected connections, in a namespace', { skip }, () => {
  const bench = new Bench()
  after(() => bench.remove())
  const inside = (program: string, ...args: string[]) =>
    spawnSync('/usr/sbin/ip', ['netns', 'exec', bench.namespace, program, ...args], { encoding: 'utf8' })
  inside('/usr/sbin/ip', 'link', 'set', 'lo', 'up')
  const rules = bench.write('marks.nft', marking)
  bench.nft('-f', rules)
  const script = join(import.meta.dirname, '..', '..', 'stand-ins', 'datagram.pl')
  const send = (port: number, address = '127.0.0.1') =>
    inside('/usr/bin/perl', script, address, String(port), 'text', '0.3').stdout.trim()
  const outcomes = (address?: string) => [5001, 5002, 5003, 5004, 5005, 5009].map((port) => send(port, address))
  const tables = () => bench.nft('list', 'tables').trim().split('\n').toSorted()
  const withoutEngine = ['arrived', 'lost', 'lost', 'arrived', 'arrived', 'arrived']

  it('pass or are dropped without an engine, as their channel says, in both families', async () => {
    const queues = createQueues(bench.nftSpec.command)
    assert.equal(await queues.isCurrent([]), true)
    assert.deepEqual(outcomes(), Array(6).fill('arrived'))
    await queues.apply(channels)
    assert.equal(await queues.isCurrent(channels), true)
    assert.deepEqual([outcomes(), outcomes('::1')], [withoutEngine, withoutEngine])
  })

  it('the test of a channel passes before the channel is ready, though others are dropped', () => {
    assert.equal(send(7103), 'arrived')
    assert.equal(send(7103, '::1'), 'arrived')
  })

  it('a change by hand is seen and repaired', async () => {
    const queues = createQueues(bench.nftSpec.command)
    if ((await queues.observe()).form !== 'iptables') return
    inside('/usr/sbin/iptables-nft', '-t', 'security', '-F', 'PC_INSPECT')
    assert.equal(await queues.isCurrent(channels), false)
    await queues.ensure(channels)
    assert.deepEqual(outcomes(), withoutEngine)
    inside('/usr/sbin/iptables-nft', '-t', 'security', '-D', 'OUTPUT', '1')
    inside('/usr/sbin/ip6tables-nft', '-t', 'security', '-A', 'OUTPUT', '-j', 'PC_INSPECT')
    assert.equal(await queues.isCurrent(channels), false)
    await queues.ensure(channels)
    assert.equal(await queues.isCurrent(channels), true)
    assert.deepEqual([outcomes(), outcomes('::1')], [withoutEngine, withoutEngine])
  })

  it('without iptables what must not pass is dropped, and the way through the queue comes when it is there', async () => {
    let isThere = false
    const queues = createQueues(bench.nftSpec.command, () => isThere)
    const first = createQueues(bench.nftSpec.command)
    if ((await first.observe()).form !== 'iptables') return
    await first.apply([])
    await queues.apply(channels)
    assert.deepEqual(await queues.observe(), { form: 'none', fault: null })
    assert.equal(await queues.isCurrent(channels), true)
    assert.deepEqual(tables(), ['table inet marks', 'table inet portcullis_inspection'])
    assert.deepEqual([outcomes(), outcomes('::1')], [withoutEngine, withoutEngine])
    isThere = true
    assert.equal(await queues.isCurrent(channels), false)
    await queues.ensure(channels)
    assert.deepEqual(tables(), ['table inet marks', 'table ip security', 'table ip6 security'])
    assert.deepEqual([outcomes(), outcomes('::1')], [withoutEngine, withoutEngine])
  })

  it('nothing of it is left when nothing is inspected, and rules of others stay', async () => {
    const queues = createQueues(bench.nftSpec.command)
    inside('/usr/sbin/iptables-nft', '-t', 'security', '-A', 'FORWARD', '-s', '192.0.2.1', '-j', 'ACCEPT')
    await queues.apply([])
    assert.equal(await queues.isCurrent([]), true)
    assert.deepEqual(tables(), ['table inet marks', 'table ip security'])
    assert.doesNotMatch(bench.nft('list', 'table', 'ip', 'security'), /PC_INSPECT/)
    assert.deepEqual(outcomes(), Array(6).fill('arrived'))
  })
})

describe('rules of the queues', () => {
  it('the engine does not get the packets with which it rejects connections', () => {
    for (const [family, control] of [
      ['ip', 'icmp'],
      ['ip6', 'ipv6-icmp'],
    ] as const)
      assert.deepEqual(chainLines([], family), [
        '-A PC_INSPECT_OUT -p tcp -m tcp --tcp-flags RST RST -j RETURN',
        `-A PC_INSPECT_OUT -p ${control} -j RETURN`,
        '-A PC_INSPECT_OUT -j PC_INSPECT',
      ])
    assert.deepEqual(
      tableRules([], true)
        .get('output')
        ?.map((line) => line.split(' comment ')[0]),
      ['tcp flags & rst == rst return', 'meta l4proto { icmp, ipv6-icmp } return'],
    )
  })

  it('say the same in both languages', () => {
    const lines = tableRules(channels, true).get('forward') ?? []
    const verdicts = lines.map((line) => /queue flags bypass|queue to|drop/.exec(line)?.[0])
    assert.deepEqual(verdicts, ['queue flags bypass', 'queue to', 'queue flags bypass', 'drop', 'queue flags bypass'])
    const words = chainLines(channels, 'ip').filter((line) => line.startsWith('-A PC_INSPECT '))
    assert.equal(words.length, lines.length)
    assert.match(words[1] ?? '', /--mark 0x200\/0x1ff00 -j NFQUEUE --queue-(?:num|balance) [0-9:]+$/)
  })
})
