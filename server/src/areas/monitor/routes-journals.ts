// Endpoints of the traffic journal and of the authentication journal.

import { handle, type Route, type Services, signedIn } from '../../core/area/handle.ts'
import { logReply, refuseLongSort } from '../../core/area/routes.ts'
import { notFound } from '../../core/contract/error.ts'
import {
  all,
  type Column,
  type Condition,
  maxOffset,
  maxRows,
  printStamp,
  readJournalQuery,
} from '../../core/contract/table-query.ts'
import { clockOffsets } from '../../domain/policy/schedule.ts'
import { say } from '../../shared/said.ts'
import { askedOf, bucketsAnswer } from '../logs/public.ts'
import { logsService, refreshLogsService } from '../logs/service.ts'
import type { OpenSessions } from '../portal/public.ts'
import { portalService } from '../portal/service.ts'
import * as contract from './contract-journals.ts'

const newestSession = [
  { field: 'date_time', direction: 'desc' },
  { field: 'id', direction: 'desc' },
] as const

/** The current time in the time zone of the gateway. */
function clockSeconds(services: Services): number {
  const now = Math.floor(services.clock.now().getTime() / 1000)
  return now + clockOffsets(services.facts().timeZone)(now)
}

interface Page {
  readonly limit?: number
  readonly offset?: number
}

const pageOf = ({ limit = maxRows, offset = 0 }: Page) => ({ limit, offset })

/** What a table is between. The rows there are belong to it only when a page was asked for (docs/behaviour/logs.md 1). */
function tableText(columns: readonly Column[], { limit, offset }: Page, total: number) {
  const isPage = limit !== undefined || offset !== undefined
  const before = isPage ? `,"rows_before_limit_at_least":${total}` : ''
  return [`{"meta":${JSON.stringify(columns)},"data":[`, (rows: number) => `],"rows":${rows}${before}}`] as const
}

/** Unix seconds after all records. */
const endOfTime = 10_000_000_000
const daySeconds = 86_400

/** Of an open session its beginning, of all others their end: also of those that end while the question is answered. */
function eachOnce({ ids, since }: OpenSessions, timeZone: string): Condition {
  const hasNoEnd: Condition = { kind: 'equals', column: 'end', cells: [0] }
  if (since === null) return { kind: 'not', of: hasNoEnd }
  // Spares records that are older than all of them; a clock that is set back shows them a little earlier.
  const bound = printStamp(since - daySeconds + clockOffsets(timeZone)(since))
  const isOpen = all(
    { kind: 'compare', column: 'date_time', operator: '>=', bound },
    { kind: 'equals', column: 'id', cells: ids },
  )
  return { kind: 'any', of: [all(hasNoEnd, isOpen), all({ kind: 'not', of: hasNoEnd }, { kind: 'not', of: isOpen })] }
}

export const journalRoutes: readonly Route[] = [
  handle(contract.trafficJournal, async (context) => {
    const { query, services, signal } = context
    const isCsv = query.format_type === 'CSV'
    const { where } = readJournalQuery(contract.trafficColumns, query, [], clockSeconds(services))
    await services.of(refreshLogsService)()
    const question = {
      view: 'traffic',
      scope: { timeZone: services.facts().timeZone, brand: services.brand },
      hidden: [],
      where,
      order: query.sort ?? [],
      offset: query.offset ?? 0,
      limit: query.limit ?? (isCsv ? Number.MAX_SAFE_INTEGER : maxRows),
    }
    const found = await services.of(logsService).find(question, { owner: signedIn(context).adminId, signal })
    await refuseLongSort(found, query)
    return logReply(found, isCsv ? contract.trafficColumnNames : null, [
      '{"data":[',
      (rows) => `],"rows":${rows},"rows_before_limit_at_least":${found.total}}`,
    ])
  }),
  handle(contract.trafficBuckets, (context) =>
    bucketsAnswer(
      context,
      context.query,
      askedOf(context, context.query, { view: 'traffic', columns: contract.trafficColumns }),
    ),
  ),
  handle(contract.authJournal, async (context) => {
    const { query, services, signal } = context
    const asked = readJournalQuery(contract.authColumns, query, newestSession, clockSeconds(services))
    await services.of(refreshLogsService)()
    const { timeZone } = services.facts()
    const question = {
      view: 'sessions',
      scope: { timeZone, brand: services.brand, now: Math.floor(services.clock.now().getTime() / 1000) },
      hidden: [],
      where: all(eachOnce(services.of(portalService).journal.open(), timeZone), asked.where),
      order: asked.order,
      ...pageOf(query),
    }
    const found = await services.of(logsService).find(question, { owner: signedIn(context).adminId, signal })
    const columns = query.format_type === 'CSV' ? contract.authColumnNames : null
    return logReply(found, columns, tableText(contract.authColumns, query, found.total))
  }),
  handle(contract.authJournalValues, async (context) => {
    const { params, query, services, signal } = context
    const column = contract.uniqueColumns.find((name) => name === params.column_name)
    if (!column)
      throw notFound(say`column ${params.column_name.slice(0, 80)} whose values can be listed. Use ip or country_name`)
    await services.of(refreshLogsService)()
    const { limit, offset } = pageOf(query)
    const question = {
      view: 'sessions',
      scope: { timeZone: services.facts().timeZone, brand: services.brand },
      hidden: [],
      // A country that is not known is not a value.
      where: { kind: 'not', of: { kind: 'equals', column, cells: [''] } } as const,
      bounds: [0, endOfTime],
      by: column,
      ends: null,
      sums: [],
      order: 'records',
      limit: maxOffset + maxRows,
    }
    const found = await services.of(logsService).sums(question, { owner: signedIn(context).adminId, signal })
    const values = found.rows.map(({ value }) => value).sort()
    const data = values.slice(offset, offset + limit).map((value) => ({ [column]: value }))
    const isPage = query.limit !== undefined || query.offset !== undefined
    return {
      meta: [{ name: column, type: 'String' }],
      data,
      rows: data.length,
      ...(isPage ? { rows_before_limit_at_least: values.length } : {}),
    }
  }),
]
