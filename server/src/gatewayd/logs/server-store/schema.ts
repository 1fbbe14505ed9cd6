// The tables of the log server: one for each kind of record, shared by many gateways.

import { columnsOf, type LogKindName, logKindNames, type StoredColumn } from '../../../domain/logs/kinds.ts'
import * as sql from './clickhouse.ts'
import type { LogServerConnection } from './connection.ts'

export const tableName = (kind: LogKindName): string => `log_${kind}`

/** A slice of time that the server stores for itself, in microseconds: 30 days. */
const sliceMicroseconds = 30 * 86_400 * 1_000_000

export const sliceSql = sql.call('intDiv', sql.name('time'), sql.number(sliceMicroseconds))

export const sliceOf = (time: number): number => Math.trunc(time / sliceMicroseconds)

/**
 * ASCII is folded by the server. Other texts in lower case are stored beside their record, with the names of their columns:
 * servers know fewer letters than we do.
 */
export const foldedNames = 'folded_names'
export const foldedCells = 'folded_cells'

export const formOf = ({ form }: StoredColumn): sql.ReadForm => (form === 'number' ? 'number' : 'text')

export const tableColumns = (kind: LogKindName): readonly sql.TableColumn[] => [
  { name: 'gateway', type: 'String' },
  { name: 'place', type: 'Int64' },
  ...columnsOf(kind).map((column) => ({
    name: column.name,
    type: column.form === 'number' ? ('Int64' as const) : ('String' as const),
  })),
  { name: foldedNames, type: 'Array(String)' },
  { name: foldedCells, type: 'Array(String)' },
]

/** Makes what is missing, and leaves what is there as it is: columns of newer releases are added. */
export async function ensureTables(server: LogServerConnection, database: string, signal: AbortSignal): Promise<void> {
  await server.run({ sql: sql.createDatabase(database), signal })
  const known = await server.all(
    sql.select({
      what: { table: sql.name('table'), name: sql.name('name') },
      from: sql.path('system', 'columns'),
      where: sql.compare(sql.name('database'), '=', sql.text(database)),
    }),
    ['text', 'text'],
    signal,
  )
  for (const kind of logKindNames) {
    const table = sql.path(database, tableName(kind))
    const there = new Set(known.filter(([name]) => name === tableName(kind)).map(([, column]) => column))
    const missing = tableColumns(kind).filter(({ name }) => !there.has(name))
    if (there.size === 0) {
      const key = ['gateway', 'time', 'place']
      await server.run({ sql: sql.createTable(table, tableColumns(kind), sliceSql, key), signal })
    } else if (missing.length > 0) await server.run({ sql: sql.addColumns(table, missing), signal })
  }
}
