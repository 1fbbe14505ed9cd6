// The worker thread that reads the log: joins its store and its tables with the areas that show them. Wiring only; the thread has
// its own connections, which cannot write.

import { workerData } from 'node:worker_threads'
import { authAddresses, authCountries, authTable } from '../../areas/portal/runs/auth-journal.ts'
import { csvRows } from '../../core/area/csv.ts'
import { ReadDatabase } from '../../core/database/database.ts'
import { serveTasks } from '../../core/workers/serve.ts'
import { Handed } from '../../core/workers/tasks.ts'
import { clockOffsets } from '../../domain/policy/schedule.ts'
import { findPage, type LogTable, type Scope } from '../logs/log-queries.ts'
import type { LogTableName, LogTasks } from '../logs/log-reader.ts'
import { logViews } from '../logs/log-views.ts'
import { StoreReader } from '../logs/store/reader.ts'
import { type StoreWorkerData, storeTasks } from '../logs/store/reader-tasks.ts'

const offsets = new Map<string, ReturnType<typeof clockOffsets>>()

function offsetsOf({ timeZone = 'UTC' }: Scope): ReturnType<typeof clockOffsets> {
  const known = offsets.get(timeZone) ?? clockOffsets(timeZone)
  offsets.set(timeZone, known)
  return known
}

const tables: Readonly<Record<LogTableName, LogTable>> = {
  auth: authTable(offsetsOf),
  authAddresses,
  authCountries,
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
