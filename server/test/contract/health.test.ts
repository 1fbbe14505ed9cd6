// Health over the interface: checks, charts, metrics and their token, and notifications that reach real servers once.

import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { createLook } from '../../src/areas/health/jobs.ts'
import { createSendMail } from '../../src/areas/health/runs/mail.ts'
import { createWebhookCall } from '../../src/areas/health/runs/webhook.ts'
import { healthService } from '../../src/areas/health/service.ts'
import type { MachineLoad } from '../../src/core/contract/health.ts'
import { makeCertificate } from '../../src/shared/certificates/certificate-maker.ts'
import { ensureCertificate } from '../../src/shared/certificates/tls.ts'
import { readMetrics } from '../support/prometheus.ts'
import { createSmtpServer, type SmtpServer } from '../support/smtp-server.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const gibibyte = 2 ** 30

const quiet: MachineLoad = {
  cpu: { busy: 100, total: 1_000 },
  processors: 2,
  memory: { totalBytes: 8 * gibibyte, availableBytes: 6 * gibibyte, swapTotalBytes: 0, swapFreeBytes: 0 },
  load: [0.1, 0.2, 0.3],
  connections: { count: 10, limit: 1_000 },
  interfaces: [
    { name: 'lan0', bytesIn: 1000, packetsIn: 10, droppedIn: 0, bytesOut: 500, packetsOut: 5, droppedOut: 0 },
  ],
  disk: { totalBytes: 100 * gibibyte, freeBytes: 50 * gibibyte },
  files: { 'gateway.db': 4096 },
  isClockKept: true,
}

let gateway: TestGateway
let admin: Client
let load: MachineLoad
let certificate: { readonly key: string; readonly chain: string }
let look: () => Promise<void>

const senders = {
  lookUp: async (name: string) => (name.endsWith('.test') ? { address: '127.0.0.1' } : { fault: 'Not found.' }),
  mail: createSendMail('gateway.test'),
  webhook: createWebhookCall('test/1'),
}
const parts = () => ({
  machineLoad: () => load,
  notices: senders,
  managementCertificate: () => certificate.chain,
})

async function begin(): Promise<void> {
  admin = await gateway.client('predefined_admin_write')
  look = createLook(gateway.services)
}

beforeEach(async () => {
  load = quiet
  certificate = await makeCertificate(['gateway.test'], new Date(Date.UTC(2026, 0, 1)))
  gateway = await createTestGateway({ parts: parts() })
  await begin()
})
afterEach(() => gateway.close())

async function looks(count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    gateway.clock.advance(10)
    await look()
    await gateway.services.of(healthService).notifier.idle()
  }
}

const get = async (path: string) => {
  const answer = await admin('GET', path)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}
const stateOf = async (id: string): Promise<string> =>
  (await get('/health')).checks.find((check: { id: string }) => check.id === id)?.state

