// What the interface offers beyond queries of the system journal: records after one that is known, counts by time, a live tail,
// retention and the state of the store.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { logsService } from '../../src/areas/logs/service.ts'
import { logKindNames, logKinds } from '../../src/domain/logs/kinds.ts'
import type { NewRecord } from '../../src/domain/logs/record.ts'
import type { LogLimits } from '../../src/domain/logs/store.ts'
import { logViews } from '../../src/gatewayd/logs/log-views.ts'
import { createTlsGateway, openTls, type TlsGateway } from '../security/tls-gateway.ts'
import { NaiveLogStore } from '../support/naive-log-store.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { until } from '../support/until.ts'

const json = (value: unknown): string => encodeURIComponent(JSON.stringify(value))
const where = (column_name: string, operator: string, ...value: unknown[]): string =>
  `filter=${json([{ items: [{ column_name, operator, value }] }])}`

const first = Date.UTC(2026, 5, 1) / 1000
const recordOf = (index: number): NewRecord => ({
  kind: index % 10 === 9 ? 'administration' : 'system',
  time: (first + index * 60) * 1_000_000 + index,
  priority: index % 2 === 0 ? 6 : 3,
  unit: '{brand}-dns-backend',
  syslogId: 'dns',
  message: `line ${index}`,
  fields: {},
})

const numbersOf = (rows: readonly { message: string }[]): number[] =>
  rows.flatMap(({ message }) => (message.startsWith('line ') ? [Number(message.slice(5))] : []))

describe('the log store', () => {
  let gateway: TestGateway
  let admin: Client
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
    gateway.services.of(logsService).append(Array.from({ length: 120 }, (_, index) => recordOf(index)))
  })
  after(() => gateway.close())

  it('gives what came after a record, oldest first', async () => {
    const ask = async (query: string) => (await admin('GET', `/logs_backend/logs?${query}`)).body
    const onlyLines = where('syslog_id', 'equals', 'dns')
    const all = await ask(`${onlyLines}&limit=1000`)
    const known = all.data.find(({ message }: { message: string }) => message === 'line 99')
    const news = await ask(`${onlyLines}&after=${known.id}`)
    assert.deepEqual(
      numbersOf(news.data),
      Array.from({ length: 20 }, (_, index) => 100 + index),
    )
    const page = await ask(`${onlyLines}&after=${known.id}&limit=5`)
    assert.deepEqual(numbersOf(page.data), [100, 101, 102, 103, 104])
    assert.deepEqual(numbersOf((await ask(`${onlyLines}&after=${page.data.at(-1).id}&limit=2`)).data), [105, 106])
    for (const extra of [`sort=${json([{ field: 'id', direction: 'asc' }])}`, 'offset=1', 'format_type=CSV'])
      assert.equal((await admin('GET', `/logs_backend/logs?after=${known.id}&${extra}`)).status, 422, extra)
    assert.equal((await admin('GET', '/logs_backend/logs?after=x')).status, 422)
  })

  it('counts records by time, and by the values of a column', async () => {
    const ask = (query: string) => admin('GET', `/logs_backend/logs/buckets?${query}`)
    const range = `from=${first}&until=${first + 7200}&width=3600`
    const plain = await ask(`${range}&${where('syslog_id', 'equals', 'dns')}`)
    assert.equal(plain.status, 200, plain.text)
    assert.deepEqual(plain.body, [
      { from: first, counts: [{ value: '', records: 60 }] },
      { from: first + 3600, counts: [{ value: '', records: 60 }] },
    ])
    const byPriority = (await ask(`${range}&by=priority&${where('syslog_id', 'equals', 'dns')}`)).body
    assert.deepEqual(byPriority[0].counts, [
      { value: '3', records: 30 },
      { value: '6', records: 30 },
    ])
    const reader = await gateway.client('predefined_firewall_admin')
    const hidden = (await reader('GET', `/logs_backend/logs/buckets?${range}&${where('syslog_id', 'equals', 'dns')}`))
      .body
    assert.equal(hidden[0].counts[0].records, 54, 'without records of the audit trail')
    assert.equal((await ask(`from=${first}&until=${first}&width=60`)).status, 422)
    assert.equal((await ask(`from=0&until=${first}&width=60`)).status, 422, 'too many buckets')
    assert.equal((await ask(`${range}&by=message`)).status, 422)
  })

  it('comes as CSV without a limit as a whole', async () => {
    gateway.services.of(logsService).append(Array.from({ length: 12_000 }, (_, index) => recordOf(1_000 + index)))
    const { text } = await admin('GET', `/logs_backend/logs?format_type=CSV&${where('syslog_id', 'equals', 'dns')}`)
    assert.equal(text.trimEnd().split('\r\n').length, 12_121)
    const page = await admin('GET', `/logs_backend/logs?format_type=CSV&limit=7`)
    assert.equal(page.text.trimEnd().split('\r\n').length, 8)
  })

  it('refuses sorted CSV that would end before its last record', async () => {
    const sort = `sort=${json([{ field: 'message', direction: 'asc' }])}`
    const lines = where('syslog_id', 'equals', 'dns')
    const { status, body } = await admin('GET', `/logs_backend/logs?format_type=CSV&${sort}&${lines}`)
    assert.equal(status, 422)
    assert.equal(body.problems[0].field, 'sort')
    assert.match(body.problems[0].message, /at most 10,000 rows, and 12,120 match/)
    const rows = async (query: string): Promise<number> =>
      (await admin('GET', `/logs_backend/logs?format_type=CSV&${sort}&${query}`)).text.trimEnd().split('\r\n').length
    assert.equal(await rows(`${lines}&limit=5`), 6)
    assert.equal(await rows(`${where('message', 'equals', 'line 7')}`), 2)
  })

  it('says what it keeps, and for how long', async () => {
    const active = [{ name: 'portcullis-logs-syncer', status: 'active', msg: [] }]
    assert.deepEqual((await admin('GET', '/logs_backend/status')).body, active)
    const { status, body } = await admin('GET', '/logs_backend/usage')
    assert.equal(status, 200)
    assert.equal(body.lost, 0)
    assert.deepEqual(
      body.kinds.map(({ kind, days }: { kind: string; days: number }) => [kind, days]),
      logKindNames.map((kind) => [kind, logKinds[kind].days]),
    )
  })
})

