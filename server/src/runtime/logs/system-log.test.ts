// The system journal in its table: the same answers as reading every record, whatever is asked; and what is gathered when.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  type Column,
  datePeriods,
  filterOperators,
  type JournalQuery,
  type ReadQuery,
  readJournalQuery,
} from '../../contract/table-query.ts'
import { Database, ReadDatabase } from '../../database/database.ts'
import { findPage, recordsTable } from './log-queries.ts'
import { type LogRow, type LogSource, SystemLog, systemLogMigrations } from './system-log.ts'

const seed = Number(process.env.PORTCULLIS_SEED ?? 20_260_101)

const columns: readonly Column[] = [
  { name: 'id', type: 'String' },
  { name: 'date_time', type: 'UInt64' },
  { name: 'microseconds', type: 'UInt32' },
  { name: 'priority', type: 'UInt8' },
  { name: 'message', type: 'String' },
  { name: 'syslog_id', type: 'String' },
  { name: 'unit', type: 'String' },
]
const names = columns.map(({ name }) => name)
const newestFirst = ['date_time', 'microseconds', 'id'].map((field) => ({ field, direction: 'desc' as const }))

interface Room extends AsyncDisposable {
  readonly log: SystemLog
  readonly reader: ReadDatabase
  readonly source: { rows: LogRow[]; keptFrom: number; isFullReload: boolean; asked: (number | null)[] }
  readonly settings: { kind: string; keptSince: number }
}

function room(): Room {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-system-log-'))
  const database = new Database(join(folder, 'log.db'), undefined, {
    migrations: systemLogMigrations,
    isForgetful: true,
  })
  const source: Room['source'] = { rows: [], keptFrom: 0, isFullReload: false, asked: [] }
  const settings = { kind: 'UTC', keptSince: 0 }
  const numbers: LogSource = {
    name: 'test',
    news: (last, limit) => {
      source.asked.push(last)
      const { isFullReload, keptFrom } = source
      const from = isFullReload ? 0 : (last ?? 0)
      source.isFullReload = false
      const rows = source.rows.map((row, index) => ({ number: index + 1, row }))
      return { rows: rows.filter(({ number }) => number > from).slice(0, limit), keptFrom, isFullReload }
    },
  }
  const log = new SystemLog({
    database,
    kind: () => settings.kind,
    sources: [numbers],
    keptSince: () => settings.keptSince,
    onFault: (error) => assert.fail(String(error)),
  })
  const reader = new ReadDatabase(join(folder, 'log.db'))
  return {
    log,
    reader,
    source,
    settings,
    [Symbol.asyncDispose]: async () => {
      await log.stop()
      reader.close()
      database.close()
      rmSync(folder, { recursive: true })
    },
  }
}

const words = ['TCP', 'tcp', 'Drop', '10.0.0.1', 'ÄÖ', 'äö', 'İx', 'ß', '🙂', '%', '_', "'", '"', '', ' ', '-1', 'a\tb']
const word = fc.constantFrom(...words)
const message = fc.array(word, { maxLength: 4 }).map((parts) => parts.join(' '))
const rowsOf = fc.array(
  fc.record(
    {
      date_time: fc.constantFrom(20_251_231_235_959, 20_260_101_000_000, 20_260_101_003_000, 20_260_102_120_000),
      microseconds: fc.constantFrom(0, 1_000, 999_000),
      priority: fc.nat(7),
      message,
      syslog_id: fc.constantFrom('gatewayd', 'Portcullis-nflog'),
      unit: fc.constantFrom('portcullis-gatewayd', 'portcullis-nflog'),
    },
    { noNullPrototype: true },
  ),
  { maxLength: 60 },
)