describe('checks', () => {
  it('are unknown before the first look, and good on a quiet machine', async () => {
    assert.deepEqual((await get('/health/summary')).state, 'unknown')
    await looks(1)
    const health = await get('/health')
    assert.equal(health.state, 'ok', JSON.stringify(health.checks))
    const ids = health.checks.map(({ id }: { id: string }) => id)
    for (const id of ['applyd', 'memory', 'load', 'connections', 'clock', 'certificate.management', 'store', 'audit'])
      assert.ok(ids.includes(id), id)
    assert.ok(ids.includes('queue.changes') && ids.includes('queue.audit') && ids.includes('backup'))
  })

  it('follow the machine', async () => {
    await looks(1)
    load = {
      ...quiet,
      memory: { totalBytes: 8 * gibibyte, availableBytes: gibibyte / 8, swapTotalBytes: 0, swapFreeBytes: 0 },
      load: [1, 5, 1],
      connections: { count: 960, limit: 1_000 },
      isClockKept: false,
    }
    await looks(1)
    const states = await Promise.all(['memory', 'load', 'connections', 'clock'].map(stateOf))
    assert.deepEqual(states, ['failed', 'warning', 'failed', 'warning'])
    assert.deepEqual((await get('/health/summary')).state, 'failed')
    const items: { name: string; status: string; msg: string[] }[] = await get('/health/status')
    assert.equal(items.find(({ name }) => name === 'checks')?.status, 'failed')
  })

  it('of applyd fail when it does not answer, and nothing else does because of it', async () => {
    await looks(1)
    gateway.applier.failWith = new Error('gone')
    await looks(1)
    assert.deepEqual([await stateOf('applyd'), await stateOf('apply')], ['failed', 'unknown'])
    gateway.applier.failWith = null
    await looks(1)
    assert.equal(await stateOf('applyd'), 'ok')
  })

  it('of certificates warn before they expire', async () => {
    const daysLeft = (days: number): Promise<void> => {
      const [first = ''] = certificate.chain.split(/(?<=-----END CERTIFICATE-----\n)/)
      const { validToDate } = new X509Certificate(first)
      gateway.clock.wall = validToDate.getTime() - days * 86_400_000
      return look()
    }
    const seen: string[] = []
    for (const days of [31, 29, 13, 2, -1]) {
      await daysLeft(days)
      seen.push(await stateOf('certificate.management'))
    }
    assert.deepEqual(seen, ['ok', 'warning', 'warning', 'failed', 'failed'])
  })

  it('of the clock report a jump for an hour', async () => {
    await looks(2)
    gateway.clock.wall += 60_000
    await looks(1)
    assert.equal(await stateOf('clock'), 'warning')
    gateway.clock.advance(3_600)
    admin = await gateway.client('predefined_admin_write')
    await looks(1)
    assert.equal(await stateOf('clock'), 'ok')
  })

  it('of backups notice that none was made for days', async () => {
    await looks(1)
    assert.equal(await stateOf('backup'), 'ok')
    gateway.clock.advance(3 * 86_400)
    admin = await gateway.client('predefined_admin_write')
    await looks(1)
    assert.equal(await stateOf('backup'), 'warning')
  })
})

describe('charts', () => {
  it('show rates of interfaces and shares of the processor', async () => {
    await looks(1)
    const [lan] = quiet.interfaces
    assert.ok(lan)
    load = {
      ...quiet,
      cpu: { busy: 150, total: 1_100 },
      interfaces: [{ ...lan, bytesIn: 21_000, packetsOut: 105 }],
    }
    await looks(1)
    const cpu = await get('/health/charts?group=cpu')
    assert.equal(cpu.step_seconds, 10)
    assert.deepEqual(
      cpu.series.map(({ name, unit, points }: { name: string; unit: string; points: { avg: number }[] }) => [
        name,
        unit,
        ...points.map(({ avg }) => avg),
      ]),
      [['busy', 'percent', 50]],
    )
    const { series } = await get('/health/charts?group=interfaces&name=lan0')
    const last = Object.fromEntries(
      series.map(({ name, unit, points }: { name: string; unit: string; points: { avg: number }[] }) => [
        name,
        [points.at(-1)?.avg, unit],
      ]),
    )
    assert.deepEqual(last, {
      'lan0/bytes_in': [2000, 'bytes/s'],
      'lan0/bytes_out': [0, 'bytes/s'],
      'lan0/packets_in': [0, 'packets/s'],
      'lan0/packets_out': [10, 'packets/s'],
    })
  })

  it('choose a step by how far back they go, and survive a restart', async () => {
    await looks(3)
    const now = gateway.clock.wall / 1000
    gateway = await gateway.restart()
    await begin()
    for (const [days, step] of [
      [1, 60],
      [10, 600],
      [80, 3600],
    ] as const) {
      const chart = await get(`/health/charts?group=memory&from=${now - days * 86_400}`)
      assert.equal(chart.step_seconds, step)
      assert.equal(chart.series.find(({ name }: { name: string }) => name === 'used').points.at(-1).max, 2 * gibibyte)
    }
    for (const query of ['?group=x', '?group=cpu&from=-1', '?group=cpu&from=x'])
      assert.equal((await admin('GET', `/health/charts${query}`)).status, 422, query)
  })
})

