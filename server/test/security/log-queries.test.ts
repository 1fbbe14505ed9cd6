// Queries over logs cost others nothing: they have few conditions, run in another thread, end with their client or with their
// time, and take turns. And a role that may not read the audit trail does not find it by another way.
// Requirements 12, 20 and 35.

import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { logsService, refreshLogsService } from '../../src/areas/logs/service.ts'
import { mayUse, roleIds } from '../../src/core/contract/access.ts'
import { type Endpoint, nameOf } from '../../src/core/contract/endpoint.ts'
import { maxConditions, maxOffset, maxRows } from '../../src/core/contract/table-query.ts'
import type { Question } from '../../src/domain/logs/store.ts'
import { endpoints, fillPath } from '../contract/contract.ts'
import { createStoredLogs } from '../support/stored-logs.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const json = (value: unknown): string => encodeURIComponent(JSON.stringify(value))

const startSeconds = Math.floor(Date.now() / 1000) - 86_400

const line = (index: number): string =>
  `${JSON.stringify({
    'oob.prefix': 'FWD 2 drop ',
    'oob.in': 'lan0',
    'oob.out': 'wan0',
    // Older records are not kept, by the clock of the machine.
    'oob.time.sec': startSeconds + index,
    'ip.protocol': 6,
    'ip.totlen': 60,
    src_ip: '10.10.0.7',
    src_port: 1_024 + (index % 60_000),
    dest_ip: '203.0.113.9',
    dest_port: 443,
  })}\n`

async function addHits({ folder, services }: TestGateway, from: number, count: number): Promise<void> {
  const lines = Array.from({ length: count }, (_, index) => line(from + index))
  appendFileSync(join(folder, 'hits.json'), lines.join(''))
  await services.of(refreshLogsService)()
}

const texts = (count: number): string[] => Array.from({ length: count }, (_, index) => `~${index % 10}`)
const without = (column_name: string, count: number) => ({
  column_name,
  operator: 'not_contains_any',
  value: texts(count),
})

const reads = endpoints.filter(({ method, access }) => method === 'GET' && access !== 'public')
const takes = (name: string) => reads.filter(({ query }) => name in query.properties)

/** A column of the filter or sort of an endpoint. */
function columnOf({ query }: Endpoint, name: 'filter' | 'sort', field: string): string {
  const found = JSON.stringify(query.properties[name]).match(new RegExp(`"${field}":\\{[^}]*?"enum":\\["(\\w+)"`))
  assert.ok(found?.[1], name)
  return found[1]
}

