// A gateway whose operator named a log server: it asks the server over TLS, goes on while the server is away, and says so.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createLook } from '../../src/areas/health/jobs.ts'
import type { NewRecord } from '../../src/domain/logs/record.ts'
import { openLogServer } from '../../src/gatewayd/logs/log-server.ts'
import { logViews } from '../../src/gatewayd/logs/log-views.ts'
import { ensureCertificate } from '../../src/shared/certificates/tls.ts'
import { Clickhouse, withoutLogServer } from '../support/clickhouse.ts'
import { NaiveLogStore } from '../support/naive-log-store.ts'
import { type Client, createTestGateway } from '../support/test-gateway.ts'
import { until } from '../support/until.ts'

const folder = mkdtempSync(join(tmpdir(), 'portcullis-log-server-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const record = (message: string): NewRecord => ({
  kind: 'system',
  time: Date.UTC(2026, 0, 1) * 1000,
  priority: 6,
  unit: 'dns',
  syslogId: 'dns',
  message,
  fields: {},
})

/** A gateway with this file of its operator; no file when it is null. */
async function startWith(file: unknown) {
  const own = mkdtempSync(join(folder, 'gateway-'))
  if (file !== null) writeFileSync(join(own, 'log-server.json'), JSON.stringify(file))
  const parts = openLogServer(own, own, new NaiveLogStore(logViews), Date.now)
  const gateway = await createTestGateway({ folder: own, parts })
  return { gateway, logs: parts.logs, admin: await gateway.client('predefined_admin_write') }
}

const filter = `filter=${encodeURIComponent(JSON.stringify([{ items: [{ column_name: 'unit', operator: 'equals', value: ['dns'] }] }]))}`
const messagesOf = async (admin: Client): Promise<string[]> => {
  const { status, text, body } = await admin('GET', `/logs_backend/logs?${filter}`)
  assert.equal(status, 200, text)
  return body.data.map(({ message }: { message: string }) => message)
}
const serverStatus = async (admin: Client) =>
  (await admin('GET', '/logs_backend/status')).body.find(({ name }: { name: string }) => name.endsWith('-logs-server'))

describe('a gateway with a log server', { skip: withoutLogServer() }, () => {
  let clickhouse: Clickhouse
  let tls: Server
  let chain: string
  /** Requests that reached the server. */
  let asked = 0

  before(async () => {
    clickhouse = await Clickhouse.start(mkdtempSync(join(folder, 'server-')))
    mkdirSync(join(folder, 'tls'))
    const certificate = await ensureCertificate(join(folder, 'tls'), ['127.0.0.1'], new Date())
    chain = certificate.chain
    tls = createServer({ key: certificate.key, cert: chain }, (incoming, reply) => {
      asked++
      const { method, headers, url = '/' } = incoming
      const onward = request(new URL(url, clickhouse.settings().url), { method, headers }, (answer) => {
        reply.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(reply)
      })
      onward.on('error', () => reply.destroy())
      incoming.pipe(onward)
    }).listen(0, '127.0.0.1')
    await until('the listener is open', () => tls.listening)
  })
  after(async () => {
    tls?.closeAllConnections()
    tls?.close()
    await clickhouse?.close()
  })

  const fileOf = (gateway: string) => {
    const { user, password } = clickhouse.settings()
    return { url: `https://127.0.0.1:${(tls.address() as AddressInfo).port}/`, user, password, gateway }
  }

  it('answers from the server, and from its own records while the server is away', async () => {
    const { gateway, logs, admin } = await startWith({ ...fileOf('first'), ca: chain })
    logs.append([record('one')])
    assert.deepEqual(await messagesOf(admin), ['one'])
    const count = "SELECT count() FROM portcullis.log_system WHERE gateway = 'first'"
    assert.equal(await clickhouse.ask(count), '1')
    const before = asked
    assert.deepEqual(await messagesOf(admin), ['one'])
    assert.ok(asked > before, 'the server was asked')
    assert.equal((await serverStatus(admin)).status, 'active')

    await clickhouse.kill()
    logs.append([record('two')])
    assert.deepEqual(new Set(await messagesOf(admin)), new Set(['one', 'two']))
    const away = await serverStatus(admin)
    assert.equal(away.status, 'failed')
    assert.match(away.msg.join(' '), /cannot be reached.*Records that wait: [1-9]/)
    const listed = (await admin('GET', '/statuses')).text
    assert.match(listed, /portcullis-logs-server/)
    const look = createLook(gateway.services)
    await look()
    const { checks } = (await admin('GET', '/health')).body
    assert.equal(checks.find(({ id }: { id: string }) => id === 'log-server')?.state, 'failed')
    assert.equal((await admin('POST', '/aliases/zones', { title: 'a zone' })).status, 200, 'the gateway goes on')

    await clickhouse.start()
    await until('the server has the record', async () => {
      assert.equal((await messagesOf(admin)).length, 2)
      return (await serverStatus(admin)).status === 'active' && (await clickhouse.ask(count)) === '2'
    })
    assert.ok(!(await admin('GET', '/statuses')).text.includes(clickhouse.settings().password))
    await gateway.close()
  })

  it('does not trust a server whose certificate it was not told of', async () => {
    const { gateway, logs, admin } = await startWith(fileOf('second'))
    const before = asked
    logs.append([record('one')])
    assert.deepEqual(await messagesOf(admin), ['one'])
    assert.match((await serverStatus(admin)).msg[0], /cannot be reached.*certificate/)
    assert.equal(asked, before, 'nothing was sent, not even the password')
    await gateway.close()
  })
})

it('a file that cannot be used is a fault of the status, and the log is that of the gateway', async () => {
  const { gateway, logs, admin } = await startWith({ url: 'file:///etc', gateway: 'third' })
  logs.append([record('one')])
  assert.deepEqual(await messagesOf(admin), ['one'])
  const { status, msg } = await serverStatus(admin)
  assert.equal(status, 'failed')
  assert.match(msg[0], /log-server\.json needs "url"/)
  await gateway.close()
})

it('without a file there is no log server in the status', async () => {
  const { gateway, admin } = await startWith(null)
  assert.equal(await serverStatus(admin), undefined)
  await gateway.close()
})
