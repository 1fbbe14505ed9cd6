import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Random, seed } from '../../../../test/security/random.ts'
import { Clickhouse, withoutLogServer } from '../../../../test/support/clickhouse.ts'
import { answerOf, drawRecords, patientAsker } from '../../../../test/support/log-store-questions.ts'
import { NaiveLogStore } from '../../../../test/support/naive-log-store.ts'
import { until } from '../../../../test/support/until.ts'
import { csvRows } from '../../../core/area/csv.ts'
import { all } from '../../../core/contract/table-query.ts'
import type { NewRecord } from '../../../domain/logs/record.ts'
import type { Question } from '../../../domain/logs/store.ts'
import { verbatim } from '../../../shared/said.ts'
import { logViews } from '../log-views.ts'
import { ServerLogStore } from './server-log-store.ts'
import { type LogServerSettings, readLogServer } from './settings.ts'

const question: Question = {
  view: 'records',
  scope: { timeZone: 'UTC', brand: 'Portcullis' },
  hidden: [],
  where: all(),
  order: [],
  offset: 0,
  limit: 100_000,
}

const record = (message: string, fields: NewRecord['fields'] = {}): NewRecord => ({
  kind: 'system',
  time: 1_790_000_000_000_000,
  priority: 6,
  unit: 'sshd',
  syslogId: 'sshd',
  message,
  fields,
})

const folder = mkdtempSync(join(tmpdir(), 'portcullis-shipper-'))
after(() => rmSync(folder, { recursive: true, force: true }))

interface Opened {
  readonly cursor?: string
  readonly timeLimitMs?: number
  readonly now?: () => number
}

const open = (local: NaiveLogStore, settings: LogServerSettings, { cursor, ...options }: Opened = {}): ServerLogStore =>
  new ServerLogStore({
    settings,
    local,
    views: logViews,
    csv: csvRows,
    cursorFile: join(folder, cursor ?? settings.gateway),
    pauseMs: 10,
    ...options,
  })

