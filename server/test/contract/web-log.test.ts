// The web traffic journal and its reports: from lines of the access log to answers, and sums against a count by hand.

import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Random, seed } from '../security/random.ts'
import { createStoredLogs } from '../support/stored-logs.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { webLine } from '../support/web-lines.ts'

describe('web traffic', () => {
  let folder = ''
  let gateway: TestGateway
  let admin: Client
  /** Unix seconds. */
  let now = 0
  const random = new Random(seed)
  const hosts = ['news.test', 'shop.test', 'mail.test', 'video.test']
  const cats = ['users.id.1', 'extended.id.1,extended.id.12', '-']
  const written: { at: number; host: string; user: string; cat: string; out: number; ms: number; denied: boolean }[] =
    []

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-web-log-'))
    mkdirSync(join(folder, 'log'))
    gateway = await createTestGateway({ parts: { logs: createStoredLogs(folder) } })
    admin = await gateway.client('predefined_admin_write')
    // The log removes what is old by the clock of the machine.
    now = Math.floor(Date.now() / 1000)
    const lines = Array.from({ length: 600 }, (_, index) => {
      const request = {
        at: now - 1 - random.below(20 * 3_600),
        host: random.pick(hosts),
        user: random.pick(['ada', 'bob', '-']),
        cat: random.pick(cats),
        out: random.below(100_000),
        ms: random.below(5_000),
        denied: random.chance(0.2),
      }
      written.push(request)
      const { at, host, user, cat, out, ms, denied } = request
      const judged = denied ? { v: 'deny', st: 403, rule: '9' } : { v: 'allow', rule: '-', why: 'default' }
      return webLine({ t: at, u: `http://${host}/p${index}`, user, cat, out, ms, ...judged })
    })
    appendFileSync(join(folder, 'log', 'web-access.log'), lines.join(''))
  })
  after(async () => {
    await gateway.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const get = async (path: string, query: object = {}) => {
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]) => [
        name,
        typeof value === 'object' ? JSON.stringify(value) : String(value),
      ]),
    )
    const answer = await admin('GET', `${path}?${search}`)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }
  const equals = (column_name: string, ...value: string[]) => [{ items: [{ column_name, operator: 'equals', value }] }]

  it('is in the journal, each request once', async () => {
    const { data, rows_before_limit_at_least: total } = await get('/web_traffic/journal', { limit: 1_000 })
    assert.equal(total, written.length)
    assert.equal(new Set(data.map(({ url }: { url: string }) => url)).size, written.length)
    const [first] = (await get('/web_traffic/journal', { filter: equals('result', 'denied'), limit: 1 })).data
    assert.deepEqual([first.result, first.reason, first.rule_id, first.status], ['denied', 'rule', 9, 403])
    const csv = await admin('GET', '/web_traffic/journal?format_type=CSV')
    assert.equal(csv.text.trimEnd().split('\n').length, written.length + 1)
  })

  it('is found by one of its categories, and not by the beginning of another', async () => {
    const count = async (...ids: string[]) =>
      (await get('/web_traffic/journal', { filter: equals('categories', ...ids), limit: 1 })).rows_before_limit_at_least
    const having = (part: string): number => written.filter(({ cat }) => cat.split(',').includes(part)).length
    for (const id of ['users.id.1', 'extended.id.1', 'extended.id.12']) assert.equal(await count(id), having(id))
    assert.equal(await count(''), having('-'))
    assert.equal(await count('', 'users.id.1'), having('-') + having('users.id.1'))
  })

  it('has top sites, users and categories as counted by hand', async () => {
    const keys = {
      sites: ({ host }: (typeof written)[number]) => [host],
      users: ({ user }: (typeof written)[number]) => [user === '-' ? '' : user],
      categories: ({ cat }: (typeof written)[number]) => (cat === '-' ? [''] : cat.split(',')),
    }
    for (const [kind, keysOf] of Object.entries(keys))
      for (const by of ['requests', 'bytes', 'time'] as const) {
        const from = now - 10 * 3_600
        const filter = equals('result', 'allowed')
        const { data, total, complete } = await get('/web_traffic/top', { kind, by, from, until: now, filter })
        const those = written.filter(({ at, denied }) => at >= from && !denied)
        const values = [...new Set(those.flatMap(keysOf))]
        const rows = values.map((value) => {
          const own = those.filter((one) => keysOf(one).includes(value))
          const bytes_received = own.reduce((sum, { out }) => sum + out, 0)
          const duration_ms = own.reduce((sum, { ms }) => sum + ms, 0)
          return { value, requests: own.length, bytes_sent: own.length * 119, bytes_received, duration_ms }
        })
        const size = { requests: 'requests', bytes: 'bytes_received', time: 'duration_ms' } as const
        rows.sort((a, b) => b[size[by]] - a[size[by]] || (a.value < b.value ? -1 : 1))
        assert.deepEqual(data, rows, `${kind} by ${by}`)
        assert.equal(total.requests, those.length)
        assert.equal(complete, true)
      }
  })

  it('has a timeline without gaps whose sum is the total', async () => {
    const steps = await get('/web_traffic/timeline', { from: now - 86_400, until: now, step: 'hour' })
    assert.ok(steps.length >= 24 && steps.length <= 25, `${steps.length}`)
    const sum = (name: string): number =>
      steps.reduce((all: number, step: Record<string, number>) => all + (step[name] ?? 0), 0)
    assert.equal(sum('requests'), written.length)
    assert.equal(sum('denied'), written.filter(({ denied }) => denied).length)
    for (const { from, requests } of steps)
      assert.equal(
        requests,
        written.filter(({ at }) => at >= from && at < Math.floor(from / 3_600) * 3_600 + 3_600).length,
      )
  })

  it('refuses periods that are too long or end before they begin', async () => {
    for (const [query, field] of [
      ['from=10&until=5', 'until'],
      [`from=0&until=${now}&step=hour`, 'step'],
    ]) {
      const { status, body } = await admin('GET', `/web_traffic/timeline?${query}`)
      assert.deepEqual([status, body.problems[0].field], [422, field])
    }
  })
})
