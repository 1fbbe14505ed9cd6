// The worker thread that reads the log: joins its store and its tables with the areas that show them. Wiring only; the thread has
// its own connections, which cannot write.

import { workerData } from 'node:worker_threads'
import { showRecord } from './areas/firewall-log/records.ts'
import { isTraffic, showHit } from './areas/monitor/records.ts'
import type { Row } from './contract/table-query.ts'
import { ReadDatabase } from './database/database.ts'
import { csvRows } from './http/csv.ts'
import { logViews } from './log-views.ts'
import { clockOffsets } from './policy/schedule.ts'
import { findPage, hitsTable, type KeptHit, type LogTable, type Scope } from './runtime/logs/log-queries.ts'
import type { LogTableName, LogTasks } from './runtime/logs/log-reader.ts'
import { StoreReader } from './runtime/logs/store/reader.ts'
import { type StoreWorkerData, storeTasks } from './runtime/logs/store/reader-tasks.ts'
import { authAddresses, authCountries, authTable } from './runtime/portal/auth-journal.ts'
import { serveTasks } from './workers/serve.ts'
import { Handed } from './workers/tasks.ts'

const offsets = new Map<string, ReturnType<typeof clockOffsets>>()

function offsetsOf({ timeZone = 'UTC' }: Scope): ReturnType<typeof clockOffsets> {
  const known = offsets.get(timeZone) ?? clockOffsets(timeZone)
  offsets.set(timeZone, known)
  return known
}

const traffic = (hit: KeptHit, scope: Scope): Row => showHit(hit, offsetsOf(scope))

const shownHit = ({ sequence: _sequence, ...record }: KeptHit): object => showRecord(record)

const tables: Readonly<Record<LogTableName, LogTable>> = {
  hits: hitsTable((hit) => hit as unknown as Row, shownHit),
  auth: authTable(offsetsOf),
  authAddresses,
  authCountries,
  traffic: hitsTable((hit, scope) => (isTraffic(hit) ? traffic(hit, scope) : null), traffic),
}

/** The path of log.db, or the file of the store. */
const data = workerData as string | StoreWorkerData

const tableTasks = (database: ReadDatabase): LogTasks => ({
  find: ({ table, question }) => findPage(database, tables[table], question),
  show: ({ table, scope, places, columns }) => {
    const rows = places.flatMap((place) => tables[table].show(database, scope, place) ?? [])
    const text = columns
      ? csvRows(columns, rows as readonly Readonly<Record<string, unknown>>[])
      : rows.map((row) => JSON.stringify(row)).join(',')
    const bytes = new TextEncoder().encode(text)
    return new Handed({ bytes, rows: rows.length }, [bytes.buffer])
  },
})

serveTasks(
  typeof data === 'string'
    ? tableTasks(new ReadDatabase(data))
    : storeTasks(new StoreReader(data.logs, logViews), csvRows),
)
