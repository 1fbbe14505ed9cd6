// The tables of logs.db. Newest records are in batches, one for each commit and kind; older ones in blocks.
import type { Database, DatabaseKind, ReadDatabase } from '../../../core/database/database.ts'
import type { Migration } from '../../../core/database/migrations.ts'
import { type LogKindName, logKindNames } from '../../../domain/logs/kinds.ts'
import type { KeptRecord } from '../../../domain/logs/record.ts'
import { boundsOf } from './block.ts'
import type { Batch } from './kept.ts'
import { type BlockRow, firstKeyOf, type PackedBlock } from './packed-block.ts'

/** A step is never edited once released. */
const migrations: readonly Migration[] = [
  {
    title: 'batches, blocks and how far sources were read',
    statements: [
      `CREATE TABLE batches (
        id INTEGER PRIMARY KEY, kind TEXT NOT NULL, records INTEGER NOT NULL, oldest INTEGER NOT NULL,
        newest INTEGER NOT NULL, body TEXT NOT NULL
      )`,
      'CREATE INDEX batches_by_kind ON batches (kind, id, records, oldest, newest)',
      // Places and times of a block, and what its columns were when it was made. A number is never used again, because readers
      // know a block by it.
      `CREATE TABLE blocks (
        id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, records INTEGER NOT NULL, first INTEGER NOT NULL,
        last INTEGER NOT NULL, oldest INTEGER NOT NULL, newest INTEGER NOT NULL, columns TEXT NOT NULL,
        frame_records INTEGER NOT NULL, bytes INTEGER NOT NULL
      )`,
      'CREATE TABLE pieces (key INTEGER PRIMARY KEY, bytes BLOB NOT NULL)',
      'CREATE TABLE marks (source TEXT PRIMARY KEY, position TEXT NOT NULL) WITHOUT ROWID',
      // The place of the newest record, and the one after which the file began.
      `CREATE TABLE place (
        one INTEGER PRIMARY KEY CHECK (one = 1), last INTEGER NOT NULL, began_after INTEGER NOT NULL
      )`,
    ],
  },
]

/** A commit waits for the disk, as there are only a few of them in a second. */
export const logData: DatabaseKind = { migrations, isForgetful: false, pageBytes: 8_192 }

interface StoredRow {
  readonly id: number
  readonly kind: string
  readonly records: number
  readonly first: number
  readonly last: number
  readonly oldest: number
  readonly newest: number
  readonly columns: string
  readonly frame_records: number
  readonly bytes: number
}

/** Blocks in their order. */
export const readBlocks = (database: Pick<ReadDatabase, 'prepare'>): BlockRow[] =>
  blockRows(
    database
      .prepare(
        'SELECT id, kind, records, first, last, oldest, newest, columns, frame_records, bytes FROM blocks ORDER BY first',
      )
      .all(),
  )

const columnLists = new Map<string, readonly string[]>()

/** Blocks of kinds that this version does not know are left out. */
function blockRows(rows: readonly unknown[]): BlockRow[] {
  return (rows as readonly StoredRow[]).flatMap(({ kind, columns, frame_records, ...row }) => {
    if (!isKind(kind)) return []
    const names = columnLists.get(columns) ?? (JSON.parse(columns) as string[])
    columnLists.set(columns, names)
    return [{ ...row, kind, columns: names, frameRecords: frame_records }]
  })
}

export const isKind = (name: string): name is LogKindName => (logKindNames as readonly string[]).includes(name)

type BatchRow = [
  place: number,
  time: number,
  priority: number,
  unit: string,
  syslogId: string,
  message: string,
  fields: KeptRecord['fields'],
]

const batchBody = (records: readonly KeptRecord[]): string =>
  JSON.stringify(
    records.map(({ place, time, priority, unit, syslogId, message, fields }): BatchRow => {
      return [place, time, priority, unit, syslogId, message, fields]
    }),
  )

export function insertBatch(database: Database, kind: LogKindName, records: readonly KeptRecord[]): Batch {
  const [oldest, newest] = boundsOf(Float64Array.from(records, ({ time }) => time))
  const body = batchBody(records)
  // Readers know a batch by its number, so it is one that is never used again.
  const id = records[0]?.place ?? 0
  database
    .prepare('INSERT INTO batches (id, kind, records, oldest, newest, body) VALUES (?, ?, ?, ?, ?, ?)')
    .run(id, kind, records.length, oldest, newest, body)
  return { id, records: records.length, oldest, newest, bytes: body.length }
}

export function deleteBatch(database: Database, id: number): void {
  database.prepare('DELETE FROM batches WHERE id = ?').run(id)
}

export function insertBlock(database: Database, { row, pieces }: PackedBlock): BlockRow {
  const { lastInsertRowid } = database
    .prepare(
      `INSERT INTO blocks (kind, records, first, last, oldest, newest, columns, frame_records, bytes)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      row.kind,
      row.records,
      row.first,
      row.last,
      row.oldest,
      row.newest,
      JSON.stringify(row.columns),
      row.frameRecords,
      row.bytes,
    )
  const id = Number(lastInsertRowid)
  const insert = database.prepare('INSERT INTO pieces (key, bytes) VALUES (?, ?)')
  for (const { offset, bytes } of pieces) insert.run(firstKeyOf(id) + offset, bytes)
  return { ...row, id }
}

export function deleteBlock(database: Database, id: number): void {
  database.prepare('DELETE FROM blocks WHERE id = ?').run(id)
  database.prepare('DELETE FROM pieces WHERE key >= ? AND key < ?').run(firstKeyOf(id), firstKeyOf(id + 1))
}

export const readBatch = (kind: LogKindName, body: string): KeptRecord[] =>
  (JSON.parse(body) as BatchRow[]).map(([place, time, priority, unit, syslogId, message, fields]) => ({
    kind,
    place,
    time,
    priority,
    unit,
    syslogId,
    message,
    fields,
  }))

/** False: what is stored cannot be read. */
export function isBatch(body: string): boolean {
  try {
    return Array.isArray(JSON.parse(body))
  } catch {
    return false
  }
}
