// Requirement 51.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { gate } from '../../test/support/gate.ts'
import { until } from '../../test/support/until.ts'
import type { ReplyFrame } from '../core/plan/verbs.ts'
import { createFrameReader, encodeFrame, maxFrameBytes } from '../shared/frames.ts'
import type { Applyd } from './applyd.ts'
import type { ArgumentParsers } from './requests.ts'
import { createVerbServer, type Verbs } from './server.ts'
import { Bench, chain, file, nft, piecesOf, planOf, set, unit } from './stand-ins/harness.ts'

let bench: Bench
let applyd: Applyd
before(async () => {
  bench = new Bench()
  applyd = await bench.start()
})
after(async () => {
  await applyd.close(true)
  bench.remove()
})

/** One connection that collects its replies. */
class Peer {
  readonly socket: Socket
  readonly replies: ReplyFrame[] = []
  isClosed = false

  constructor(path = applyd.socketPath) {
    this.socket = connect(path)
    this.socket.on(
      'data',
      createFrameReader((message) => this.replies.push(message as ReplyFrame)),
    )
    this.socket.on('error', () => {})
    this.socket.on('close', () => {
      this.isClosed = true
    })
  }

  async ask(message: unknown): Promise<ReplyFrame> {
    const count = this.replies.length
    this.socket.write(encodeFrame(message))
    await until('a reply', () => this.replies.length > count || this.isClosed)
    return this.replies[count] ?? assert.fail('The connection was closed.')
  }

  closed(): Promise<void> {
    return until('the connection is closed', () => this.isClosed)
  }
}

async function withPeer(work: (peer: Peer) => Promise<void>): Promise<void> {
  const peer = new Peer()
  await work(peer)
  peer.socket.destroy()
}

const assertServing = () =>
  withPeer(async (peer) => assert.equal((await peer.ask({ id: 1, verb: 'observe', args: {} })).ok, true))

test('a request is answered under its id', () =>
  withPeer(async (peer) => {
    const reply = await peer.ask({ id: 42, verb: 'check', args: { plan: planOf(1, nft(piecesOf('a'))) } })
    assert.deepEqual(reply, { id: 42, ok: true, result: { problems: [], unchecked: [] } })
  }))

const changeOf = (number: number, base: number, changed: readonly unknown[], removed: readonly string[] = []) => {
  return { id: 1, verb: 'check', args: { number, base, change: { revision: 1, changed, removed } } }
}
const tableChange = (...changes: readonly unknown[]) => ({ kind: 'nft', name: 'inet portcullis', changes })
const isUnknown = (reply: ReplyFrame): boolean => !reply.ok && reply.isPieceUnknown === true

test('a plan may be the change of the last one of its connection, and of no other plan', async () => {
  const whole = { id: 1, verb: 'check', args: { number: 1, plan: planOf(1, nft(piecesOf('a'))) } }
  await withPeer(async (peer) => {
    assert.equal((await peer.ask(whole)).ok, true)
    assert.equal((await peer.ask(changeOf(2, 1, []))).ok, true)
    assert.equal((await peer.ask(changeOf(3, 2, [tableChange([0, 1], chain('b', []))]))).ok, true)
    assert.equal(isUnknown(await peer.ask(changeOf(4, 2, []))), true)
    assert.equal((await peer.ask(changeOf(5, 3, [tableChange(chain('c', []))]))).ok, true)
    assert.equal((await peer.ask(changeOf(6, 5, [], ['nft inet portcullis']))).ok, true)
    assert.equal((await peer.ask(changeOf(7, 6, [tableChange([0, 1])]))).ok, false)
  })
  await withPeer(async (peer) => assert.equal(isUnknown(await peer.ask(changeOf(2, 1, []))), true))
})