describe('metrics', () => {
  const scrape = async (authorization?: string) =>
    (await gateway.client(null))('GET', '/metrics', undefined, authorization === undefined ? {} : { authorization })

  it('need their own token, which is shown once and can be removed', async () => {
    assert.equal((await scrape()).status, 401)
    assert.deepEqual(await get('/health/metrics_token'), { enabled: false, created_at: null, created_by: null })
    const made = await admin('POST', '/health/metrics_token')
    assert.equal(made.status, 200, made.text)
    const { bearer: token } = made.body
    assert.equal((await scrape(`Bearer ${token}`)).status, 200)
    assert.equal((await scrape(`Bearer ${token}x`)).status, 401)
    // A session of an administrator is not the token.
    assert.equal((await admin('GET', '/metrics')).status, 401)
    assert.ok(!JSON.stringify(await get('/health/metrics_token')).includes(token))
    assert.ok(!JSON.stringify(await get('/journal/records')).includes(token))
    gateway = await gateway.restart()
    await begin()
    assert.equal((await scrape(`Bearer ${token}`)).status, 200)
    assert.equal((await admin('DELETE', '/health/metrics_token')).status, 200)
    assert.equal((await scrape(`Bearer ${token}`)).status, 401)
    assert.equal((await admin('DELETE', '/health/metrics_token')).status, 404)
  })

  it('are made only by an administrator who signed in a short while ago', async () => {
    gateway.clock.advance(11 * 60)
    assert.equal((await admin('POST', '/health/metrics_token')).status, 401)
  })

  it('are valid text of the format, with the numbers of the gateway', async () => {
    await looks(1)
    const { bearer: token } = (await admin('POST', '/health/metrics_token')).body
    const { text, headers } = await scrape(`Bearer ${token}`)
    assert.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
    const families = readMetrics(text)
    const sampleOf = (family: string, sample = family) => families.get(family)?.samples.get(sample)
    assert.equal(sampleOf('portcullis_memory_total_bytes'), 8 * gibibyte)
    assert.equal(sampleOf('portcullis_check_state', 'portcullis_check_state{check="applyd"}'), 0)
    assert.equal(
      sampleOf(
        'portcullis_interface_receive_bytes_total',
        'portcullis_interface_receive_bytes_total{interface="lan0"}',
      ),
      1000,
    )
    assert.equal(sampleOf('portcullis_queue_length', 'portcullis_queue_length{queue="changes"}'), 0)
    assert.equal(sampleOf('portcullis_administrator_sessions'), 1)
  })
})

