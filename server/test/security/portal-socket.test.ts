// A whole gateway behind the socket of the portal: codes replayed and sent in parallel as frames, between frames of a peer that
// tries to reach more than people at the portal can.
// Requirement 20.

import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { servePortal } from '../../src/areas/portal/runs/socket.ts'
import { codeAt } from '../../src/areas/portal/runs/totp.ts'
import { createFrameReader, encodeFrame } from '../../src/shared/frames.ts'
import { createPortalBench, localHost, type PortalBench, userPassword } from '../support/portal-calls.ts'
import { until } from '../support/until.ts'

interface Reply {
  readonly id: number
  readonly ok: boolean
  /** What the results of all verbs have together. */
  readonly result: {
    readonly status: string
    readonly reason?: string
    readonly ticket: string
    readonly enrolment: { readonly secret: string }
  }
}

describe('a gateway behind the socket of the portal', () => {
  let bench: PortalBench
  let served: ReturnType<typeof servePortal>
  let socket: Socket
  const replies = new Map<number, Reply>()
  const faults: string[] = []
  let number = 0

  before(async () => {
    bench = await createPortalBench()
    await bench.set({ two_factor: 'totp' })
    await bench.addUser('anna')
    const path = join(bench.gateway.folder, 'portal.sock')
    served = servePortal({
      path,
      actions: bench.actions,
      log: (_level, message, fields) => faults.push(`${message} ${String(fields?.error)}`),
    })
    socket = connect(path)
    const read = createFrameReader((message) => {
      const reply = message as Reply
      replies.set(reply.id, reply)
    })
    socket.on('data', (chunk: Buffer) => read(chunk))
    await new Promise((resolve) => socket.once('connect', resolve))
  })
  after(async () => {
    socket.destroy()
    await served.close()
    await bench.gateway.close()
  })

  /** All in one write; the replies in the order of the requests. */
  async function send(requests: readonly (readonly [verb: string, args: object])[]): Promise<Reply[]> {
    const frames = requests.map(([verb, args]) => ({ id: ++number, verb, args: { address: localHost, ...args } }))
    socket.write(Buffer.concat(frames.map(encodeFrame)))
    await until('all replies came', () => frames.every(({ id }) => replies.has(id)))
    return frames.map(({ id }) => replies.get(id) ?? assert.fail())
  }

  const statuses = (all: readonly Reply[]): string[] =>
    all.map(({ result }) => result.reason ?? result.status).toSorted()

  it('lets one of many equal codes in, and no replay', async () => {
    const [begun] = await send([['signIn', { login: 'anna', password: userPassword }]])
    const { ticket, enrolment } = begun?.result ?? assert.fail()
    const code = (offset: number): string =>
      codeAt(enrolment.secret, Math.floor(bench.gateway.clock.wall / 30_000) + offset)
    const first = await send(Array.from({ length: 10 }, () => ['confirm', { ticket, code: code(0) }] as const))
    assert.deepEqual(statuses(first), [...Array(9).fill('expired'), 'signed_in'])
    const signs = await send(
      Array.from({ length: 3 }, () => ['signIn', { login: 'anna', password: userPassword }] as const),
    )
    const replayed = await send(
      signs.map(({ result }) => ['confirm', { ticket: result.ticket, code: code(0) }] as const),
    )
    assert.deepEqual(statuses(replayed), ['wrong', 'wrong', 'wrong'])
    const parallel = await send(
      signs.map(({ result }) => ['confirm', { ticket: result.ticket, code: code(1) }] as const),
    )
    assert.deepEqual(statuses(parallel), ['signed_in', 'wrong', 'wrong'])
  })

  it('opens personal pages to tokens alone', async () => {
    bench.gateway.clock.advance(3_600)
    const [begun] = await send([['signIn', { login: 'anna', password: userPassword }]])
    const { ticket } = begun?.result ?? assert.fail()
    const other = bench.network.add({ userId: 'user.id.77', address: '10.10.0.99' })
    const [page, ended, changed] = await send([
      ['personal', { token: ticket }],
      ['endSession', { token: ticket, id: other.id }],
      ['changePassword', { token: ticket, current: userPassword, next: 'granite window 77' }],
    ])
    assert.equal(page?.result, null)
    assert.deepEqual([ended?.result.reason, changed?.result.reason], ['expired', 'expired'])
    const foreign = await send([
      ['list', {}],
      ['openWeb', { userId: 'user.id.1' }],
      ['host', { userId: 'user.id.1' }],
      ['signIn', { login: 'anna', password: userPassword, admin: true }],
    ])
    assert.deepEqual(
      foreign.map(({ ok }) => ok),
      [false, false, false, false],
    )
    assert.ok(bench.network.list().includes(other))
    assert.deepEqual(faults, [])
  })
})
