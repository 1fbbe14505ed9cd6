// Records of this gateway that are older than its limits are removed from the log server, kind by kind. The server removes
// them in the background. How much room all gateways have there is the operator's business.

import { type LogKindName, logKindNames, logKinds } from '../../../domain/logs/kinds.ts'
import type { LogLimits } from '../../../domain/logs/store.ts'
import * as sql from './clickhouse.ts'
import type { LogServerConnection } from './connection.ts'
import { tableName } from './schema.ts'

export interface RetentionOptions {
  readonly server: LogServerConnection
  readonly database: string
  readonly gateway: string
}

const dayMicroseconds = 86_400 * 1_000_000

/** Kinds of which something was removed. */
export async function removeOld(
  { server, database, gateway }: RetentionOptions,
  days: LogLimits['days'],
  nowMs: number,
  signal: AbortSignal,
): Promise<LogKindName[]> {
  const removed: LogKindName[] = []
  for (const kind of logKindNames) {
    const table = sql.path(database, tableName(kind))
    const oldest = nowMs * 1000 - (days[kind] ?? logKinds[kind].days) * dayMicroseconds
    const isOld = sql.and([
      sql.compare(sql.name('gateway'), '=', sql.text(gateway)),
      sql.compare(sql.name('time'), '<', sql.number(oldest)),
    ])
    const query = sql.select({ what: { records: sql.call('count') }, from: table, where: isOld })
    const [row] = await server.all(query, ['number'], signal)
    if (Number(row?.[0] ?? 0) === 0) continue
    await server.run({ sql: sql.remove(table, isOld), signal })
    removed.push(kind)
  }
  return removed
}
