// The end of a session over real connections: whatever ends it also ends its connections, the requests that have not arrived
// completely and the replies under way; the call that ended it is still answered.
// Requirement 7.

import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { defineArea, handle } from '../../src/core/area/handle.ts'
import { rawReply } from '../../src/core/area/raw-reply.ts'
import { endpoint } from '../../src/core/contract/endpoint.ts'
import { Type } from '../../src/core/contract/schema.ts'
import { cookieFrom, cookieOf, find } from '../contract/contract.ts'
import { sample, schemaOf } from '../contract/samples.ts'
import { gate } from '../support/gate.ts'
import { type Client, testPassword } from '../support/test-gateway.ts'
import { until } from '../support/until.ts'
import { createTlsGateway, openTls, type TlsGateway } from './tls-gateway.ts'

const endlessReply = endpoint({
  method: 'GET',
  path: '/endless',
  access: 'signed-in',
  summary: 'Send bytes without end',
  reply: Type.String(),
  alsoReplies: ['application/octet-stream'],
})

/** One byte, and then nothing more. */
function endlessBytes(): Readable {
  const bytes = new Readable({ read: () => {} })
  bytes.push('x')
  return bytes
}

const endlessArea = defineArea({
  name: 'endless',
  slots: [],
  routes: [handle(endlessReply, () => rawReply('application/octet-stream', endlessBytes()))],
})

let target: TlsGateway
let admin: Client
let arrived = 0
let number = 0

interface Line {
  readonly socket: TLSSocket
  text: string
  isClosed: boolean
}

async function openLine(bytes: string): Promise<Line> {
  const socket = await openTls(target)
  const line: Line = { socket, text: '', isClosed: false }
  socket.on('data', (chunk: Buffer) => {
    line.text += chunk.toString('latin1')
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    line.isClosed = true
  })
  const before = arrived
  socket.write(bytes)
  await until('the request has arrived', () => arrived > before)
  return line
}

const request = (cookie: string, method: string, path: string, body = '', missing = 0): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    `Cookie: ${cookie}`,
    ...(body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    '',
    body.slice(0, body.length - missing),
  ].join('\r\n')

const isAnswered = (line: Line, status: number): boolean => line.text.startsWith(`HTTP/1.1 ${status} `)

const newcomer = async () => {
  const login = `leaver-${++number}`
  const id = await target.gateway.addAdministrator(login, 'predefined_admin_write')
  const open = () => target.gateway.services.accounts.sessions.create(id, '127.0.0.1', '/')
  return { id, login, open }
}
type Leaver = Awaited<ReturnType<typeof newcomer>>

interface Cause {
  readonly title: string
  /** Ends the session with this handle and cookie; the answer when a call on a connection of that session does it. */
  run(leaver: Leaver, session: { readonly handle: string; readonly cookie: string }): Promise<Line | null>
}

const byAdmin =
  (method: string, path: (leaver: Leaver, handle: string) => string, body?: unknown): Cause['run'] =>
  async (leaver, { handle }) => {
    assert.equal((await admin(method, path(leaver, handle), body)).status, 200)
    return null
  }

const adminPath = ({ id }: Leaver): string => `/web/admins/local/${id}`

const causes: readonly Cause[] = [
  { title: 'a sign-out', run: (_, { cookie }) => openLine(request(cookie, 'DELETE', '/web/auth/login')) },
  {
    title: 'a change of one’s own password',
    run: (leaver, { cookie }) =>
      openLine(request(cookie, 'PATCH', adminPath(leaver), JSON.stringify({ password: 'a new pass phrase' }))),
  },
  {
    title: 'the end of one’s own session by its handle',
    run: (_, { handle, cookie }) => openLine(request(cookie, 'DELETE', `/monitor_backend/admin_sessions/${handle}`)),
  },
  { title: 'one’s own removal', run: (leaver, { cookie }) => openLine(request(cookie, 'DELETE', adminPath(leaver))) },
  {
    title: 'another sign-in that presents it',
    run: ({ login }, { cookie }) =>
      openLine(
        request(cookie, 'POST', '/web/auth/login', JSON.stringify({ login, password: testPassword, rest_path: '/' })),
      ),
  },
  {
    title: 'a password set by another administrator',
    run: byAdmin('PATCH', adminPath, { password: 'another phrase' }),
  },
  { title: 'disabling', run: byAdmin('PATCH', adminPath, { enabled: false }) },
  { title: 'a change of the role', run: byAdmin('PATCH', adminPath, { role: 'predefined_reports_view' }) },
  { title: 'removal', run: byAdmin('DELETE', adminPath) },
  {
    title: 'an administrator who ends the session',
    run: byAdmin('DELETE', (_, handle) => `/monitor_backend/admin_sessions/${handle}`),
  },
  {
    title: 'a revert to a time without the account',
    run: byAdmin('POST', () => `/config/revisions/${target.gateway.engine.revision - 1}/revert`),
  },
  {
    title: 'ten newer sessions',
    run: async (leaver) => {
      target.gateway.clock.advance(1)
      for (let made = 0; made < 10; made++) leaver.open()
      return null
    },
  },
  {
    title: 'expiry',
    run: async () => {
      target.gateway.clock.advance(15 * 60)
      admin = await target.gateway.client('predefined_admin_write')
      return null
    },
  },
]

