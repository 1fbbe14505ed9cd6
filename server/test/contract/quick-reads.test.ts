// Reads that are answered before the framework: they say exactly what the usual way says, to everyone and after every change, and
// whatever is special goes the usual way.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Agent, type RequestOptions, request } from 'node:https'
import { after, before, describe, it, mock } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { areas } from '../../src/areas/index.ts'
import { type Role, roleIds } from '../../src/core/contract/access.ts'
import { type Config, write } from '../../src/core/model/slots.ts'
import { QuickReads } from '../../src/gatewayd/http/quick-reads.ts'
import { Random, seed } from '../security/random.ts'
import { createTlsGateway, sendRaw, type TlsGateway } from '../security/tls-gateway.ts'
import { labels, noteSettings, notes, sampleArea } from '../support/sample-area.ts'
import type { Client } from '../support/test-gateway.ts'

const viewed = [...areas, sampleArea]
  .flatMap(({ routes }) => routes)
  .filter(({ view, endpoint }) => view !== null && !endpoint.path.includes(':'))

/** Of one connection and its moment, not of the answer. */
const ofConnection = ['date', 'connection', 'keep-alive']

interface Got {
  readonly status: number
  readonly headers: Record<string, unknown>
  readonly bytes: Buffer
}

const withoutConnection = (headers: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.includes(name)))

