import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { patienceMs, until } from '../../test/support/until.ts'
import { createFrameReader, encodeFrame, rememberedPlans } from '../applyd/frames.ts'
import { GatewayError } from '../contract/error.ts'
import type { NftPiece, Plan, RequestFrame } from '../plan/artifacts.ts'
import { makePiece } from '../plan/nft-piece.ts'
import { ApplydClient, type ClientTimings } from './client.ts'

type Answer = (request: RequestFrame, socket: Socket) => void

let directory: string
let path: string
let server: Server | null = null
let client: ApplydClient
const sockets = new Set<Socket>()
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'client-'))
  path = join(directory, 's')
})
afterEach(async () => {
  client.close()
  await stop()
  rmSync(directory, { recursive: true })
})

/** A stand-in for applyd that answers as told. */
async function serve(answer: Answer): Promise<void> {
  server = createServer((socket) => {
    sockets.add(socket)
    socket.on(
      'data',
      createFrameReader((message) => answer(message as RequestFrame, socket)),
    )
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server?.listen(path, resolve))
}
async function stop(): Promise<void> {
  for (const socket of sockets) socket.destroy()
  await new Promise<void>((resolve) => (server?.listening ? server.close(() => resolve()) : resolve()))
  if (existsSync(path)) rmSync(path)
}
const open = (timings: Partial<ClientTimings> = {}) => {
  client = new ApplydClient(path, { firstRetryMs: 5, lastRetryMs: 20, connectMs: patienceMs, ...timings })
}
/** Resolves when the client has made a new one. */
async function breakConnection(): Promise<void> {
  const broken = new Set(sockets)
  for (const socket of broken) socket.destroy()
  await until('there is a new connection', () => sockets.size === 1 && sockets.isDisjointFrom(broken))
}
const reply = (socket: Socket, id: number, result: unknown) => socket.write(encodeFrame({ id, ok: true, result }))
const echo: Answer = ({ id, verb, args }, socket) => reply(socket, id, { verb, args })
const isCode = (code: string, words: RegExp) => (fault: unknown) =>
  fault instanceof GatewayError && fault.code === code && words.test(fault.message)

test('each verb is sent with its arguments and gets its own reply, in whatever order they come', async () => {
  const held: (() => void)[] = []
  await serve((request, socket) => {
    held.push(() => echo(request, socket))
    if (held.length === 5) for (const answer of held.toReversed()) answer()
  })
  open()
  const plan = { revision: 3, artifacts: [] }
  const replies = await Promise.all([
    client.check(plan),
    client.apply(plan),
    client.observe(),
    client.checkpoint(7, 'abc', false),
    client.checkpoints(),
  ])
  assert.deepEqual(replies, [
    { verb: 'check', args: { plan } },
    { verb: 'apply', args: { plan } },
    { verb: 'observe', args: {} },
    undefined,
    { verb: 'checkpoints', args: {} },
  ])
})

test('a call waits until applyd comes up', async () => {
  open()
  const observing = client.observe()
  await serve(echo)
  assert.deepEqual(await observing, { verb: 'observe', args: {} })
})

test('without applyd a call fails as unavailable after a while', async () => {
  open({ connectMs: 30 })
  await assert.rejects(
    client.observe(),
    isCode('unavailable', /^The apply service does not answer: it cannot be reached/),
  )
})

test('a verb without a reply fails as unavailable, and its late reply harms no one', async () => {
  let late = () => {}
  await serve((request, socket) => {
    if (request.verb === 'observe') late = () => echo(request, socket)
    else echo(request, socket)
  })
  open({ quickMs: 30, slowMs: patienceMs })
  await assert.rejects(client.observe(), isCode('unavailable', /timed out waiting for the reply to observe/))
  late()
  const plan = { revision: 1, artifacts: [] }
  assert.deepEqual(await client.check(plan), { verb: 'check', args: { plan } })
})

test('a refused apply is not applied; another refused verb is a fault of ours', async () => {
  await serve(({ id }, socket) => socket.write(encodeFrame({ id, ok: false, message: 'Revision 1 is older.' })))
  open()
  await assert.rejects(client.apply({ revision: 1, artifacts: [] }), isCode('not_applied', /^Revision 1 is older\.$/))
  await assert.rejects(client.observe(), isCode('internal', /older/))
})

test('when applyd goes away its calls fail at once, and the client comes back by itself', async () => {
  let isSilent = true
  const answer: Answer = (request, socket) => (isSilent ? socket.destroy() : echo(request, socket))
  await serve(answer)
  open()
  let connections = 0
  const forget = client.onConnect(() => {
    connections += 1
  })
  await assert.rejects(client.observe(), isCode('unavailable', /the connection was lost. Nothing was changed.$/))
  await stop()
  isSilent = false
  await serve(answer)
  await client.observe()
  await until('it is connected again', () => connections >= 2)
  forget()
  const before = connections
  await breakConnection()
  await client.observe()
  assert.equal(connections, before)
})

test('a call made in the listener goes out on the new connection', async () => {
  await serve(echo)
  open()
  const seen = await new Promise((resolve) => client.onConnect(() => resolve(client.observe())))
  assert.deepEqual(seen, { verb: 'observe', args: {} })
})

test('more calls than applyd takes wait for their turn', async () => {
  let waiting = 0
  let most = 0
  await serve((request, socket) => {
    waiting += 1
    most = Math.max(most, waiting)
    setImmediate(() => {
      waiting -= 1
      echo(request, socket)
    })
  })
  open({ connectMs: 3000 })
  await Promise.all(Array.from({ length: 200 }, () => client.observe()))
  assert.ok(most <= 32, `${most} at once`)
})

test('nonsense from the other side breaks the connection, not the process', async () => {
  let isFirst = true
  await serve((request, socket) => {
    if (!isFirst) return echo(request, socket)
    isFirst = false
    socket.write(Buffer.from([0, 0, 0, 1, 0x7b]))
  })
  open()
  await assert.rejects(client.observe(), isCode('unavailable', /does not answer/))
  assert.deepEqual(await client.observe(), { verb: 'observe', args: {} })
})

const piece = (name: string) => makePiece({ kind: 'chain', name, head: '', lines: ['accept'], origin: '' })
const tableOf = (revision: number, ...names: string[]): Plan => {
  return { revision, artifacts: [{ kind: 'nft', name: 'inet t', pieces: names.map(piece) }] }
}
/** `a` for a piece or file by its hash, `a+` for one in full. */
const shapeOf = ({ args }: RequestFrame): string =>
  'plan' in args
    ? args.plan.artifacts
        .flatMap((artifact): readonly object[] => (artifact.kind === 'nft' ? artifact.pieces : [artifact]))
        .map((sent) => `${(sent as NftPiece).name}${'parts' in sent || 'text' in sent ? '+' : ''}`)
        .join(' ')
    : ''

test('a piece is sent in full once on a connection, and again when it was long ago', async () => {
  const shapes: string[] = []
  await serve((request, socket) => {
    shapes.push(shapeOf(request))
    reply(socket, request.id, null)
  })
  open()
  await client.check(tableOf(1, 'a', 'b'))
  await client.apply(tableOf(1, 'a', 'b'))
  await client.check(tableOf(2, 'a', 'c'))
  for (let round = 0; round < rememberedPlans - 1; round += 1) await client.check(tableOf(3, 'c'))
  await client.check(tableOf(4, 'a', 'c'))
  assert.deepEqual(shapes.slice(0, 3), ['a+ b+', 'a b', 'a c+'])
  assert.equal(shapes.at(-1), 'a c')
  for (let round = 0; round < rememberedPlans; round += 1) await client.check(tableOf(5, 'c'))
  await client.check(tableOf(6, 'a', 'c'))
  assert.equal(shapes.at(-1), 'a+ c')
  await breakConnection()
  await client.check(tableOf(7, 'a', 'c'))
  assert.equal(shapes.at(-1), 'a+ c+')
})

test('a file is sent in full once, and again when its text or its name is another', async () => {
  const shapes: string[] = []
  await serve((request, socket) => {
    shapes.push(shapeOf(request))
    reply(socket, request.id, null)
  })
  open()
  const files = (revision: number, ...named: [string, string][]): Plan => ({
    revision,
    artifacts: named.map(([name, text]) => ({ kind: 'file', name, text })),
  })
  await client.check(files(1, ['a', 'x'], ['b', 'x']))
  await client.check(files(2, ['a', 'x'], ['b', 'y']))
  await client.check(files(3, ['c', 'x'], ['b', 'y']))
  assert.deepEqual(shapes, ['a+ b+', 'a b+', 'c+ b'])
})

test('when a piece is not remembered, everything is sent once more without the caller noticing', async () => {
  const shapes: string[] = []
  await serve((request, socket) => {
    shapes.push(shapeOf(request))
    if (shapes.length < 2 || shapes.at(-1)?.includes('+')) reply(socket, request.id, shapes.length)
    else socket.write(encodeFrame({ id: request.id, ok: false, message: 'Unknown.', isPieceUnknown: true }))
  })
  open()
  await client.check(tableOf(1, 'a', 'b'))
  assert.equal(await client.apply(tableOf(1, 'a', 'b')), 3)
  assert.deepEqual(shapes, ['a+ b+', 'a b', 'a+ b+'])
})

test('a piece that is never remembered is refused in the end', async () => {
  await serve(({ id }, socket) =>
    socket.write(encodeFrame({ id, ok: false, message: 'Unknown.', isPieceUnknown: true })),
  )
  open()
  await assert.rejects(client.apply(tableOf(1, 'a')), isCode('not_applied', /^Unknown\.$/))
})

test('closing fails what waits and everything after it', async () => {
  open()
  const waiting = client.observe()
  client.close()
  await assert.rejects(waiting, isCode('unavailable', /closing down/))
  await assert.rejects(client.observe(), isCode('unavailable', /closing down/))
})
