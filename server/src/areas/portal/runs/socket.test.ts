// The socket of the portal with a hostile peer: broken frames, foreign verbs, wrong arguments, floods and peers that never read.
// Requirement 20.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import { until } from '../../../../test/support/until.ts'
import { createFrameReader, encodeFrame } from '../../../shared/frames.ts'
import { type PortalActions, servePortal } from './socket.ts'

interface Reply {
  readonly id: number
  readonly ok: boolean
  readonly result?: unknown
  readonly message?: string
}

const folder = mkdtempSync(join(tmpdir(), 'portcullis-portal-'))
const path = join(folder, 'run', 'portal', 'gateway.sock')
const calls: [verb: string, args: unknown][] = []
const warnings: string[] = []
let release: () => void = () => {}
let gate: Promise<void> = Promise.resolve()

const done = { status: 'done' } as const
const note = async <T>(verb: string, args: unknown, result: T): Promise<T> => {
  calls.push([verb, args])
  await gate
  return result
}
const longPage = { login: 'anna', name: 'x'.repeat(20_000), sessions: [], canChangePassword: false }
const refusal = { status: 'refused', reason: 'wrong' } as const
const actions: PortalActions = {
  host: (args) =>
    note('host', args, {
      isEnforced: true,
      isAuthorized: false,
      user: null,
      refusal: null,
      idleSeconds: null,
      isSignedIn: false,
    }),
  signIn: (args) => note('signIn', args, refusal),
  confirm: (args) => note('confirm', args, refusal),
  personal: (args) => note('personal', args, args.token === 'long' ? longPage : null),
  endSession: async () => {
    throw new Error('secret words of the inside')
  },
  changePassword: (args) => note('changePassword', args, refusal),
  signOut: (args) => note('signOut', args, done),
}

const peers = new Set<Socket>()

function open() {
  const socket = connect(path)
  const replies: Reply[] = []
  let isClosed = false
  const read = createFrameReader((message) => replies.push(message as Reply))
  socket.on('data', (chunk: Buffer) => read(chunk))
  socket.on('error', () => {})
  socket.on('close', () => {
    isClosed = true
  })
  peers.add(socket)
  const ask = async (message: unknown): Promise<Reply> => {
    const count = replies.length
    socket.write(encodeFrame(message))
    await until('a reply', () => replies.length > count)
    return replies.at(-1) ?? assert.fail()
  }
  return { socket, replies, ask, isClosed: () => isClosed }
}

const frame = (text: string | Buffer): Buffer => {
  const body = Buffer.from(text)
  const head = Buffer.alloc(4)
  head.writeUInt32BE(body.length)
  return Buffer.concat([head, body])
}

