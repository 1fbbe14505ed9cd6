// What becomes of packets of inspected connections in a real kernel while no engine runs, and that everything goes again.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { unlessComplete } from '../../../../test/support/requires.ts'
import { until } from '../../../../test/support/until.ts'
import { Bench } from '../../../applyd/stand-ins/harness.ts'
import type { InspectedChannel } from '../../../core/plan/inspection-marks.ts'
import { createQueueFlow } from './queue-flow.ts'
import { chainLines, tableRules } from './queue-rules.ts'
import { Queues } from './queues.ts'

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
  const script = join(import.meta.dirname, '..', '..', '..', 'applyd', 'stand-ins', 'datagram.pl')
  const send = (port: number, address = '127.0.0.1') =>
    inside('/usr/bin/perl', script, address, String(port), 'text', '0.3').stdout.trim()
  const outcomes = (address?: string) => [5001, 5002, 5003, 5004, 5005, 5009].map((port) => send(port, address))
  const tables = () => bench.nft('list', 'tables').trim().split('\n').toSorted()
  const withoutEngine = ['arrived', 'lost', 'lost', 'arrived', 'arrived', 'arrived']

  it('pass or are dropped without an engine, as their channel says, in both families', async () => {
    const queues = new Queues(bench.nftSpec.command)
    assert.equal(await queues.isCurrent([]), true)
    assert.deepEqual(outcomes(), Array(6).fill('arrived'))
    await queues.apply(channels)
    assert.equal(await queues.isCurrent(channels), true)
    assert.deepEqual([outcomes(), outcomes('::1')], [withoutEngine, withoutEngine])
    assert.deepEqual((await queues.observe()).blocked, [3], 'no test has found this one inspected')
  })

  it('the test of a channel passes before the channel is ready, though others are dropped', () => {
    assert.equal(send(7103), 'arrived')
    assert.equal(send(7103, '::1'), 'arrived')
  })

  it('a change by hand is seen and repaired', async () => {
    const queues = new Queues(bench.nftSpec.command)
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

  it('what may pass passes by queues that are overrun and is counted, and what must not does not', async () => {
    let text = ''
    const queues = new Queues(bench.nftSpec.command, { queues: () => text, lookMs: 20 })
    const shows = (isOverrun: boolean) =>
      until(`overrun: ${isOverrun}`, async () => (await queues.observe()).isOverrun === isOverrun)
    await queues.apply(channels)
    const { passed: none } = await queues.observe()
    assert.deepEqual(outcomes(), withoutEngine)
    const { passed: withoutOne } = await queues.observe()
    // Two channels, counted where they leave and where they arrive.
    assert.equal(withoutOne - none, 4)
    text = '7000 1 0 2 65531 0 0 9 1\n7004 1 0 2 65531 8 0 9 1\n'
    await until('it is held', async () => (await queues.observe()).heldSince !== null)
    assert.deepEqual(outcomes(), withoutEngine)
    assert.equal((await queues.observe()).passed, withoutOne, 'what the engine gets is not counted')
    text = '7000 1 0 2 65531 3 0 9 1\n7004 1 0 2 65531 8 0 9 1\n'
    await shows(true)
    assert.equal(await queues.isCurrent(channels), true)
    assert.deepEqual([outcomes(), outcomes('::1')], [withoutEngine, withoutEngine])
    const { passed, lost } = await queues.observe()
    assert.deepEqual([passed - withoutOne, lost], [8, { open: 3, closed: 8 }])
    await shows(false)
    assert.equal(await queues.isCurrent(channels), true)
    assert.equal((await queues.observe()).passed, passed)
    await queues.apply([])
  })

  it('without iptables what must not pass is dropped, and the way through the queue comes when it is there', async () => {
    let isThere = false
    const queues = new Queues(bench.nftSpec.command, { isInstalled: () => isThere })
    const first = new Queues(bench.nftSpec.command)
    if ((await first.observe()).form !== 'iptables') return
    await first.apply([])
    await queues.apply(channels)
    const { form, fault } = await queues.observe()
    assert.deepEqual([form, fault], ['none', null])
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
    const queues = new Queues(bench.nftSpec.command)
    inside('/usr/sbin/iptables-nft', '-t', 'security', '-A', 'FORWARD', '-s', '192.0.2.1', '-j', 'ACCEPT')
    await queues.apply([])
    assert.equal(await queues.isCurrent([]), true)
    assert.deepEqual(tables(), ['table inet marks', 'table ip security'])
    assert.doesNotMatch(bench.nft('list', 'table', 'ip', 'security'), /PC_INSPECT/)
    assert.deepEqual(outcomes(), Array(6).fill('arrived'))
  })
})