describe('requirement 7: the end of a session', () => {
  before(async () => {
    target = await createTlsGateway(
      (server) => {
        server.on('request', () => {
          arrived++
        })
      },
      { extraAreas: [endlessArea] },
    )
    admin = await target.gateway.client('predefined_admin_write')
  })
  after(() => target.close())

  for (const { title, run } of causes) {
    it(`by ${title} ends its connections, armed requests and replies under way`, async () => {
      const leaver = await newcomer()
      const tokens = leaver.open()
      const cookie = cookieOf(tokens)
      const idle = await openLine(request(cookie, 'GET', '/web/whoami'))
      await until('the first request is answered', () => isAnswered(idle, 200))
      const body = '{"log_mode":"nothing"}'
      const armed = await openLine(request(cookie, 'PATCH', '/firewall/settings', body, 1))
      const endless = await openLine(request(cookie, 'GET', '/endless'))
      await until('the reply has begun', () => isAnswered(endless, 200))
      const other = await openLine(request(admin.cookie, 'GET', '/web/whoami'))

      const own = await run(leaver, { handle: tokens.handle, cookie })
      if (own) {
        await until('the call is answered', () => isAnswered(own, 200))
        assert.match(own.text, /\r\nconnection: close\r\n/i)
        await until('its connection is closed', () => own.isClosed)
      }
      await until('all are closed', () => idle.isClosed && armed.isClosed && endless.isClosed)
      assert.equal(armed.text, '', 'the armed request was not answered')
      if (title !== 'expiry') assert.equal(other.isClosed, false, 'others stay')
      other.socket.destroy()
      if (own && title.startsWith('another sign-in')) {
        const headers = { 'set-cookie': [...own.text.matchAll(/^set-cookie: (.*)$/gim)].map(([, value]) => value) }
        const renewed = cookieFrom({ status: 200, text: '', body: null, headers })
        const line = await openLine(request(renewed, 'GET', '/web/whoami'))
        await until('the new session works', () => isAnswered(line, 200))
        line.socket.destroy()
      }
    })

    it(`by ${title} lets no request in that starts afterwards`, async () => {
      const leaver = await newcomer()
      const tokens = leaver.open()
      const cookie = cookieOf(tokens)
      let isDone = false
      const late: number[] = []
      const storm = Array.from({ length: 50 }, async (_, index) => {
        for (let turn = 0; turn < index; turn++) await new Promise((resolve) => setImmediate(resolve))
        const startsAfter = isDone
        const headers = { host: 'localhost', cookie }
        const isChange = index % 2 === 0
        const { statusCode } = await target.gateway.http.inject(
          isChange
            ? { method: 'PATCH', url: '/firewall/settings', headers, payload: '{"log_mode":"all"}' }
            : { method: 'GET', url: '/web/whoami', headers },
        )
        if (startsAfter) late.push(statusCode)
      })
      const cause = run(leaver, { handle: tokens.handle, cookie }).then(async (own) => {
        if (own) await until('the call is answered', () => isAnswered(own, 200))
        isDone = true
      })
      await Promise.all([cause, ...storm])
      const after = await target.gateway.http.inject({
        method: 'GET',
        url: '/web/whoami',
        headers: { host: 'localhost', cookie },
      })
      assert.deepEqual([...new Set([...late, after.statusCode])], [401])
    })
  }

  it('by a change that the machine takes long to apply still answers that change', async () => {
    const { engine, services, applier } = target.gateway
    const leaver = await newcomer()
    const tokens = leaver.open()
    const base = engine.revision - 1
    const rule = { ...(sample(schemaOf(find('POST /firewall/rules/forward').body ?? {})) as object), enabled: true }
    assert.equal((await admin('POST', '/firewall/rules/forward', rule)).status, 200)
    const { apply, attempt } = applier
    const mayEnd = gate()
    // As if it changed more than tables: it is applied after the commit.
    applier.attempt = async () => ({ status: 'mixed' })
    applier.apply = async (plan) => {
      await mayEnd.opened
      return apply.call(applier, plan)
    }
    const idle = await openLine(request(cookieOf(tokens), 'GET', '/web/whoami'))
    const own = await openLine(request(cookieOf(tokens), 'POST', `/config/revisions/${base}/revert`))
    await until('the session has ended', () => services.accounts.sessions.find(tokens.handle) === null)
    await until('other connections of it are closed', () => idle.isClosed)
    assert.deepEqual([own.text, own.isClosed], ['', false])
    mayEnd.open()
    Object.assign(applier, { apply, attempt })
    await until('the call is answered', () => isAnswered(own, 200))
    await until('its connection is closed', () => own.isClosed)
  })
})