describe('the socket of the portal', () => {
  let served: ReturnType<typeof servePortal>
  before(async () => {
    served = servePortal({ path, actions, log: (_level, message) => warnings.push(message) })
    // applyd makes the folder, perhaps later; what an earlier process left there is replaced.
    mkdirSync(join(folder, 'run', 'portal'), { recursive: true })
    writeFileSync(path, '')
    await until('the socket', () => statSync(path).isSocket())
    assert.deepEqual(warnings, [], 'a folder that is not there yet is not a fault')
  })
  afterEach(() => {
    for (const socket of peers) socket.destroy()
    peers.clear()
    calls.length = 0
  })
  after(async () => {
    await served.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('is open to owner and group alone', () => assert.equal(statSync(path).mode & 0o777, 0o660))

  it('answers every verb with exactly its arguments', async () => {
    const { ask } = open()
    const address = '10.0.0.1'
    const args: Record<string, object> = {
      host: { address },
      signIn: { address, login: 'a', password: 'b' },
      confirm: { address, ticket: 't', code: '1' },
      personal: { address, token: 't' },
      changePassword: { address, token: 't', current: 'a', next: 'b' },
      signOut: { address, token: null },
    }
    let id = 1
    for (const [verb, one] of Object.entries(args))
      assert.deepEqual([(await ask({ id: id++, verb, args: one })).ok, calls.at(-1)], [true, [verb, one]])
    assert.equal((await ask({ id, verb: 'signOut', args: { address, token: 't' } })).ok, true)
  })

  it('refuses every other verb and every argument that is not exactly right, and reports nothing of the inside', async () => {
    const { ask, isClosed } = open()
    const address = '10.0.0.1'
    const signIn = { address, login: 'a', password: 'b' }
    const messages: unknown[] = [
      ...['apply', 'toString', '__proto__', 'constructor', '', 7, null].map((verb) => ({ verb, args: { address } })),
      { verb: 'host' },
      { verb: 'host', args: { address }, more: 1 },
      ...[null, [], 'x', 7, {}, { address, x: 1 }, { address: null }].map((args) => ({ verb: 'host', args })),
      ...['10.0.0', '010.0.0.1', '10.0.0.256', '::1', '::ffff:10.0.0.1', '10.0.0.1 ', 'localhost', '', 167772161].map(
        (one) => ({ verb: 'host', args: { address: one } }),
      ),
      ...[null, 1, ['a'], { a: 1 }, 'x'.repeat(321), '\ud800'].map((login) => ({
        verb: 'signIn',
        args: { ...signIn, login },
      })),
      ...[undefined, 1, 'x'.repeat(257)].map((password) => ({ verb: 'signIn', args: { ...signIn, password } })),
      { verb: 'signIn', args: JSON.parse('{"address":"10.0.0.1","login":"a","__proto__":{"password":"b"}}') },
      { verb: 'personal', args: { address, token: null } },
      { verb: 'personal', args: { address, token: 'x'.repeat(65) } },
      { verb: 'signOut', args: { address } },
      { verb: 'confirm', args: { address, ticket: 't', code: '1'.repeat(17) } },
    ]
    for (const [index, message] of messages.entries()) {
      const reply = await ask({ id: index, ...(message as object) })
      assert.deepEqual([reply.id, reply.ok], [index, false], JSON.stringify(message))
      assert.equal(JSON.stringify(reply).includes('xxxx'), false, 'nothing of what was sent')
    }
    assert.deepEqual(calls, [])
    const failed = await ask({ id: 1, verb: 'endSession', args: { address, token: 't', id: 'i' } })
    assert.deepEqual(failed, { id: 1, ok: false, message: 'The request failed.' })
    assert.equal(isClosed(), false)
  })

  it('disconnects who breaks the framing, and no one else', async () => {
    const honest = open()
    const ask = { id: 5, verb: 'host', args: { address: '10.0.0.1' } }
    assert.equal((await honest.ask(ask)).ok, true)
    for (const bytes of [
      Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
      Buffer.from([0xff, 0xff, 0xff, 0xff]),
      frame('x'.repeat(16 * 1024 + 1)),
      frame('{"id":1'),
      frame(Buffer.from([0xff, 0xfe, 0x00])),
      frame('{"verb":"host","args":{"address":"10.0.0.1"}}'),
      frame('{"id":-1}'),
      frame('{"id":"1"}'),
      frame('null'),
      frame('[]'),
      frame(''),
    ]) {
      const hostile = open()
      hostile.socket.write(bytes)
      await until('the end of the connection', hostile.isClosed)
      assert.deepEqual(hostile.replies, [])
    }
    assert.equal((await honest.ask(ask)).ok, true)
    assert.ok(warnings.length > 0 && warnings.length < 8, 'a flood of faults is not a flood of lines')
  })

  it('reads frames in any pieces', async () => {
    const { socket, replies } = open()
    const one = encodeFrame({ id: 9, verb: 'host', args: { address: '10.0.0.1' } })
    for (const byte of one) socket.write(Buffer.from([byte]))
    await until('the reply', () => replies.length === 1)
    socket.write(Buffer.concat([one, one, one]))
    await until('the replies', () => replies.length === 4)
  })

  it('has a bounded number of peers and of requests that wait', async () => {
    const first = open()
    const ask = { id: 1, verb: 'host', args: { address: '10.0.0.1' } }
    await first.ask(ask)
    const others = Array.from({ length: 12 }, open)
    await until('the end of surplus peers', () => others.filter(({ isClosed }) => isClosed()).length === 5)
    for (const { socket } of others) socket.destroy()
    gate = new Promise((resolve) => {
      release = resolve
    })
    const before = calls.length
    const count = 4_096
    first.socket.write(Buffer.concat(Array.from({ length: count + 10 }, (_, id) => encodeFrame({ ...ask, id }))))
    await until('the refusals', () => first.replies.filter(({ ok }) => !ok).length === 10)
    assert.equal(calls.length - before, count)
    release()
    gate = Promise.resolve()
    await until('all replies', () => first.replies.length === count + 11)
  })

  it('leaves others a turn after every few requests, however many a peer sends', async () => {
    const peer = open()
    const count = 1_500
    const before = calls.length
    let [most, last] = [0, before]
    let timer = setImmediate(function look() {
      most = Math.max(most, calls.length - last)
      last = calls.length
      timer = setImmediate(look)
    })
    const request = encodeFrame({ id: 1, verb: 'signOut', args: { address: '10.0.0.1', token: null } })
    peer.socket.write(Buffer.concat(Array.from({ length: count }, () => request)))
    await until('all answers', () => peer.replies.length === count)
    clearImmediate(timer)
    assert.ok(most <= 32, `${most} requests in one turn`)
  })

  it('disconnects a peer that asks and never reads', async () => {
    const socket = connect(path)
    peers.add(socket)
    let hasGone = false
    // Writing fails when the other end has gone; reading would find out too late.
    socket.on('error', () => {
      hasGone = true
    })
    await new Promise((resolve) => socket.once('connect', resolve))
    const many = Buffer.concat(
      Array.from({ length: 1_000 }, (_, id) =>
        encodeFrame({ id, verb: 'personal', args: { address: '10.0.0.1', token: 'long' } }),
      ),
    )
    const flood = (): void => {
      while (!socket.destroyed && socket.write(many)) {
        // Until the buffers are full.
      }
    }
    socket.on('drain', flood)
    flood()
    await until('the end of the connection', () => hasGone)
  })
})