test('a change of a plan is refused when it does not fit the plan before', () =>
  withPeer(async (peer) => {
    const list = set(
      's',
      Array.from({ length: 3000 }, (_, i) => `10.0.${i >> 8}.${i & 255}`),
    )
    const plan = planOf(1, nft([...piecesOf('a'), list]), file('stand.conf', 'well\n'), unit('stand'))
    assert.equal((await peer.ask({ id: 1, verb: 'check', args: { number: 1, plan } })).ok, true)
    const { parts, ...rest } = list
    const [part] = parts
    const wrong: Record<string, ReturnType<typeof changeOf>> = {
      'a range past the end': changeOf(2, 1, [tableChange([0, 3])]),
      'a range that is empty': changeOf(2, 1, [tableChange([1, 1])]),
      'a range of three': changeOf(2, 1, [tableChange([0, 1, 2])]),
      'a range of text': changeOf(2, 1, [tableChange(['0', '1'])]),
      'a piece twice': changeOf(2, 1, [tableChange([0, 2], [0, 1])]),
      'many ranges': changeOf(2, 1, [{ ...tableChange(), changes: Array(150_000).fill([0, 2]) }]),
      'an unknown table': changeOf(2, 1, [{ ...tableChange(), name: 'inet extra' }]),
      'a file as a table': changeOf(2, 1, [{ kind: 'file', name: 'stand.conf', changes: [] }]),
      'an artifact twice': changeOf(2, 1, [file('stand.conf', ''), file('stand.conf', 'x')]),
      'what was not there is removed': changeOf(2, 1, [], ['file dns.conf']),
      'a piece of other parts': changeOf(2, 1, [tableChange({ ...rest, base: 1, parts: [[0, 1]] })]),
      'parts of no piece': changeOf(2, 1, [tableChange({ ...rest, base: 7, parts: [[0, 1]] })]),
      'a part that is not what its hash says': changeOf(2, 1, [
        tableChange({ ...rest, base: 1, parts: [{ ...part, lines: [] }, [1, parts.length]] }),
      ]),
    }
    for (const [what, message] of Object.entries(wrong)) {
      const reply = await peer.ask(message)
      assert.equal(reply.ok, false, what)
      assert.equal(isUnknown(reply), false, what)
    }
    const fitting = tableChange([0, 1], { ...rest, base: 1, parts: [part, [1, parts.length]] })
    assert.equal((await peer.ask(changeOf(2, 1, [fitting]))).ok, true)
  }))

