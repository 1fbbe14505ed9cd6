// Connections that the kernel of a namespace tracks, some of them with a rewritten destination, and which of them a request ends.

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { CutTarget } from '../../core/plan/artifacts.ts'
import { Bench } from '../stand-ins/harness.ts'
import { createCutter } from './cut.ts'

const bench = new Bench()
const inside = (...command: readonly string[]): string =>
  bench.run('/usr/sbin/ip', 'netns', 'exec', bench.namespace, ...command)
const addresses = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.9']
const log: string[] = []
const cutter = createCutter({
  plane: 'lab',
  tables: { nft: bench.nftSpec },
  log: (_, words) => log.push(words),
})

before(() => {
  inside('ip', 'link', 'set', 'lo', 'up')
  for (const address of [...addresses.map((one) => `${one}/32`), 'fd00::1/128', 'fd00::2/128'])
    inside('ip', 'addr', 'add', address, 'dev', 'lo')
  // Loopback has its connections tracked once a rule asks for their state; 10.0.0.9 stands for a published service of 10.0.0.3.
  const script = `table inet t {
    chain in { type filter hook input priority 0; ct state established accept; }
    chain out { type nat hook output priority -100; ip daddr 10.0.0.9 dnat ip to 10.0.0.3; }
  }`
  bench.nft('-f', bench.write('track.nft', script.replaceAll('; }', ';\n}')))
})
beforeEach(() => {
  for (const [source, destination, port] of [
    ['10.0.0.1', '10.0.0.2', 1001],
    ['10.0.0.1', '10.0.0.2', 1002],
    ['10.0.0.2', '10.0.0.1', 1003],
    ['10.0.0.2', '10.0.0.9', 1004],
    ['10.0.0.2', '10.0.0.2', 1005],
    ['fd00::1', 'fd00::2', 1006],
  ] as const)
    send(source, destination, port)
  assert.deepEqual(tracked(), [1001, 1002, 1003, 1004, 1005, 1006])
})
after(async () => {
  await cutter.close()
  bench.remove()
})

/** One datagram from a port to itself. */
function send(source: string, destination: string, port: number): void {
  const kind = source.includes(':') ? 'udp6' : 'udp4'
  const script = `const socket = require('node:dgram').createSocket('${kind}')
    socket.bind(${port}, '${source}', () => socket.send('x', ${port}, '${destination}', () => socket.close()))`
  assert.equal(inside(process.execPath, '-e', script), '')
}

/** The ports of the connections that are tracked. */
function tracked(): number[] {
  const lines = inside('cat', '/proc/net/nf_conntrack').split('\n')
  const ports = lines.flatMap((line) => /udp .*? sport=(1\d\d\d) dport=\1 /.exec(line)?.[1] ?? [])
  return ports.map(Number).toSorted((a, b) => a - b)
}

const ends = (port: number, source: string, destination: string): CutTarget => ({
  protocol: 'udp',
  source,
  sourcePort: port,
  destination,
  destinationPort: port,
})

describe('connections', () => {
  test('of a host end, those that it opened and those that lead to it', async () => {
    assert.equal(await cutter.cut([{ host: '10.0.0.1' }]), 3)
    assert.deepEqual(tracked(), [1004, 1005, 1006])
  })

  test('to a published service end with the host that answers', async () => {
    assert.equal(await cutter.cut([{ host: '10.0.0.3' }]), 1)
    assert.deepEqual(tracked(), [1001, 1002, 1003, 1005, 1006])
  })

  test('of an IPv6 host end, however its address is written', async () => {
    assert.equal(await cutter.cut([{ host: 'FD00:0:0::0.0.0.1' }]), 1)
    assert.deepEqual(tracked(), [1001, 1002, 1003, 1004, 1005])
  })

  test('that are named by their ends are these and no others', async () => {
    const targets = [
      ends(1002, '10.0.0.1', '10.0.0.2'),
      // The original destination counts.
      ends(1004, '10.0.0.2', '10.0.0.9'),
      ends(1005, '10.0.0.2', '10.0.0.1'),
      ends(1006, 'fd00::1', 'fd00::2'),
      { ...ends(1001, '10.0.0.1', '10.0.0.2'), protocol: 'tcp' as const },
    ]
    assert.equal(await cutter.cut(targets), 3)
    assert.deepEqual(tracked(), [1001, 1003, 1005])
  })

  test('are counted for each of several requests at once', async () => {
    const counts = await Promise.all(
      ['10.0.0.3', '10.0.0.1', 'fd00::2', '10.0.0.7'].map((host) => cutter.cut([{ host }])),
    )
    assert.deepEqual(counts, [1, 3, 1, 0])
    assert.deepEqual(tracked(), [1005])
  })

  test('of many hosts end as well', async () => {
    const others = Array.from({ length: 20 }, (_, i) => ({ host: `10.7.0.${i}` }))
    assert.equal(await cutter.cut([...others, { host: '10.0.0.1' }, { host: 'fd00::1' }, { host: '10.0.0.3' }]), 5)
    assert.deepEqual(tracked(), [1005])
  })

  test('are not touched without a target, and not where nothing is applied', async () => {
    assert.equal(await cutter.cut([]), 0)
    const off = createCutter({ plane: 'none', tables: { nft: bench.nftSpec }, log: () => {} })
    assert.equal(await off.cut([{ host: '10.0.0.1' }]), 0)
    assert.equal(tracked().length, 6)
  })

  test('that cannot be ended are reported with the reason', async () => {
    const entry = new URL(`data:text/javascript,throw new Error('There is no interface to libc.')`)
    const broken = createCutter({ plane: 'lab', tables: { nft: bench.nftSpec }, log: () => {} }, entry)
    await assert.rejects(broken.cut([{ host: '10.0.0.1' }]), /cannot be ended here: There is no interface to libc/)
    assert.deepEqual(log, [])
  })
})