const value = fc.oneof(
  word,
  fc.nat(8),
  fc.boolean(),
  fc.constantFrom('20260101000000', '6', 'nflog', 'test.1', '1', ...datePeriods),
)
const item = fc.record({
  column_name: fc.constantFrom(...names),
  operator: fc.constantFrom(...filterOperators),
  value: fc.array(value, { maxLength: 3 }),
})
const queries = fc.record(
  {
    limit: fc.integer({ min: 1, max: 20 }),
    offset: fc.nat(10),
    sort: fc.array(fc.record({ field: fc.constantFrom(...names), direction: fc.constantFrom('asc', 'desc') }), {
      maxLength: 3,
    }),
    search: fc.array(
      fc.record({
        text: word,
        columns: fc.oneof(
          fc.constantFrom(...names),
          fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }),
        ),
      }),
      { maxLength: 2 },
    ),
    filter: fc.array(
      fc.record(
        { items: fc.array(item, { maxLength: 3 }), link_operator: fc.constantFrom('and', 'or') },
        { requiredKeys: ['items'] },
      ),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<JournalQuery>

describe('the system journal in its table', () => {
  it('answers every query as reading all records would', async () => {
    let compared = 0
    await fc.assert(
      fc.asyncProperty(rowsOf, fc.array(queries, { minLength: 20, maxLength: 20 }), async (made, asked) => {
        await using held = room()
        const rows = made.map((row, index): LogRow => ({ id: `test.${index + 1}`, ...row }))
        held.source.rows = rows
        for (const query of asked) {
          const read = readOrNull(query)
          if (read === null) continue
          const matching = rows.filter(read.matches).sort(read.compare)
          const [offset, limit] = [query.offset ?? 0, query.limit ?? 10_000]
          const expected = { data: matching.slice(offset, offset + limit), total: matching.length }
          assert.deepEqual(plain(await find(held, read, query)), expected)
          compared++
        }
      }),
      { seed, numRuns: 60 },
    )
    assert.ok(compared > 300, `only ${compared} queries were good ones`)
  })

  it('gathers each record once, and what its source no longer has leaves', async () => {
    await using held = room()
    held.source.rows = many(1_200)
    assert.equal(await total(held), 1_200)
    held.source.rows = many(1_201)
    assert.equal(await total(held), 1_201)
    assert.deepEqual(held.source.asked, [null, 500, 1_000, 1_200])
    held.source.keptFrom = 201
    assert.equal(await total(held), 1_001)
  })

  it('forgets what a source wrote before it began again', async () => {
    await using held = room()
    held.source.rows = many(10)
    assert.equal(await total(held), 10)
    held.source.rows = many(3)
    held.source.isFullReload = true
    assert.equal(await total(held), 3)
  })

  it('gathers all of it again when the clock shows the time of another zone', async () => {
    await using held = room()
    held.source.rows = many(3)
    await held.log.refresh()
    held.settings.kind = 'Asia/Tokyo'
    await held.log.refresh()
    assert.deepEqual(held.source.asked, [null, null])
    assert.equal(await total(held), 3)
  })

  it('keeps nothing that is older than it must be', async () => {
    await using held = room()
    held.source.rows = many(10)
    held.settings.keptSince = 20_260_101_000_005
    assert.equal(await total(held), 5)
    assert.equal(await total(held), 5)
  })

  it('leaves out a source that is hidden, also of the number of records', async () => {
    await using held = room()
    held.source.rows = many(10)
    const read = readJournalQuery(columns, {}, newestFirst, 0)
    assert.deepEqual(await find(held, read, {}, 'test'), { data: [], total: 0 })
    assert.equal((await find(held, read, {}, 'other')).total, 10)
  })

  it('lets others have their turn while it gathers and removes many records', async () => {
    await using held = room()
    held.source.rows = many(20_000)
    let turns = 0
    let isDone = false
    const takeTurn = (): void => {
      turns++
      if (!isDone) setImmediate(takeTurn)
    }
    setImmediate(takeTurn)
    await held.log.refresh()
    assert.ok(turns >= 200, `${turns} turns while it gathered`)
    const before = turns
    held.source.keptFrom = 20_000
    await held.log.refresh()
    isDone = true
    assert.ok(turns - before >= 39, `${turns - before} turns while it removed`)
    assert.equal(await total(held), 1)
  })
})

const many = (count: number): LogRow[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `test.${index + 1}`,
    date_time: 20_260_101_000_000 + index,
    microseconds: 0,
    priority: 6,
    message: `Record ${index}`,
    syslog_id: 'test',
    unit: 'portcullis-test',
  }))

async function find({ log, reader }: Room, { where, order }: ReadQuery, query: JournalQuery, hiddenSource?: string) {
  await log.refresh()
  const question = {
    scope: hiddenSource === undefined ? {} : { hiddenSource },
    where,
    order: query.sort ? order : [],
    offset: query.offset ?? 0,
    limit: query.limit ?? 10_000,
  }
  const { places, total: all } = findPage(reader, recordsTable, question)
  return { data: places.map((place) => recordsTable.show(reader, {}, place)), total: all }
}

const total = async (held: Room): Promise<number> =>
  (await find(held, readJournalQuery(columns, {}, newestFirst, 0), {})).total

const plain = (value: object): unknown => JSON.parse(JSON.stringify(value))

/** Null when the query is refused. */
function readOrNull(query: JournalQuery) {
  try {
    return readJournalQuery(columns, query, newestFirst, Date.UTC(2026, 0, 1, 0, 40) / 1000)
  } catch {
    return null
  }
}