const hash = 'a'.repeat(64)
const ports = { sourcePort: 1, destinationPort: 2 }
const packet = { device: 'lan0', protocol: 'tcp', source: '10.0.0.1', destination: '10.0.0.2', ...ports }
function trial(change: object) {
  return { id: 1, verb: 'trial', args: { packets: [{ ...packet, ...change }] } }
}
function link(change: object) {
  const whole = { origin: 'x', device: 'lan0', make: null, isUp: true, addresses: [], routes: [], mirrors: [] }
  return apply({ kind: 'network', name: 'links', links: [{ ...whole, ...change }] })
}
const forwarding = { name: 'net.ipv4.ip_forward', value: '1' }
const setting = (one: object) => apply({ kind: 'network', name: 'settings', settings: [one] })
const faulty: Record<string, unknown> = {
  'an unknown verb': { id: 1, verb: 'run', args: {} },
  'a verb from the prototype': { id: 1, verb: 'constructor', args: {} },
  'a verb that is not text': { id: 1, verb: ['apply'], args: {} },
  'a missing verb': { id: 1, args: {} },
  'missing arguments': { id: 1, verb: 'observe' },
  'arguments of null': { id: 1, verb: 'observe', args: null },
  'arguments that are a list': { id: 1, verb: 'observe', args: [] },
  'an unexpected argument': { id: 1, verb: 'observe', args: { path: '/etc/passwd' } },
  'an unknown key in the frame': { id: 1, verb: 'observe', args: {}, uid: 0 },
  'an own key named __proto__': JSON.parse('{"id":1,"verb":"observe","args":{"__proto__":{"x":1}}}'),
  'a missing plan': { id: 1, verb: 'apply', args: {} },
  'an unknown key in the plan': { id: 1, verb: 'apply', args: { plan: { ...planOf(1), force: true } } },
  'a revision of text': { id: 1, verb: 'apply', args: { plan: { revision: '1', artifacts: [] } } },
  'a negative revision': { id: 1, verb: 'apply', args: { plan: { revision: -1, artifacts: [] } } },
  'a broken revision': { id: 1, verb: 'apply', args: { plan: { revision: 1.5, artifacts: [] } } },
  'a revision past the safe integers': { id: 1, verb: 'apply', args: { plan: { revision: 2 ** 60, artifacts: [] } } },
  'artifacts that are not a list': { id: 1, verb: 'apply', args: { plan: { revision: 1, artifacts: { length: 0 } } } },
  'too many artifacts': { id: 1, verb: 'apply', args: { plan: { revision: 1, artifacts: Array(1001).fill(nft([])) } } },
  'an artifact of null': apply(null),
  'an artifact of an unknown kind': apply({ kind: 'mount', name: '/dev/sda' }),
  'an artifact twice': { id: 1, verb: 'apply', args: { plan: planOf(1, nft([]), nft([])) } },
  'an unknown table': apply(nft([], 'inet filter')),
  'the boot table': apply(nft([], 'inet portcullis_boot')),
  'a table name with syntax': apply(nft([], 'inet portcullis; flush ruleset')),
  'a table of another family': apply(nft([], 'ip portcullis')),
  'an unknown key in an artifact': apply({ ...nft([]), path: '/etc/passwd' }),
  'pieces of numbers': apply({ kind: 'nft', name: 'inet portcullis', pieces: 7 }),
  'a piece twice': apply(nft([...piecesOf('a'), ...piecesOf('b')])),
  'a piece of another kind': apply(nft([{ ...chain('x', []), kind: 'counter' as 'chain' }])),
  'a piece whose hash is of other content': apply(nft([{ ...chain('x', []), name: 'y' }])),
  'a piece whose hash is not valid': apply(nft([{ ...chain('x', []), hash: 'abc' }])),
  'a piece without its parts': apply({ ...nft([]), pieces: [{ kind: 'chain', name: 'x', hash }] }),
  'a plan and a change of one': { id: 1, verb: 'apply', args: { plan: planOf(1), change: {} } },
  'a change of no plan': { id: 1, verb: 'apply', args: { number: 1, base: 0, change: {} } },
  'a piece whose name is syntax': apply(nft([chain('x {}; flush ruleset; chain y', [])])),
  'a piece whose origin is syntax': apply(nft([set('s', [], 'type ipv4_addr', '"; x')])),
  'a piece with half a character': apply(nft([chain('x', ['\ud800'])])),
  'a line that is a list': apply(nft([chain('x', [['accept'] as unknown as string])])),
  'a file by path': apply({ kind: 'file', name: '/etc/passwd', text: '' }),
  'a file by traversal': apply({ kind: 'file', name: '../etc/dns.conf', text: '' }),
  'a file by another case': apply({ kind: 'file', name: 'DNS.conf', text: '' }),
  'a file from the prototype': apply({ kind: 'file', name: '__proto__', text: '' }),
  'a unit by path': apply({ kind: 'unit', name: '/bin/sh' }),
  'a unit with arguments': apply({ kind: 'unit', name: 'dns', args: ['--conf-script=/bin/sh'] }),
  'an instance of no template': apply({ kind: 'unit', name: 'dns.lan0' }),
  'an instance that is a path': apply({ kind: 'unit', name: 'stand-for.../x' }),
  'an instance with a long name': apply({ kind: 'unit', name: `stand-for.${'x'.repeat(16)}` }),
  'links by another name': apply({ kind: 'network', name: 'routes', links: [] }),
  'a setting that is not in the table': setting({ name: 'net.ipv4.conf.all.forwarding', value: '1' }),
  'a setting with a path': setting({ name: '../kernel/core_pattern', value: '1' }),
  'a setting of every object': setting({ name: 'constructor', value: '1' }),
  'a setting with a value that is not allowed': setting({ name: 'net.ipv4.ip_forward', value: '0' }),
  'a setting with two lines': setting({ name: 'net.ipv4.ip_forward', value: '1\n' }),
  'a setting with a number': setting({ name: 'net.ipv4.ip_forward', value: 1 }),
  'a setting twice': apply({
    kind: 'network',
    name: 'settings',
    settings: [forwarding, forwarding],
  }),
  'a link with a device that is a path': link({ device: '../x' }),
  'a link with a device of dots': link({ device: '..' }),
  'a link with a device that is an option': link({ device: 'lan 0' }),
  'a link with an address without a length': link({ addresses: ['10.0.0.1'] }),
  'a link with an address that is not valid': link({ addresses: ['10.0.0.256/24'] }),
  'a link with a network that is too long': link({ addresses: ['10.0.0.1/33'] }),
  'a link with a route through a name': link({ routes: [{ to: 'default', via: 'gw', metric: 1 }] }),
  'a link of an unknown kind': link({ make: { kind: 'tun' } }),
  'a link with a tag that is too large': link({ make: { kind: 'vlan', parent: 'lan0', tag: 4095 } }),
  'a trial without a list': { id: 1, verb: 'trial', args: { packets: {} } },
  'a trial of too many packets': { id: 1, verb: 'trial', args: { packets: Array(501).fill(packet) } },
  'a trial of a packet without a port': trial({ sourcePort: 65_536 }),
  'a trial of a packet of another protocol': trial({ protocol: 'icmp' }),
  'a trial of a packet to a name': trial({ destination: 'localhost' }),
  'a trial of rules that are not loaded': trial({}),
  'a name that is a list': apply({ kind: 'unit', name: ['dns'] }),
  'a checkpoint without a hash': { id: 1, verb: 'checkpoint', args: { sequence: 1, isFirst: false } },
  'a checkpoint with a short hash': { id: 1, verb: 'checkpoint', args: { sequence: 1, hash: 'abc', isFirst: false } },
  'a checkpoint that is neither first nor not': { id: 1, verb: 'checkpoint', args: { sequence: 1, hash, isFirst: 1 } },
  'a checkpoint with a negative number': { id: 1, verb: 'checkpoint', args: { sequence: -1, hash, isFirst: false } },
}
function apply(artifact: unknown) {
  return { id: 1, verb: 'apply', args: { plan: { revision: 1, artifacts: [artifact] } } }
}