describe('records on their way to a log server', { skip: withoutLogServer() }, () => {
  let server: Clickhouse

  before(async () => {
    server = await Clickhouse.start(mkdtempSync(join(folder, 'server-')))
  })
  after(() => server?.close())

  test('arrive once, whenever the server is killed', async () => {
    const random = new Random(seed)
    const local = new NaiveLogStore(logViews)
    const store = open(local, server.settings('killed'))
    for (let round = 0; round < 4; round++) {
      for (let batch = 0; batch < 5; batch++) store.append(drawRecords(random, 2_500))
      const target = (await local.state()).place
      // At another moment each time: before, while and after the records of this round are sent.
      const moment = target - 12_500 + round * 4_000
      await until('some records were sent', () => store.serverState().place >= moment)
      await server.kill()
      await until('the fault is noticed', () => {
        store.append([record(`while the server is away, round ${round}`)])
        return store.serverState().fault !== null
      })
      await server.start()
      await until('everything is sent', async () => {
        await store.flush()
        return store.serverState().place === (await local.state()).place
      })
      assert.equal(store.serverState().fault, null)
    }
    const columns = Object.keys(logViews.records?.columns ?? {})
    const [got, wanted] = [await answerOf(store, question, columns), await answerOf(local, question, columns)]
    assert.equal(got.total, wanted.total)
    assert.ok(got.csv === wanted.csv, 'the same rows in the same order')
    await store.close()
  })

  test('go on where they were after a restart, and without the file that remembers it', async () => {
    const local = new NaiveLogStore(logViews)
    const settings = server.settings('restarted')
    for (const cursor of ['first', 'first', 'lost', 'damaged']) {
      if (cursor === 'damaged') writeFileSync(join(folder, cursor), '{"place": ')
      local.append(drawRecords(new Random(seed), 100))
      const store = open(local, settings, { cursor })
      await store.flush()
      const { total } = await store.find({ ...question, view: 'hits' }, patientAsker)
      assert.equal(total, (await local.find({ ...question, view: 'hits' })).total)
      await store.close()
    }
  })

  test('are not sent another time when the gateway starts on a disk on which its log cannot be opened', async () => {
    const settings = server.settings('unopened')
    const local = new NaiveLogStore(logViews)
    local.append([record('one'), record('two'), record('three')])
    const before = open(local, settings)
    await before.flush()
    await before.close()
    const state = local.state.bind(local)
    local.state = async () => ({ ...(await state()), place: 0, fault: verbatim('The disk is full.') })
    const store = open(local, settings)
    await until('it waits', () => store.serverState().fault !== null)
    local.state = state
    local.append([record('four')])
    await store.flush()
    assert.equal((await store.find(question, patientAsker)).total, 4)
    await store.close()
  })

  test('keep rising places when the local store began again', async () => {
    const settings = server.settings('replaced')
    const first = new NaiveLogStore(logViews)
    first.append([record('one'), record('two'), record('three')])
    const before = open(first, settings)
    await before.flush()
    await before.close()
    const second = new NaiveLogStore(logViews)
    second.append([record('four')])
    const after = open(second, settings)
    await after.flush()
    second.append([record('five'), record('six')])
    await after.flush()
    const texts: string[] = []
    const { total, texts: read } = await after.find(question, patientAsker)
    for await (const { bytes } of read(['id', 'message'])) texts.push(Buffer.from(bytes).toString())
    assert.equal(total, 6)
    assert.deepEqual(
      texts.join('').trim().split('\r\n'),
      ['six', 'five', 'four', 'three', 'two', 'one'].map((message, at) => `system.${6 - at},${message}`),
    )
    await after.close()
  })

  test('are removed when they are older than their kind is kept', async () => {
    const local = new NaiveLogStore(logViews)
    const now = 1_790_000_000_000
    const day = 86_400_000_000
    const store = open(local, server.settings('retention'), { now: () => now })
    const other = open(local, server.settings('another'), { now: () => now })
    local.append([91, 89, 14, 0].map((days) => ({ ...record(`${days} days old`), time: now * 1000 - days * day })))
    await store.flush()
    await other.flush()
    const messages = async (of: ServerLogStore): Promise<number> => (await of.find(question, patientAsker)).total
    await store.removeOld()
    await until('the oldest record is gone', async () => (await messages(store)) === 3)
    store.setLimits({ days: { system: 1 }, maxBytes: 1 })
    await until('all but the newest are gone', async () => (await messages(store)) === 1)
    assert.equal(await messages(other), 4)
    await store.close()
    await other.close()
  })

  test('never become syntax', async () => {
    const hostile = `'; DROP TABLE log_system; -- \\' \\\\ \` " {brand} \u2028 é 😀 \\`
    const local = new NaiveLogStore(logViews)
    const store = open(local, server.settings("quote's"))
    local.append([{ ...record(hostile), unit: hostile, syslogId: hostile }])
    await store.flush()
    for (const text of [hostile, hostile.replace('{brand}', 'Portcullis')]) {
      const wheres: Question['where'][] = [
        { kind: 'equals', column: 'unit', cells: [text] },
        { kind: 'contains', column: 'message', texts: [text.toLowerCase()] },
        { kind: 'compare', column: 'syslog_id', operator: '>=', bound: text },
      ]
      for (const where of wheres) {
        const asked = { ...question, where }
        assert.deepEqual(await answerOf(store, asked, ['message']), await answerOf(local, asked, ['message']))
      }
    }
    assert.notEqual(await server.ask('SELECT count() FROM portcullis.log_system'), '0')
    await store.close()
  })

  test('wait for a server that refuses the password, and the fault says so', async () => {
    const local = new NaiveLogStore(logViews)
    const store = open(local, { ...server.settings('refused'), password: 'another one' })
    local.append([record('one')])
    await store.flush()
    const { fault, waiting } = store.serverState()
    assert.match(fault ?? '', /refused the user or the password of log-server\.json\. Records are kept on the gateway/)
    assert.ok(!fault?.includes('another one'))
    assert.equal(waiting, 1)
    assert.equal((await store.state()).fault, null, 'the gateway keeps them')
    assert.equal((await store.find(question, patientAsker)).total, 1, 'and answers itself')
    await store.close()
  })

  test('wait for a server that hangs, and questions end', async () => {
    const local = new NaiveLogStore(logViews)
    const store = open(local, server.settings('hanging'), { timeLimitMs: 200 })
    local.append([record('one')])
    await store.flush()
    server.signal('SIGSTOP')
    try {
      local.append([record('two')])
      const leaving = new AbortController()
      const asked = store.find(question, { owner: 'leaving', signal: leaving.signal })
      leaving.abort()
      await assert.rejects(asked, { name: 'AbortError' })
      await assert.rejects(store.find(question, patientAsker), {
        code: 'unavailable',
        message: /cannot be reached: it did not answer in time\.$/,
      })
      await until('the fault is noticed', () => store.serverState().fault !== null)
      assert.equal((await store.find(question, patientAsker)).total, 2, 'the gateway answers itself')
    } finally {
      server.signal('SIGCONT')
    }
    await until('the record is there, once', async () => {
      await store.flush()
      return store.serverState().fault === null && (await store.find(question, patientAsker)).total === 2
    })
    await store.close()
  })
})

test('a server that cuts every connection is a fault, and closing does not wait for it', async () => {
  const cutting = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await until('it listens', () => cutting.listening)
  const { port } = cutting.address() as AddressInfo
  const local = new NaiveLogStore(logViews)
  const url = new URL(`http://127.0.0.1:${port}`)
  const settings = { url, database: 'logs', user: 'u', password: 'secret', ca: null, gateway: 'cut' }
  const store = open(local, settings)
  local.append([record('one')])
  await store.flush()
  assert.match(store.serverState().fault ?? '', /cannot be reached: the connection was cut\. Records are kept/)
  await store.close()
  cutting.close()
})

test('the file of the operator is read, or its fault is named', () => {
  const path = join(folder, 'log-server.json')
  assert.equal(readLogServer(join(folder, 'no such file')), null)
  const whole = { url: 'https://logs.example.com:8443', gateway: 'gate-1', user: 'gate', password: 'p' }
  const read = (value: unknown) => {
    writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value))
    return readLogServer(path)
  }
  assert.deepEqual(read(whole), { ...whole, url: new URL(whole.url), database: 'portcullis', ca: null })
  const faults: readonly (readonly [unknown, RegExp])[] = [
    ['{', /not JSON/],
    [[], /needs "url"/],
    [{ ...whole, url: 'file:///etc' }, /needs "url"/],
    [{ ...whole, database: 'a`b' }, /"database"/],
    [{ ...whole, gateway: 'a b' }, /"gateway"/],
    [{ ...whole, user: 'a:b' }, /"user"/],
    [{ ...whole, password: 7 }, /"password"/],
    [{ ...whole, extra: 1 }, /unknown field: "extra"/],
  ]
  for (const [value, message] of faults) {
    const answer = read(value)
    assert.match(answer && 'fault' in answer ? answer.fault : '', message)
  }
})