describe('a log store that keeps nothing', () => {
  it('says so in its status, with what was lost', async () => {
    const fault = 'The disk is full: no log records are kept. Free some room.'
    const store = new NaiveLogStore(logViews)
    const working = store.state
    const state = async () => ({ ...(await working()), fault, lost: 7 })
    const gateway = await createTestGateway({ parts: { logs: Object.assign(store, { state }) } })
    const admin = await gateway.client('predefined_admin_write')
    assert.deepEqual((await admin('GET', '/logs_backend/status')).body, [
      { name: 'portcullis-logs-syncer', status: 'failed', msg: [fault, '7 records were lost since the start.'] },
    ])
    assert.equal((await admin('POST', '/aliases/zones', { title: 'a zone' })).status, 200, 'the gateway goes on')
    await gateway.close()
  })
})

describe('the retention of logs', () => {
  it('is as the specification says at first, and what is set holds at once', async () => {
    const limits: LogLimits[] = []
    const logs = Object.assign(new NaiveLogStore(logViews), { setLimits: (set: LogLimits) => void limits.push(set) })
    const gateway = await createTestGateway({ parts: { logs } })
    const admin = await gateway.client('predefined_admin_write')
    const initial = (await admin('GET', '/logs_backend/retention')).body
    assert.deepEqual([initial.system_days, initial.brief_days, initial.administration_days], [90, 14, 365])
    assert.equal(initial.max_size_mb, null)
    assert.equal(limits.at(-1)?.maxBytes, 15 * 1024 ** 3)
    assert.equal((await admin('PATCH', '/logs_backend/retention', { web_days: 7, max_size_mb: 100 })).status, 200)
    assert.equal(limits.at(-1)?.days.web, 7)
    assert.equal(limits.at(-1)?.maxBytes, 100 * 1024 ** 2)
    const told = limits.length
    assert.equal((await admin('POST', '/aliases/zones', { title: 'another zone' })).status, 200)
    assert.equal(limits.length, told, 'a change of something else wakes no thread')
    for (const body of [{ web_days: 0 }, { web_days: 4_000 }, { max_size_mb: 1 }, { never_days: 1 }])
      assert.equal((await admin('PATCH', '/logs_backend/retention', body)).status, 422)
    assert.equal((await admin('GET', '/logs_backend/usage')).body.kinds[6].days, 7)
    await gateway.close()
  })
})