for (const [what, message] of Object.entries(faulty)) {
  test(`${what} is refused with a message and without effect`, () =>
    withPeer(async (peer) => {
      const before = bench.kernel()
      const reply = await peer.ask(message)
      assert.equal(reply.ok, false)
      assert.match(reply.ok ? '' : reply.message, /^[A-Z].{5,200}\.$/)
      assert.equal(bench.kernel(), before)
      assert.equal(peer.isClosed, false)
    }))
}

const breaking: Record<string, Buffer> = {
  'no JSON': framed('{'),
  'an empty frame': framed(''),
  'bytes that are not UTF-8': Buffer.concat([Buffer.from([0, 0, 0, 2]), Buffer.from([0xff, 0xfe])]),
  'a list': framed('[]'),
  null: framed('null'),
  'a number': framed('7'),
  'no id': framed('{"verb":"observe","args":{}}'),
  'an id of text': framed('{"id":"1","verb":"observe","args":{}}'),
  'a negative id': framed('{"id":-1,"verb":"observe","args":{}}'),
  'a length past the limit': lengthOf(maxFrameBytes + 1),
  'the largest length': lengthOf(0xffffffff),
  'lists in lists': framed(`{"id":1,"verb":"observe","args":${'['.repeat(500_000)}${']'.repeat(500_000)}}`),
}
function framed(text: string): Buffer {
  return Buffer.concat([lengthOf(Buffer.byteLength(text)), Buffer.from(text)])
}
function lengthOf(size: number): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt32BE(size)
  return head
}

for (const [what, bytes] of Object.entries(breaking)) {
  test(`${what} closes the connection and nothing else`, async () => {
    const peer = new Peer()
    peer.socket.write(bytes)
    await peer.closed()
    assert.deepEqual(peer.replies, [])
    await assertServing()
  })
}

test('a frame may come in single bytes, and several in one piece', () =>
  withPeer(async (peer) => {
    const frame = encodeFrame({ id: 7, verb: 'checkpoints', args: {} })
    for (const byte of frame) peer.socket.write(Buffer.from([byte]))
    peer.socket.write(Buffer.concat([frame, frame, frame]))
    await until('four replies', () => peer.replies.length === 4)
    assert.ok(peer.replies.every((reply) => reply.ok && reply.id === 7))
  }))

test('a large plan fits through', () =>
  withPeer(async (peer) => {
    const lines = Array.from({ length: 30_000 }, (_, i) => `ip daddr 10.0.${i >> 8}.${i & 255} counter comment "x${i}"`)
    const plan = planOf(1, nft([...piecesOf('a'), chain('long', lines)]))
    assert.equal((await peer.ask({ id: 1, verb: 'check', args: { plan } })).ok, true)
  }))

