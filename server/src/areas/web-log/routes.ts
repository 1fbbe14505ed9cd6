// Endpoints of the web traffic journal and its reports.

import { invalid } from '../../contract/error.ts'
import { type Condition, type JournalQuery, maxRows, readJournalQuery } from '../../contract/table-query.ts'
import { type Context, handle, type Route, signedIn } from '../../http/handle.ts'
import { logReply, refuseLongSort } from '../../http/routes.ts'
import type { SumQuestion, SumRow } from '../../logs/store.ts'
import { clockOffsets } from '../../policy/schedule.ts'
import { tailLog } from '../logs/public.ts'
import * as contract from './contract.ts'
import { dayStart, stepBounds } from './steps.ts'

const nowOf = ({ services }: Context): number => Math.floor(services.clock.now().getTime() / 1000)

function askedOf(context: Context, query: JournalQuery) {
  const { services } = context
  const { timeZone } = services.facts()
  const now = nowOf(context)
  const { where } = readJournalQuery(contract.webColumns, query, [], now + clockOffsets(timeZone)(now))
  return { view: 'web', scope: { timeZone, brand: services.brand }, hidden: [], where: byCategory(where) }
}

/** The ids of a record are one text: to have one of them is to contain it with its semicolon. */
function byCategory(where: Condition): Condition {
  switch (where.kind) {
    case 'all':
    case 'any':
      return { ...where, of: where.of.map(byCategory) }
    case 'not':
      return { ...where, of: byCategory(where.of) }
    case 'equals': {
      if (where.column !== 'categories') return where
      const ids = where.cells.filter((cell) => cell !== '')
      const none = ids.length < where.cells.length ? [{ ...where, cells: [''] }] : []
      const texts = ids.map((id) => `${String(id).replace(/;$/, '').toLowerCase()};`)
      const has = texts.length > 0 ? [{ kind: 'contains', column: where.column, texts } as const] : []
      return { kind: 'any', of: [...none, ...has] }
    }
    default:
      return where
  }
}

const begin = `{"meta":${JSON.stringify(contract.webColumns)},"data":[`

const sums = ['bytes_sent', 'bytes_received', 'duration_ms'] as const

const columnsOfKinds = {
  sites: 'host',
  users: 'user_login',
  categories: 'categories',
  sources: 'source_ip',
  rules: 'rule_id',
  results: 'result',
} as const satisfies Readonly<Record<contract.TopKind, string>>

/** Of bytes those to clients decide, which are nearly all. */
const orders = { requests: 'records', bytes: 'bytes_received', time: 'duration_ms' } as const

const amountsOf = ({ records = 0, sums: [sent = 0, received = 0, duration = 0] = [] }: Partial<SumRow> = {}) => ({
  requests: records,
  bytes_sent: sent,
  bytes_received: received,
  duration_ms: duration,
})

interface Period extends JournalQuery {
  readonly from?: number
  readonly until?: number
}

function periodOf(context: Context, { from, until = nowOf(context) + 1 }: Period) {
  const offsetAt = clockOffsets(context.services.facts().timeZone)
  const start = from ?? dayStart(until - 1, offsetAt)
  if (until <= start) throw invalid('until', 'Must be later than from.')
  return { from: start, until, offsetAt }
}

function ask(
  context: Context,
  query: Period,
  question: Pick<SumQuestion, 'bounds' | 'by' | 'ends' | 'order' | 'limit'>,
) {
  const { services, signal } = context
  const asker = { owner: signedIn(context).adminId, signal }
  return services.logs.sums({ ...askedOf(context, query), sums, ...question }, asker)
}

const twoDays = 2 * 86_400

export const routes: readonly Route[] = [
  handle(contract.webJournal, async (context) => {
    const { query, services, signal } = context
    const isCsv = query.format_type === 'CSV'
    const asked = askedOf(context, query)
    await services.refreshLogs()
    const found = await services.logs.find(
      {
        ...asked,
        order: query.sort ?? [],
        offset: query.offset ?? 0,
        limit: query.limit ?? (isCsv ? Number.MAX_SAFE_INTEGER : maxRows),
      },
      { owner: signedIn(context).adminId, signal },
    )
    await refuseLongSort(found, query)
    const isPaged = query.limit !== undefined || query.offset !== undefined
    return logReply(found, isCsv ? contract.webColumnNames : null, [
      begin,
      (rows) => `],"rows":${rows}${isPaged ? `,"rows_before_limit_at_least":${found.total}` : ''}}`,
    ])
  }),
  handle(contract.webTail, (context) => {
    const { query, services, lastEventId, owner } = context
    const asked = askedOf(context, query)
    // A browser that connects again asks as it did at first, and says what it has by now.
    const known = /^\d{1,15}$/.test(lastEventId ?? '') ? lastEventId : query.after
    const after = known === undefined ? null : Number(known.split('.').at(-1))
    return services.eventStreams.open(context, (stream) => tailLog(services.logs, asked, stream, after, owner))
  }),
  handle(contract.webTop, async (context) => {
    const { query, services } = context
    const { kind, by = 'requests', limit = 20 } = query
    const { from, until } = periodOf(context, query)
    const bounds = [from, until]
    const order = orders[by]
    await services.refreshLogs()
    const ends = kind === 'categories' ? ';' : null
    const { rows, isComplete } = await ask(context, query, { bounds, by: columnsOfKinds[kind], ends, order, limit })
    const { rows: all } = await ask(context, query, { bounds, by: null, ends: null, order, limit: 1 })
    return {
      data: rows.map((row) => ({ value: shownValue(kind, row.value), ...amountsOf(row) })),
      total: amountsOf(all[0]),
      complete: isComplete,
    }
  }),
  handle(contract.webTimeline, async (context) => {
    const { query, services } = context
    const { from, until, offsetAt } = periodOf(context, query)
    const { step = until - from <= twoDays ? 'hour' : 'day' } = query
    const bounds = stepBounds(step, from, until, offsetAt, contract.mostSteps - 1)
    if (!bounds) throw invalid('step', `Must be larger, or the period shorter: at most ${contract.mostSteps} steps.`)
    await services.refreshLogs()
    const { rows } = await ask(context, query, { bounds, by: 'result', ends: null, order: 'records', limit: 10 })
    return bounds.slice(0, -1).map((start, at) =>
      timelineStep(
        start,
        rows.filter((row) => row.at === at),
      ),
    )
  }),
]

/** A rule that is none is 0 in records. */
const shownValue = (kind: contract.TopKind, value: string): string => (kind === 'rules' && value === '0' ? '' : value)

function timelineStep(from: number, rows: readonly SumRow[]) {
  const requests = (result: string): number => rows.find(({ value }) => value === result)?.records ?? 0
  const total = (pick: (row: SumRow) => number): number => rows.reduce((sum, row) => sum + pick(row), 0)
  return {
    from,
    ...amountsOf({
      records: total(({ records }) => records),
      sums: sums.map((_, index) => total((row) => row.sums[index] ?? 0)),
    }),
    allowed: requests('allowed'),
    decrypted: requests('decrypted'),
    denied: requests('denied'),
    redirected: requests('redirected'),
  }
}
