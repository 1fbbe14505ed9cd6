import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { patienceMs, until } from '../../../test/support/until.ts'
import { GatewayError } from '../../core/contract/error.ts'
import type { Plan } from '../../core/plan/artifacts.ts'
import { unsent } from '../../core/plan/artifacts.ts'
import { makePiece } from '../../core/plan/nft-piece.ts'
import type { RequestFrame, SentPlan } from '../../core/plan/verbs.ts'
import { createFrameReader, encodeFrame } from '../../shared/frames.ts'
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
    { verb: 'check', args: { number: 1, plan } },
    { verb: 'apply', args: { number: 2, base: 1, change: { revision: 3, changed: [], removed: [] } } },
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
  const isUnreached = isCode('unavailable', /^The apply service does not answer: it cannot be reached/)
  await assert.rejects(
    client.observe(),
    (fault: unknown) => isUnreached(fault) && (fault as GatewayError).cause === unsent,
  )
})

test('when the connection breaks it is left to the caller to find out what became of an attempt', async () => {
  await serve((_request, socket) => socket.destroy())
  open()
  const isLost = isCode('unavailable', /^The apply service does not answer: the connection was lost\.$/)
  for (const lost of [client.attempt(tableOf(1, 'a')), client.settle(1), client.undo(1)])
    await assert.rejects(lost, (fault: unknown) => isLost(fault) && (fault as GatewayError).cause === undefined)
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
  assert.deepEqual(await client.check(plan), { verb: 'check', args: { number: 2, plan } })
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
/** `a` for what is sent in full, `0-2` for a range of what is known, `-a` for what is gone. */
function shapeOf({ args }: RequestFrame): string {
  const sent = args as unknown as SentPlan
  const [artifacts, removed] = 'plan' in sent ? [sent.plan.artifacts, []] : [sent.change.changed, sent.change.removed]
  const shown = artifacts.flatMap((artifact) => {
    if ('pieces' in artifact) return artifact.pieces.map(({ name }) => name)
    return 'changes' in artifact
      ? artifact.changes.map((one) => ('kind' in one ? one.name : one.join('-')))
      : [artifact.name]
  })
  return [...shown, ...removed.map((name) => `-${name}`)].join(' ')
}

async function serveShapes(): Promise<string[]> {
  const shapes: string[] = []
  await serve((request, socket) => {
    shapes.push(shapeOf(request))
    reply(socket, request.id, null)
  })
  return shapes
}

test('a plan is sent as its difference to the one before on the same connection', async () => {
  const shapes = await serveShapes()
  open()
  await client.check(tableOf(1, 'a', 'b', 'c'))
  await client.apply(tableOf(1, 'a', 'b', 'c'))
  await client.check(tableOf(2, 'a', 'x', 'c'))
  await client.check(tableOf(3, 'c', 'a', 'x', 'y'))
  await client.check(tableOf(4, 'y'))
  await client.check({ revision: 5, artifacts: [] })
  assert.deepEqual(shapes, ['a b c', '', '0-1 x 2-3', '2-3 0-2 y', '3-4', '-nft inet t'])
  await breakConnection()
  await client.check(tableOf(6, 'y'))
  assert.equal(shapes.at(-1), 'y')
})

test('what is sent for one changed piece does not grow with the table', async () => {
  let bytes = 0
  await serve((request, socket) => {
    bytes = JSON.stringify(request).length
    reply(socket, request.id, null)
  })
  open()
  const names = Array.from({ length: 2000 }, (_, i) => `p${i}`)
  await client.check(tableOf(1, ...names))
  const whole = bytes
  await client.attempt(tableOf(2, ...names.with(700, 'other')))
  assert.ok(bytes < 500 && whole > 200 * bytes, `${bytes} of ${whole}`)
})

test('of a long list only the changed part is sent', async () => {
  const sent: SentPlan[] = []
  await serve((request, socket) => {
    sent.push(request.args as unknown as SentPlan)
    reply(socket, request.id, null)
  })
  open()
  const lines = Array.from({ length: 20_000 }, (_, i) => `10.0.${i >> 8}.${i & 255}`)
  const listOf = (revision: number, elements: readonly string[]): Plan => {
    const list = makePiece({ kind: 'set', name: 's', head: 'type ipv4_addr', lines: elements, origin: '' })
    return { revision, artifacts: [{ kind: 'nft', name: 'inet t', pieces: [piece('a'), list] }] }
  }
  await client.check(listOf(1, lines))
  await client.check(listOf(2, lines.toSpliced(9000, 0, '192.0.2.1')))
  const [whole, change] = sent.map((args) => JSON.stringify(args).length)
  assert.ok(change && whole && change < whole / 5, `${change} of ${whole}`)
  const last = sent.at(-1)
  const [table] = last && 'change' in last ? last.change.changed : []
  const edited = table && 'changes' in table ? table.changes.at(-1) : undefined
  assert.ok(edited && 'base' in edited && edited.base === 1)
  assert.deepEqual(
    edited.parts.map((part) => ('lines' in part ? 'part' : 'range')),
    ['range', 'part', 'range'],
  )
})

test('a file is sent when its text or its name is another', async () => {
  const shapes = await serveShapes()
  open()
  const files = (revision: number, ...named: [string, string][]): Plan => ({
    revision,
    artifacts: named.map(([name, text]) => ({ kind: 'file', name, text })),
  })
  await client.check(files(1, ['a', 'x'], ['b', 'x']))
  await client.check(files(2, ['a', 'x'], ['b', 'y']))
  await client.check(files(3, ['c', 'x'], ['b', 'y']))
  assert.deepEqual(shapes, ['a b', 'b', 'c -file a'])
})

test('when the plan before is not remembered, everything is sent once more without the caller noticing', async () => {
  const shapes: string[] = []
  await serve((request, socket) => {
    shapes.push(shapeOf(request))
    if ('plan' in request.args) reply(socket, request.id, shapes.length)
    else socket.write(encodeFrame({ id: request.id, ok: false, message: 'Unknown.', isPieceUnknown: true }))
  })
  open()
  await client.check(tableOf(1, 'a', 'b'))
  assert.equal(await client.apply(tableOf(1, 'a', 'b')), 3)
  assert.deepEqual(shapes, ['a b', '', 'a b'])
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