test('requests that wait are refused when they are too large together, on whatever connection, and not after', async () => {
  const mayGoOn = gate()
  const check = async () => {
    await mayGoOn.opened
    return { problems: [], unchecked: [] }
  }
  const parts = { createParsers: () => ({ check: () => ({ plan: planOf(1) }) }) as unknown as ArgumentParsers }
  const others = { onDisconnected: () => {}, log: () => {}, waitingBytesLimit: 3_500_000 }
  const { server, close } = createVerbServer({ check } as unknown as Verbs, { ...parts, ...others })
  const path = bench.path('other.sock')
  await new Promise<void>((resolve) => server.listen(path, resolve))
  const peers = [new Peer(path), new Peer(path)]
  const large = (id: number) => ({ id, verb: 'check', args: 'x'.repeat(1_000_000) })
  const replies = () => peers.flatMap((peer) => peer.replies)
  try {
    for (const peer of peers) for (const id of [1, 2]) peer.socket.write(encodeFrame(large(id)))
    await until('one is refused', () => replies().length > 0)
    const message = 'Too many requests are waiting.'
    assert.deepEqual(replies(), [{ id: 2, ok: false, message }])
    mayGoOn.open()
    await until('the others are answered', () => replies().length === 4)
    assert.equal((await peers[0]?.ask(large(5)))?.ok, true)
    assert.equal(replies().filter(({ ok }) => ok).length, 4)
  } finally {
    mayGoOn.open()
    for (const peer of peers) peer.socket.destroy()
    await close()
  }
})

test('more than 64 waiting requests are refused, one by one', () =>
  withPeer(async (peer) => {
    const frames = Array.from({ length: 80 }, (_, id) => encodeFrame({ id, verb: 'check', args: { plan: planOf(1) } }))
    peer.socket.write(Buffer.concat(frames))
    await until('all replies', () => peer.replies.length === 80)
    const refused = peer.replies.filter((reply) => !reply.ok)
    assert.equal(refused.length, 16)
    assert.ok(refused.every((reply) => !reply.ok && reply.message === 'Too many requests are waiting.'))
  }))

test('at most 8 connections are held', async () => {
  const peers = Array.from({ length: 12 }, () => new Peer())
  await until('four are turned away', () => peers.filter((peer) => peer.isClosed).length === 4)
  for (const peer of peers) peer.socket.destroy()
  await until('the others are gone', () => peers.every((peer) => peer.isClosed))
  await until('it serves again', async () => {
    const peer = new Peer()
    peer.socket.write(encodeFrame({ id: 1, verb: 'checkpoints', args: {} }))
    await until('an end', () => peer.isClosed || peer.replies.length > 0)
    peer.socket.destroy()
    return peer.replies.length > 0
  })
})

test('a peer that hangs up while its request runs does not affect others', async () => {
  const peer = new Peer()
  await once(peer.socket, 'connect')
  peer.socket.write(encodeFrame({ id: 1, verb: 'check', args: { plan: planOf(1, nft(piecesOf('a'))) } }))
  peer.socket.destroy()
  await assertServing()
})

/** A small generator with a seed, so that a failure can be repeated. */
function randomOf(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state % limit
  }
}

test('thousands of mutated frames have no effect and leave the service working', async () => {
  const random = randomOf(20_260_101)
  const seeds = [...Object.values(faulty), { id: 9, verb: 'observe', args: {} }].map((message) => encodeFrame(message))
  const before = bench.kernel()
  let peer = new Peer()
  for (let round = 0; round < 4000; round += 1) {
    if (peer.isClosed) peer = new Peer()
    const frame = Buffer.from(seeds[random(seeds.length)] ?? assert.fail())
    const isBroken = random(4) === 0
    for (let change = random(4); change >= 0; change -= 1)
      frame[isBroken ? random(frame.length) : 4 + random(frame.length - 4)] = random(256)
    peer.socket.write(random(20) === 0 ? frame.subarray(0, random(frame.length)) : frame)
    if (round % 20 === 0) await until('it is read', () => peer.isClosed || peer.socket.writableLength === 0)
  }
  peer.socket.destroy()
  await until('the connection is gone', () => peer.isClosed)
  await assertServing()
  assert.equal(bench.kernel(), before)
  assert.deepEqual(bench.processes(), [])
  assert.equal(bench.file('dns.conf'), null)
})
