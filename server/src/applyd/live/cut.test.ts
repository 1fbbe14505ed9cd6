// Connections that the kernel of a namespace tracks, some of them with a rewritten destination, and which of them a request ends.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { CutTarget } from '../../core/plan/artifacts.ts'
import { productionTables } from '../production.ts'
import { Bench } from '../stand-ins/harness.ts'
import { Cutter } from './cut.ts'

const bench = new Bench()
const inside = (...command: readonly string[]): string =>
  bench.run('/usr/sbin/ip', 'netns', 'exec', bench.namespace, ...command)
const addresses = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.9']
const log: string[] = []
/** As in production, but in the namespace: its account has the one right there, and is not root. */
const production = productionTables('/state', { uid: 70_000, gid: 70_000 }, 'lab', { block: 70_000 }).cutter
const command = ['/usr/bin/nsenter', `--net=/run/netns/${bench.namespace}`, '--', ...production]
const cutter = new Cutter({ plane: 'lab', tables: { cutter: command }, log: (_, words) => log.push(words) })

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
after(() => {
  cutter.close()
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
    const off = new Cutter({ plane: 'none', tables: { cutter: command }, log: () => {} })
    assert.equal(await off.cut([{ host: '10.0.0.1' }]), 0)
    assert.equal(tracked().length, 6)
  })

  test('end by a process that is not root and can get no more', async () => {
    await cutter.cut([{ host: '10.0.0.7' }])
    const own = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ')
    const found = own.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('connection-cutter.ts'))
    const status = readFileSync(`/proc/${found ?? assert.fail()}/status`, 'utf8')
    const netAdmin = (1 << 12).toString(16).padStart(16, '0')
    assert.match(status, /^Uid:\t70009\t70009\t70009\t70009$/m)
    assert.match(status, /^NoNewPrivs:\t1$/m)
    for (const set of ['CapPrm', 'CapEff', 'CapBnd']) assert.match(status, new RegExp(`^${set}:\\t${netAdmin}$`, 'm'))
    assert.deepEqual(
      readdirSync(`/proc/${found}/fd`).filter((name) => readlinkSync(`/proc/${found}/fd/${name}`).includes(bench.root)),
      [],
    )
  })
})

describe('a process for it that is not as it should be', () => {
  const program = (code: string) => [process.execPath, '-e', code]
  const answering = (text: string) =>
    program(`process.stdin.on('data', () => process.stdout.write(${JSON.stringify(text)}))`)
  const cases: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['is missing', ['/nowhere/program'], /ENOENT/],
    [
      'fails at its start',
      program("throw new Error('There is no interface to libc.')"),
      /: There is no interface to libc\. They/,
    ],
    ['is killed', program("process.kill(process.pid, 'SIGKILL')"), /the process for it ended/],
    ['closes its input', program('process.stdin.destroy(); setTimeout(() => {}, 200)'), /the process for it ended/],
    ['hangs', program('setInterval(() => {}, 1000)'), /does not answer/],
    [
      'says why it cannot',
      answering('{"counts":[],"held":[],"fault":"the kernel\\ndoes not"}\n'),
      /: the kernel does not\. They/,
    ],
    ['answers no JSON', answering('well\n'), /not valid/],
    ['answers too little', answering('{"counts":[],"held":[],"fault":null}\n'), /not valid/],
    ['answers without what is held', answering('{"counts":[1],"fault":null}\n'), /not valid/],
    ['answers too much', answering('{"counts":[1,1],"held":[0,0],"fault":null}\n'), /not valid/],
    ['answers something else', answering('{"counts":["1"],"held":[0],"fault":null,"x":1}\n'), /not valid/],
    ['answers with what is no number', answering('{"counts":[-1.5],"held":[0],"fault":null}\n'), /not valid/],
    [
      'answers twice',
      answering('{"counts":[1],"held":[0],"fault":null}\n{"counts":[1],"held":[0],"fault":null}\n'),
      /not valid/,
    ],
    ['never ends its answer', program("setInterval(() => process.stdout.write('x'.repeat(65536)), 1)"), /not valid/],
  ]
  for (const [what, own, words] of cases)
    test(`${what}: the request is refused, and the next one is asked again`, async () => {
      const seen: string[] = []
      const tables: { cutter: readonly string[] } = { cutter: own }
      // Long enough for a real one to start on a busy machine.
      const longestMs = what === 'hangs' ? 15_000 : 120_000
      const broken = new Cutter({ plane: 'lab', tables, log: (_, message) => seen.push(message) }, longestMs)
      await assert.rejects(broken.cut([{ host: '10.0.0.1' }]), words)
      assert.deepEqual(seen, ['Connections cannot be ended'])
      assert.equal(tracked().length, 6)
      broken.close()
      tables.cutter = command
      assert.equal(await broken.cut([{ host: '10.0.0.1' }]), 3)
      broken.close()
    })
})

describe('a kernel that holds what passes by the rules', () => {
  /** Holds one of two connections until a file is there. */
  const folder = bench.root
  const holding = [
    process.execPath,
    '-e',
    `process.stdin.on('data', () => {
      const isFree = require('node:fs').existsSync('${folder}/closed')
      console.log(JSON.stringify(isFree ? { counts: [1], held: [0], fault: null } : { counts: [1], held: [1], fault: null }))
    })`,
  ]

  test('ends it once that way is closed', async () => {
    const words: string[] = []
    let closings = 0
    const giveUp = async () => {
      closings += 1
      writeFileSync(`${folder}/closed`, '')
      return true
    }
    const own = new Cutter({ plane: 'lab', tables: { cutter: holding }, log: (_, text) => words.push(text), giveUp })
    assert.equal(await own.cut([{ host: '10.0.0.1' }]), 2)
    assert.equal(await own.cut([{ host: '10.0.0.1' }]), 1)
    assert.equal(closings, 1)
    assert.match(words.join(), /they do so no more/)
    own.close()
  })
})