describe('notifications', () => {
  let smtp: SmtpServer
  let hooks: Server
  let bodies: { readonly notices: readonly { kind: string; check: string }[]; readonly is_test: boolean }[] = []
  let hookStatus = 200
  let mailTls: { readonly key: string; readonly chain: string }
  const portOf = ({ server }: { server: { address(): unknown } }): number => (server.address() as AddressInfo).port

  before(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-notify-'))
    mailTls = await ensureCertificate(folder, ['mail.test', 'hooks.test'], new Date())
    rmSync(folder, { recursive: true })
    smtp = createSmtpServer({
      mode: 'starttls',
      tls: { key: mailTls.key, cert: mailTls.chain },
      account: 'gateway:secret word',
    })
    hooks = createServer({ key: mailTls.key, cert: mailTls.chain }, async (request, response) => {
      const read: Buffer[] = []
      for await (const part of request) read.push(part as Buffer)
      if (hookStatus === 200) bodies.push(JSON.parse(Buffer.concat(read).toString('utf8')))
      response.writeHead(hookStatus).end()
    })
    for (const server of [smtp.server, hooks])
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  after(() => {
    smtp.server.close()
    hooks.closeAllConnections()
    hooks.close()
  })
  beforeEach(() => {
    smtp.mails.length = 0
    bodies = []
    hookStatus = 200
  })

  const mail = () => ({
    title: 'Team',
    server: 'mail.test',
    port: portOf({ server: smtp.server }),
    security: 'starttls',
    ca: mailTls.chain,
    login: 'gateway',
    password: 'secret word',
    from: 'gw@example.test',
    to: ['a@example.test'],
  })
  const webhook = () => ({
    title: 'Chat',
    url: `https://hooks.test:${portOf({ server: hooks })}/in`,
    ca: mailTls.chain,
    secret: 'shared word',
    severity: 'warning',
  })
  const create = async (kind: string, body: object): Promise<string> => {
    const answer = await admin('POST', `/health/notifications/${kind}`, body)
    assert.equal(answer.status, 200, answer.text)
    return answer.body.id
  }
  const full: MachineLoad = { ...quiet, connections: { count: 999, limit: 1_000 } }

  it('never show passwords and secrets', async () => {
    await create('mail', mail())
    await create('webhooks', webhook())
    const lists = [await get('/health/notifications/mail'), await get('/health/notifications/webhooks')]
    assert.deepEqual([lists[0][0].has_password, lists[1][0].has_secret], [true, true])
    const everything = JSON.stringify([...lists, await get('/health/status'), await get('/journal/records')])
    assert.ok(!everything.includes('secret word') && !everything.includes('shared word'))
  })

  it('show the server of a webhook alone, and keep its address when that is sent back', async () => {
    const port = portOf({ server: hooks })
    const path = `/health/notifications/webhooks/${await create('webhooks', webhook())}`
    const shown = `https://hooks.test:${port}/***`
    const one = async () =>
      (await get('/health/notifications/webhooks')).find(({ id }: { id: string }) => path.endsWith(id))
    assert.equal((await one()).url, shown)
    for (const body of [{ title: 'Other' }, { url: shown }, { url: `https://hooks.test:${port}/in` }])
      assert.equal((await admin('PATCH', path, body)).status, 200)
    assert.equal((await admin('POST', `${path}/test`)).body.is_delivered, true)
    const refused = await admin('PATCH', path, { url: 'https://elsewhere.test/***' })
    assert.deepEqual([refused.status, refused.body.problems[0].field], [422, 'url'])
    const added = await admin('POST', '/health/notifications/webhooks', { ...webhook(), url: shown })
    assert.deepEqual([added.status, added.body.problems[0].field], [422, 'url'])
    const everything = JSON.stringify([await get('/config/revisions/1'), await get('/journal/records')])
    assert.ok(!everything.includes(`${port}/in`))
  })

  it('refuse settings that cannot work', async () => {
    const refusals: readonly [string, object][] = [
      ['mail', { ...mail(), password: '' }],
      ['mail', { ...mail(), to: [] }],
      ['mail', { ...mail(), to: ['a@example.test\r\nBcc: x@example.test'] }],
      ['mail', { ...mail(), from: '"x" <a@example.test>' }],
      ['mail', { ...mail(), ca: 'not a certificate' }],
      ['mail', { ...mail(), server: 'a b' }],
      ['webhooks', { ...webhook(), url: 'http://hooks.test/' }],
      ['webhooks', { ...webhook(), url: 'https://user@hooks.test/' }],
    ]
    for (const [kind, body] of refusals)
      assert.equal((await admin('POST', `/health/notifications/${kind}`, body)).status, 422, JSON.stringify(body))
  })

  it('are sent once when a check fails and once when it recovers, by both ways', async () => {
    await create('mail', mail())
    await create('webhooks', webhook())
    await looks(5)
    load = full
    await looks(2)
    assert.deepEqual([smtp.mails.length, bodies.length], [0, 0])
    await looks(10)
    load = quiet
    await looks(10)
    const subjects = smtp.mails.map(({ data }) => /^Subject: (.*)$/m.exec(data)?.[1]?.trim())
    assert.deepEqual(subjects, [
      '[portcullis gateway-host] Failed: Tracked connections',
      '[portcullis gateway-host] Recovered: Tracked connections',
    ])
    assert.deepEqual(
      bodies.map(({ notices }) => notices.map(({ kind, check }) => `${kind} ${check}`)),
      [['failed connections'], ['recovered connections']],
    )
    assert.ok(smtp.mails.every(({ isEncrypted, login }) => isEncrypted && login === 'gateway'))
  })

  it('are not sent again after a restart, and what waited is sent then', async () => {
    await create('mail', mail())
    await create('webhooks', webhook())
    hookStatus = 503
    load = full
    await looks(4)
    assert.deepEqual([smtp.mails.length, bodies.length], [1, 0])
    const items: { name: string; status: string; msg: string[] }[] = await get('/health/status')
    const item = items.find(({ name }) => name === 'webhook-Chat')
    assert.equal(item?.status, 'failed')
    assert.match(item?.msg.join(' ') ?? '', /status 503.*1 notices wait/)
    gateway = await gateway.restart()
    await begin()
    hookStatus = 200
    await looks(5)
    assert.deepEqual([smtp.mails.length, bodies.length], [1, 1])
    load = quiet
    await looks(5)
    assert.deepEqual([smtp.mails.length, bodies.length], [2, 2])
  })

  it('of one look go together', async () => {
    await create('mail', mail())
    load = { ...full, memory: { totalBytes: 100, availableBytes: 1, swapTotalBytes: 0, swapFreeBytes: 0 } }
    await looks(4)
    assert.equal(smtp.mails.length, 1)
    assert.match(smtp.mails[0]?.data ?? '', /^Subject: .*Failed: Memory and 1 more/m)
  })

  it('that are disabled are not sent, and can be tested', async () => {
    const id = await create('mail', { ...mail(), enabled: false })
    const hook = await create('webhooks', { ...webhook(), enabled: false })
    load = full
    await looks(5)
    assert.deepEqual([smtp.mails.length, bodies.length], [0, 0])
    const tested = await admin('POST', `/health/notifications/mail/${id}/test`)
    assert.deepEqual(tested.body, { is_delivered: true, message: '' })
    assert.deepEqual((await admin('POST', `/health/notifications/webhooks/${hook}/test`)).body.is_delivered, true)
    assert.deepEqual([smtp.mails.length, bodies[0]?.is_test], [1, true])
    await admin('PATCH', `/health/notifications/mail/${id}`, { password: 'another' })
    const refused = await admin('POST', `/health/notifications/mail/${id}/test`)
    assert.deepEqual(refused.body, { is_delivered: false, message: 'The server refuses the login or the password.' })
    await admin('PATCH', `/health/notifications/mail/${id}`, { server: 'unknown.example', password: 'another' })
    assert.match((await admin('POST', `/health/notifications/mail/${id}/test`)).body.message, /cannot be found/)
    assert.equal((await admin('POST', '/health/notifications/mail/none/test')).status, 404)
  })

  it('use new settings at once, and forget a target that was removed', async () => {
    const id = await create('mail', { ...mail(), server: 'unknown.example' })
    load = full
    await looks(4)
    assert.equal(gateway.services.of(healthService).notifier.stateOf(id).waiting, 1)
    await admin('PATCH', `/health/notifications/mail/${id}`, { server: 'mail.test', password: 'secret word' })
    await looks(1)
    assert.equal(smtp.mails.length, 1)
    await admin('DELETE', `/health/notifications/mail/${id}`)
    load = quiet
    await looks(4)
    assert.equal(smtp.mails.length, 1)
  })

  it('do not take a stored password to the server of an attacker', async () => {
    const id = await create('mail', mail())
    const path = `/health/notifications/mail/${id}`
    const moves = [{ server: 'evil.example' }, { port: 26 }, { ca: '' }, { security: 'tls', password: '***' }]
    for (const move of moves) {
      const refused = await admin('PATCH', path, move)
      assert.equal(refused.status, 422, JSON.stringify(move))
      assert.match(refused.text, /"password"/)
    }
    assert.equal((await admin('PATCH', path, { server: 'mail.test', port: mail().port })).status, 200)
    assert.equal((await admin('PATCH', path, { server: 'other.example', password: 'new' })).status, 200)
  })

  it('are tested one at a time: the gateway does not flood who gets them', async () => {
    const id = await create('webhooks', webhook())
    const answers = await Promise.all([0, 1, 2].map(() => admin('POST', `/health/notifications/webhooks/${id}/test`)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 429, 429])
    assert.equal(bodies.length, 1)
  })

  it('keep the password when other fields change', async () => {
    const id = await create('mail', mail())
    const changed = await admin('PATCH', `/health/notifications/mail/${id}`, { title: 'New', password: '***' })
    assert.equal(changed.status, 200, changed.text)
    assert.equal((await admin('POST', `/health/notifications/mail/${id}/test`)).body.is_delivered, true)
  })
})
