// The stream of events over real connections: what is told to whom, and that the end of a session ends it.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Role } from '../../src/core/contract/access.ts'
import type { StatusItem } from '../../src/core/contract/fields.ts'
import { cookieOf } from '../contract/contract.ts'
import { least, path } from '../support/firewall-samples.ts'
import type { Client } from '../support/test-gateway.ts'
import { until } from '../support/until.ts'
import { createTlsGateway, openTls, type TlsGateway } from './tls-gateway.ts'

interface Told {
  readonly event: string
  readonly data: Record<string, unknown>
}

interface StatusOf {
  readonly path: string
  readonly items: readonly { readonly code: string | null }[]
}

describe('the stream of events', () => {
  let target: TlsGateway
  let admin: Client
  before(async () => {
    target = await createTlsGateway(() => {}, { parts: { streamLimits: { lifeMilliseconds: 3_600_000 } } })
    admin = await target.gateway.client('predefined_admin_write')
  })
  after(() => target.close())

  let number = 0
  async function listen(role: Role) {
    const id = await target.gateway.addAdministrator(`listener-${++number}`, role)
    const tokens = target.gateway.services.accounts.sessions.create(id, '127.0.0.1', '/')
    const socket = await openTls(target)
    let text = ''
    const client = {
      isClosed: false,
      told: (): Told[] => parse(text),
      handle: tokens.handle,
      end: () => socket.destroy(),
    }
    socket.on('error', () => {})
    socket.on('close', () => {
      client.isClosed = true
    })
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    const lines = ['GET /events HTTP/1.1', 'Host: localhost', `Cookie: ${cookieOf(tokens)}`, '', '']
    socket.write(lines.join('\r\n'))
    await until('the first event has come', () => client.told().some(({ event }) => event === 'session'))
    return client
  }

  const parse = (text: string): Told[] =>
    [...text.matchAll(/^event: (\S+)\ndata: (.*)$/gm)].map(([, event = '', data = '{}']) => ({
      event,
      data: JSON.parse(data) as Told['data'],
    }))

  const addRule = async (headers = {}): Promise<void> => {
    const { status, text } = await admin('POST', path('forward'), least.forward, headers)
    assert.equal(status, 200, text)
  }

  it('tells the state first, and then every revision with who made it', async () => {
    const client = await listen('predefined_admin_readonly')
    const { revision } = target.gateway.engine
    assert.deepEqual(client.told()[0], { event: 'revision', data: { revision } })
    await addRule()
    await addRule()
    const revisions = () => client.told().filter(({ event }) => event === 'revision')
    await until('both were told', () => revisions().length === 3)
    assert.deepEqual(
      revisions().map(({ data }) => data.revision),
      [revision, revision + 1, revision + 2],
    )
    assert.equal(typeof revisions()[2]?.data.author, 'string')
    client.end()
  })

  it('tells no role what it may not read', async () => {
    const reports = await listen('predefined_reports_view')
    const reader = await listen('predefined_admin_readonly')
    const writer = await listen('predefined_firewall_admin')
    await addRule({ 'portcullis-confirm-within': '600' })
    const waiting = ({ event, data }: Told): boolean => event === 'probation' && data.waiting !== null
    await until('the writer was told', () => writer.told().some(waiting))
    await until('statuses were told', () => reader.told().some(({ event }) => event === 'status'))
    await until('all know the revision', () =>
      [reports, reader].every((client) =>
        client.told().some(({ data }) => data.revision === target.gateway.engine.revision),
      ),
    )
    const kinds = (client: typeof reader) => [...new Set(client.told().map(({ event }) => event))].sort()
    assert.deepEqual(
      reports.told().filter(({ event, data }) => event === 'revision' && Object.keys(data).length > 1),
      [],
    )
    assert.ok(!kinds(reports).includes('probation') && !kinds(reports).includes('sessions'))
    assert.ok(!kinds(reader).includes('probation'))
    const paths = (client: typeof reader) => client.told().flatMap(({ data }) => data.path ?? [])
    assert.ok(!paths(writer).includes('/journal/status'))
    assert.ok(paths(reader).includes('/journal/status'))
    assert.equal((await admin('DELETE', '/config/confirm')).status, 200)
    await until('the end of the probation was told', () => {
      const last = writer.told().findLast(({ event }) => event === 'probation')
      return last?.data.waiting === null
    })
    for (const client of [reports, reader, writer]) client.end()
  })

  it('says when the session is near its end, and ends with it', async () => {
    const client = await listen('predefined_admin_readonly')
    target.gateway.clock.advance(14 * 60)
    await until('it was told', () =>
      client.told().some(({ event, data }) => event === 'session' && Number(data.seconds_left) === 60),
    )
    target.gateway.services.accounts.sessions.end(client.handle)
    await until('the connection is closed', () => client.isClosed)
    admin = await target.gateway.client('predefined_admin_write')
  })

  it('has all statuses in one call, as their own endpoints show them', async () => {
    const { body } = await admin('GET', '/statuses')
    assert.ok(body.length > 10)
    for (const { path: one, items } of body) {
      const plain = items.map(({ name, status, msg }: StatusItem) => ({ name, status, msg }))
      assert.deepEqual([(await admin('GET', one)).body].flat(), plain, one)
    }
    const codes = new Map<string, readonly (string | null)[]>(
      body.map(({ path: one, items }: StatusOf) => [one, items.map(({ code }) => code)]),
    )
    assert.deepEqual(codes.get('/vpn_servers/status'), ['stored_only'])
    assert.deepEqual(codes.get('/journal/status')?.[0], null)
    const reports = await target.gateway.client('predefined_reports_view')
    const seen = (await reports('GET', '/statuses')).body.map((one: { path: string }) => one.path)
    assert.ok(!seen.includes('/firewall/status'))
  })
})