describe('H2: a log query', () => {
  let folder: string
  let gateway: TestGateway
  let viewer: Client
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-queries-'))
    gateway = await createTestGateway({ folder, parts: { logs: createStoredLogs(folder) } })
    viewer = await gateway.client('predefined_reports_view')
  })
  after(() => gateway.close())

  it('with more conditions than it may have, a wild offset or a long sort is refused, on every endpoint', async () => {
    const admin = await gateway.client('predefined_admin_write')
    // What the report is of has to be said.
    const kinds: Readonly<Record<string, string>> = {
      '/web_traffic/top': 'kind=sites&',
      '/security_events/top': 'kind=rules&',
    }
    const needed = (path: string): string => kinds[path] ?? ''
    const ask = (endpoint: Endpoint, query: string) =>
      admin('GET', `${fillPath(endpoint.path)}?${needed(endpoint.path)}${query}`)
    assert.ok(takes('filter').length >= 4 && takes('offset').length >= 8 && takes('sort').length >= 5)
    for (const endpoint of takes('filter')) {
      const column = columnOf(endpoint, 'filter', 'column_name')
      const many = Array.from({ length: 16 }, () => without(column, 100))
      const refused = await ask(endpoint, `filter=${json([{ items: many }])}`)
      assert.equal(refused.status, 422, endpoint.path)
      assert.deepEqual(
        refused.body.problems.map(({ field }: { field: string }) => field),
        ['filter[0]'],
      )
      const legal = await ask(endpoint, `filter=${json([{ items: [without(column, maxConditions)] }])}`)
      assert.equal(legal.status, 200, legal.text)
    }
    for (const endpoint of takes('offset')) {
      assert.equal((await ask(endpoint, 'offset=900000000000')).status, 422, endpoint.path)
      assert.notEqual((await ask(endpoint, `offset=${maxOffset}`)).status, 422, endpoint.path)
    }
    for (const endpoint of takes('sort')) {
      const field = columnOf(endpoint, 'sort', 'field')
      const sort = Array.from({ length: 14 }, () => ({ field, direction: 'asc' }))
      assert.equal((await ask(endpoint, `sort=${json(sort)}`)).status, 422, endpoint.path)
    }
  })

  it('takes no time of the event loop that grows with the records or the conditions', async () => {
    const admin = await gateway.client('predefined_admin_write')
    const cost = async (path: string): Promise<number> => {
      const before = process.threadCpuUsage()
      assert.equal((await admin('GET', path)).status, 200)
      const { user, system } = process.threadCpuUsage(before)
      return user + system
    }
    const filter = json([{ items: [without('message', maxConditions)] }])
    const sort = json(['message', 'id', 'unit', 'syslog_id'].map((field) => ({ field, direction: 'asc' })))
    const hostile = [
      `/logs_backend/logs?limit=1&filter=${filter}`,
      `/logs_backend/logs?limit=1&offset=100000&sort=${sort}`,
      `/reports/report/firewall/journal?limit=1&filter=${json([{ items: [without('src_ip', maxConditions)] }])}`,
      '/firewall/log?limit=1&source_ip=10.0.0.1&offset=100000',
    ]
    const measure = async (): Promise<number[]> => {
      const all: number[] = []
      for (const path of hostile) {
        const costs: number[] = []
        for (let time = 0; time < 3; time++) costs.push(await cost(path))
        all.push(Math.min(...costs))
      }
      return all
    }
    await addHits(gateway, 0, 1_000)
    await measure()
    const few = await measure()
    await addHits(gateway, 1_000, 24_000)
    const many = await measure()
    // 25 times the records. A handful of milliseconds is what any request may differ by.
    many.forEach((one, index) => {
      assert.ok(one < 3 * (few[index] ?? 0) + 10_000, `${hostile[index]}: ${few[index]} us, then ${one} us`)
    })
  })

  it('returns at most ten thousand rows, in pieces, and all of them as CSV', async () => {
    const { body } = await viewer('GET', '/logs_backend/logs?offset=3')
    assert.deepEqual([body.rows, body.data.length], [maxRows, maxRows])
    assert.ok(body.rows_before_limit_at_least > 24_000)
    assert.equal(new Set(body.data.map(({ id }: { id: string }) => id)).size, maxRows)
    const csv = (await viewer('GET', '/logs_backend/logs?format_type=CSV')).text
    const lines = csv.trimEnd().split('\r\n').length
    assert.ok(lines > body.rows_before_limit_at_least, `CSV without a limit has all rows, not ${lines}`)
    // More often than one administrator may ask at once: a query that is refused gives its place back.
    for (let time = 0; time < 5; time++) {
      const sorted = `format_type=CSV&sort=${json([{ field: 'src_ip', direction: 'asc' }])}`
      const refused = await viewer('GET', `/reports/report/firewall/journal?${sorted}`)
      assert.deepEqual([refused.status, refused.body.problems?.[0]?.field], [422, 'sort'])
    }
    const traffic = (await viewer('GET', '/reports/report/firewall/journal')).body
    assert.deepEqual([traffic.rows, traffic.data.length], [maxRows, maxRows])
  })

  const everything: Question = {
    view: 'hits',
    hidden: [],
    scope: { timeZone: 'UTC', brand: '' },
    where: { kind: 'all', of: [] },
    order: [],
    offset: 0,
    limit: 10,
  }

  it('ends when it takes too long, with a clear message, and when its client leaves', async () => {
    const logs = createStoredLogs(mkdtempSync(join(tmpdir(), 'portcullis-queries-')), 1)
    await logs.flush()
    const asker = { owner: 'a', signal: new AbortController().signal }
    await assert.rejects(logs.find(everything, asker), {
      code: 'unavailable',
      message: /took longer than .* Ask for less at once/,
    })
    const client = new AbortController()
    const left = logs.find(everything, { owner: 'a', signal: client.signal })
    client.abort()
    await assert.rejects(left, { code: 'unavailable' })
    await logs.close()
  })

  it('has a few places per administrator, so that one cannot keep another waiting', async () => {
    const ask = (owner: string) =>
      gateway.services.of(logsService).find(everything, { owner, signal: new AbortController().signal })
    const greedy = Array.from({ length: 17 }, () => ask('greedy'))
    const outcomes = greedy.map((one) =>
      one.then(
        () => 'found',
        (error: { code: string }) => error.code,
      ),
    )
    assert.equal(await outcomes[16], 'unavailable')
    // The first four are not read to their end, so the others wait; another owner does not.
    assert.deepEqual(await Promise.all(outcomes.slice(0, 4)), ['found', 'found', 'found', 'found'])
    const other = await ask('modest')
    assert.equal(other.total, 25_000)
    for (const one of greedy.slice(0, 16)) {
      let bytes = 0
      for await (const piece of (await one).texts(null)) bytes += piece.bytes.length
      assert.ok(bytes > 0)
    }
    for await (const _ of other.texts(null));
  })
})

describe('M3: a role without the right to the audit trail', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await createTestGateway()
  })
  after(() => gateway.close())

  const tracer = 'tracer5f2c'
  it('does not see a record of it in any reply', async () => {
    const admin = await gateway.client('predefined_admin_write')
    assert.equal((await admin('PATCH', '/firewall/settings', { [tracer]: 1 })).status, 422)
    gateway.services.audit.noteOwn(tracer, 'ok', `A message with ${tracer}.`)
    gateway.services.audit.flush()
    const seenBy = new Map<string, string[]>()
    for (const role of roleIds) {
      const client = await gateway.client(role)
      const seen: string[] = []
      for (const endpoint of reads) {
        const path = fillPath(endpoint.path, '1')
        const page = 'limit' in endpoint.query.properties ? '?limit=10000' : '?'
        for (const form of ['', ...('format_type' in endpoint.query.properties ? ['&format_type=CSV'] : [])]) {
          const { text } = await client('GET', path + page + form)
          if (text.includes(tracer)) seen.push(nameOf(endpoint))
        }
      }
      seenBy.set(role, [...new Set(seen)])
      // What is hidden can be neither counted nor searched.
      if (mayUse(role, 'audit')) continue
      const filter = json([{ items: [{ column_name: 'message', operator: 'contains', value: [tracer] }] }])
      const { body } = await client('GET', `/logs_backend/logs?limit=10&filter=${filter}`)
      assert.deepEqual([body.rows, body.rows_before_limit_at_least], [0, 0], role)
    }
    for (const [role, seen] of seenBy) {
      const isAllowed = mayUse(role as (typeof roleIds)[number], 'audit')
      assert.deepEqual(seen, isAllowed ? ['GET /logs_backend/logs', 'GET /journal/records'].sort(byPlace) : [], role)
    }
  })

  const places = new Map(endpoints.map((endpoint, index) => [nameOf(endpoint), index]))
  const byPlace = (a: string, b: string): number => (places.get(a) ?? 0) - (places.get(b) ?? 0)
})