describe('the live tail of the log', () => {
  let target: TlsGateway
  const clients: { close(): void }[] = []
  before(async () => {
    target = await createTlsGateway(() => {}, { parts: { streamLimits: { lifeMilliseconds: 3_600_000 } } })
  })
  after(async () => {
    for (const client of clients) client.close()
    await target.close()
  })

  async function tail(client: Client, query = '', headers: readonly string[] = []) {
    const socket = await openTls(target)
    let text = ''
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    socket.on('error', () => {})
    const request = [`GET /logs_backend/logs/tail?${query} HTTP/1.1`, 'Host: localhost', `Cookie: ${client.cookie}`]
    socket.write([...request, ...headers, '', ''].join('\r\n'))
    await until('the reply has begun', () => text.includes('retry:'))
    const opened = {
      socket,
      events: (name: string) =>
        [...text.matchAll(/^event: (\w+)\n(?:id: (\d+)\n)?data: (.*)\n\n/gm)]
          .filter(([, event]) => event === name)
          .map(([, , id, data = '']) => ({ id, data: JSON.parse(data) })),
      lines: () => numbersOf(opened.events('records').flatMap(({ data }) => data)),
      close: () => socket.destroy(),
    }
    clients.push(opened)
    return opened
  }

  /** The tail begins with what comes after it was asked for, so that is waited for with records of its own. */
  async function isFollowing(opened: Awaited<ReturnType<typeof tail>>, number: number): Promise<void> {
    await until('the tail follows', () => {
      target.gateway.services.of(logsService).append([recordOf(number)])
      return opened.lines().includes(number)
    })
  }

  it('has the records that match as they come, with those of the audit trail for who may read it', async () => {
    const logs = target.gateway.services.of(logsService)
    const admin = await target.gateway.client('predefined_admin_write')
    const limited = await target.gateway.client('predefined_firewall_admin')
    const onlyLines = where('syslog_id', 'equals', 'dns')
    const errors = await tail(admin, `${onlyLines}&search=${json([{ text: '3', columns: ['priority'] }])}`)
    const all = await tail(admin, onlyLines)
    const without = await tail(limited, onlyLines)
    await isFollowing(errors, 1)
    await isFollowing(all, 2)
    await isFollowing(without, 2)
    logs.append(Array.from({ length: 20 }, (_, index) => recordOf(100 + index)))
    const after100 = (lines: readonly number[]) => lines.filter((number) => number >= 100)
    const wanted = Array.from({ length: 20 }, (_, index) => 100 + index)
    await until('all have come', () => all.lines().includes(119))
    assert.deepEqual(after100(all.lines()), wanted)
    await until('the last error has come', () => errors.lines().includes(119))
    assert.deepEqual(
      after100(errors.lines()),
      wanted.filter((number) => number % 2 === 1),
    )
    await until('the last that may be read has come', () => without.lines().includes(118))
    assert.deepEqual(
      after100(without.lines()),
      wanted.filter((number) => number % 10 !== 9),
    )
  })

  it('goes on where a client was', async () => {
    const logs = target.gateway.services.of(logsService)
    const admin = await target.gateway.client('predefined_admin_write')
    const onlyLines = where('syslog_id', 'equals', 'dns')
    const before = await tail(admin, onlyLines)
    await isFollowing(before, 3)
    const last = before.events('records').at(-1)?.id
    before.close()
    logs.append([recordOf(200), recordOf(201)])
    const again = await tail(admin, onlyLines, [`Last-Event-ID: ${last}`])
    await until('what was missed has come', () => again.lines().includes(201))
    assert.deepEqual(
      again.lines().filter((number) => number >= 200),
      [200, 201],
    )
    const byId = await tail(admin, `${onlyLines}&after=system.${last}`)
    await until('the same by the id of a record', () => byId.lines().includes(201))
  })

  it('refuses a filter that is wrong before it begins', async () => {
    const admin = await target.gateway.client('predefined_admin_write')
    assert.equal((await admin('GET', `/logs_backend/logs/tail?${where('nope', 'equals', 1)}`)).status, 422)
  })
})