describe('queues that are overrun', () => {
  const row = (queue: number, lost: number, owner = 77) => `${queue} ${owner} 0 2 65531 ${lost} 0 9 1\n`

  it('are known by what is lost in them, by kind, for a while that grows', () => {
    let [text, at] = ['', 1_000_000]
    const look = createQueueFlow(
      () => text,
      () => at / 1000,
    )
    const after = (ms: number, shown: string) => {
      ;[text, at] = [shown, at + ms]
      return look()
    }
    assert.deepEqual(look(), { heldSince: null, isOverrun: false, lost: { open: 0, closed: 0 } })
    assert.deepEqual(after(500, row(7000, 0) + row(7004, 5)), {
      heldSince: 1000.5,
      isOverrun: false,
      lost: { open: 0, closed: 5 },
    })
    assert.equal(after(500, row(7000, 3) + row(7004, 5)).isOverrun, true)
    assert.equal(after(4_900, row(7000, 3)).isOverrun, true)
    assert.equal(after(200, row(7000, 3)).isOverrun, false)
    assert.equal(after(500, row(7000, 4)).isOverrun, true)
    assert.equal(after(9_000, row(7000, 4)).isOverrun, true, 'twice as long')
    assert.equal(after(2_000, row(7000, 4)).isOverrun, false)
    // Another engine, whose queues begin to count again.
    const { heldSince, lost, isOverrun } = after(100_000, row(7000, 2, 78))
    assert.deepEqual([heldSince, lost.open, isOverrun], [at / 1000, 6, true])
    assert.equal(after(5_100, row(7000, 2, 78)).isOverrun, false, 'after a long rest it begins anew')
    assert.equal(after(500, '').heldSince, null)
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
    const test = 'queue flags bypass'
    assert.deepEqual(verdicts, [test, 'queue flags bypass', test, 'queue to', test, 'drop', test, 'queue flags bypass'])
    const words = chainLines(channels, 'ip').filter((line) => line.startsWith('-A PC_INSPECT '))
    assert.equal(words.length, lines.length)
    assert.match(words[3] ?? '', /--mark 0x200\/0x1ff00 -j NFQUEUE --queue-(?:num|balance) [0-9:]+$/)
  })

  it('have queues of their own for channels that must not pass, and bypass in no rule of theirs', () => {
    const closed = channels.filter(({ isFailOpen }) => !isFailOpen)
    const open = channels.filter(({ isFailOpen }) => isFailOpen)
    const numbersIn = (text: string) => new Set((text.match(/\b70\d\d\b/g) ?? []).map(Number))
    const inAll = (of: readonly InspectedChannel[], isOverrun: boolean) => [
      chainLines(of, 'ip', isOverrun).join('\n'),
      chainLines(of, 'ip6', isOverrun).join('\n'),
      [...tableRules(of, true, isOverrun).values()].flat().join('\n'),
    ]
    for (const isOverrun of [false, true]) {
      for (const text of inAll(closed, isOverrun)) {
        assert.ok(
          [...numbersIn(text)].every((number) => number >= 7004 && number <= 7007),
          text,
        )
        // The test of a channel alone, which goes to ourselves.
        const bypassing = text.split('\n').filter((line) => line.includes('bypass') || /ACCEPT|accept/.test(line))
        assert.ok(
          bypassing.every((line) => /dport 71\d\d/.test(line)),
          text,
        )
      }
      for (const text of inAll(open, isOverrun)) {
        assert.ok(
          [...numbersIn(text)].every((number) => number >= 7000 && number <= 7003),
          text,
        )
        const own = text.split('\n').filter((line) => /0x[14]00/.test(line) && !/dport 71\d\d/.test(line))
        assert.ok(own.length > 0 && own.every((line) => (isOverrun ? /ACCEPT|accept/ : /bypass/).test(line)), text)
      }
    }
  })
})