describe('a read that is answered before the framework', () => {
  let target: TlsGateway
  const clients = new Map<Role, Client>()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const answers = mock.method(QuickReads.prototype, 'answer')
  const isQuick = (): boolean => answers.mock.calls.at(-1)?.result === true

  before(async () => {
    target = await createTlsGateway(undefined, { extraAreas: [sampleArea] })
    for (const role of roleIds) clients.set(role, await target.gateway.client(role))
  })
  after(async () => {
    agent.destroy()
    answers.mock.restore()
    await target.close()
  })

  const cookieOf = (role: Role): string => clients.get(role)?.cookie ?? ''

  async function overTls(path: string, headers: Record<string, string>, method = 'GET'): Promise<Got> {
    const { port, certificate } = target
    const options: RequestOptions = { port, path, method, agent, headers: { host: 'gateway.test', ...headers } }
    const asked = request({ ...options, host: '127.0.0.1', ca: certificate.chain, servername: 'localhost' }).end()
    const [reply] = (await once(asked, 'response')) as [IncomingMessage]
    const bytes = Buffer.concat(await reply.toArray())
    return { status: reply.statusCode ?? 0, headers: withoutConnection(reply.headers), bytes }
  }

  async function theUsualWay(url: string, headers: Record<string, string>): Promise<Got> {
    const answer = await target.gateway.http.inject({
      method: 'GET',
      url,
      headers: { host: 'gateway.test', ...headers },
    })
    return { status: answer.statusCode, headers: withoutConnection(answer.headers), bytes: answer.rawPayload }
  }

  const withoutRequestId = ({ status, headers, bytes }: Got): object =>
    status === 200
      ? { status, headers, text: bytes.toString() }
      : {
          status,
          headers: { ...headers, 'content-length': '' },
          body: { ...JSON.parse(bytes.toString()), request_id: '' },
        }

  it('has the status, the headers and the bytes of the usual way, for every role', async () => {
    assert.ok(viewed.length > 40, `only ${viewed.length} endpoints have a view`)
    let quick = 0
    for (const role of roleIds) {
      for (const { endpoint } of viewed) {
        // Below the second prefix it is the same for every role.
        for (const path of role === roleIds[0] ? [endpoint.path, `/rest${endpoint.path}`] : [endpoint.path]) {
          const headers = { cookie: cookieOf(role) }
          const got = await overTls(path, headers)
          if (isQuick()) quick++
          assert.equal(isQuick(), got.status === 200, `${role} ${path}`)
          assert.deepEqual(withoutRequestId(got), withoutRequestId(await theUsualWay(path, headers)), `${role} ${path}`)
        }
      }
    }
    assert.ok(quick > 100, `${quick} quick answers`)
  })

  it('is left to the usual way when anything about the request is special', async () => {
    const cookie = cookieOf('predefined_admin_write')
    const path = '/sample/settings'
    assert.equal((await overTls(path, { cookie })).status, 200)
    assert.ok(isQuick())
    const special: readonly [path: string, headers: Record<string, string>, status: number, method?: string][] = [
      [path, {}, 401],
      [path, { cookie: 'insecure-portcullis-session=none; __Secure-portcullis-none=none' }, 401],
      [`${path}?limit=1`, { cookie }, 422],
      [`${path}/`, { cookie }, 404],
      [path.toUpperCase(), { cookie }, 404],
      [path, { cookie, 'if-none-match': '*' }, 304],
      [path, { cookie, 'content-length': '0' }, 200],
      [path, { cookie, 'accept-encoding': 'br, identity;q=0' }, 200],
      [path, { cookie }, 200, 'HEAD'],
    ]
    for (const [url, headers, status, method] of special) {
      const got = await overTls(url, headers, method)
      assert.deepEqual([got.status, isQuick()], [status, false], `${url} ${JSON.stringify(headers)}`)
    }
  })

  it('is refused when the request can be read in two ways', async () => {
    const cookie = cookieOf('predefined_admin_write')
    const { statuses } = await sendRaw(
      target,
      `GET /sample/settings HTTP/1.1\r\nHost: a\r\nHost: b\r\nCookie: ${cookie}\r\n\r\n`,
    )
    assert.deepEqual(statuses, [400])
  })

  it('ends with the session and with the right to read', async () => {
    const { gateway } = target
    const id = await gateway.addAdministrator('short-lived', 'predefined_admin_write')
    const { session, secureName, secureValue, handle } = gateway.services.accounts.sessions.create(id, '127.0.0.1', '/')
    const cookie = `insecure-portcullis-session=${session}; __Secure-portcullis-${secureName}=${secureValue}`
    assert.equal((await overTls('/sample/settings', { cookie })).status, 200)
    gateway.services.accounts.sessions.end(handle)
    assert.equal((await theUsualWay('/sample/settings', { cookie })).status, 401)
    // The end of a session ends its connections; the next one is new.
    const refused = await overTls('/sample/settings', { cookie }).catch(() => overTls('/sample/settings', { cookie }))
    assert.deepEqual([refused.status, isQuick()], [401, false])
  })

  it('shows every change at once, however changes and reads follow each other', async () => {
    const random = new Random(seed)
    const { engine } = target.gateway
    const cookie = cookieOf('predefined_admin_write')
    let serial = 0
    const item = (id: number) => ({
      id,
      title: `Note ${serial++} \u00fc "quoted"`,
      comment: 'x'.repeat(random.below(80)),
    })
    const edits: readonly ((config: Config) => Config)[] = [
      (config) => write(config, noteSettings, { limit: 700 + random.below(300) }),
      (config) =>
        write(
          config,
          notes,
          Array.from({ length: random.below(700) }, (_, index) => item(index + 1)),
        ),
      (config) => {
        const known = (config[notes.key] ?? []) as ReturnType<typeof item>[]
        const at = random.below(Math.max(1, known.length))
        return known.length === 0 ? config : write(config, notes, known.with(at, item(at + 1)))
      },
      (config) => write(config, labels, [{ ...item(1), id: `label.${serial}` }]),
    ]
    const shown = [
      ['/sample/settings', noteSettings],
      ['/sample/notes', notes],
      ['/sample/labels', labels],
    ] as const
    for (let step = 0; step < 200; step++) {
      if (random.below(3) === 0) {
        const edit = random.pick(edits)
        await engine.change({
          edit: (config) => [edit(config), null],
          actor: { login: 'system', address: '127.0.0.1' },
          reason: 'test',
        })
      }
      const [path, slot] = random.pick(shown)
      const coding = random.chance(0.5) ? {} : { 'accept-encoding': 'gzip' }
      const { status, headers, bytes } = await overTls(path, { cookie, ...coding })
      const text = (headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString()
      assert.equal(status, 200)
      assert.deepEqual(JSON.parse(text), engine.config[slot.key], `step ${step}: ${path}`)
      const tag = `"${slot.key}-${engine.slotRevision(slot.key)}`
      assert.ok(String(headers.etag).startsWith(tag), `${headers.etag} at ${tag}`)
      assert.equal(headers['content-length'] ?? String(bytes.length), String(bytes.length))
    }
  })
})
