// What the calls of every journal of the log have in common: the question, pages and CSV, the live tail, and the periods and
// steps of reports.

import { type Context, signedIn } from '../../core/area/handle.ts'
import type { RawReply } from '../../core/area/raw-reply.ts'
import { logReply, refuseLongSort } from '../../core/area/routes.ts'
import { invalid } from '../../core/contract/error.ts'
import { maxBuckets, mostSteps, type steps } from '../../core/contract/log-reports.ts'
import {
  type Column,
  type Condition,
  type JournalQuery,
  maxRows,
  readJournalQuery,
} from '../../core/contract/table-query.ts'
import type { LogKindName } from '../../domain/logs/kinds.ts'
import type { Question, SumQuestion, SumRow, Sums } from '../../domain/logs/store.ts'
import { clockOffsets } from '../../domain/policy/schedule.ts'
import { say } from '../../shared/said.ts'
import { tailLog } from './jobs-tail.ts'
import { logsService, refreshLogsService } from './service.ts'
import { dayStart, type OffsetAt, stepBounds } from './steps.ts'

export type Asked = Pick<Question, 'view' | 'scope' | 'hidden' | 'where'>

const nowOf = ({ services }: Context): number => Math.floor(services.clock.now().getTime() / 1000)

/** The question of a query about a view, whichever form its answer has. `hidden`: kinds that this role may not read. */
export function askedOf(
  context: Context,
  query: JournalQuery,
  { view, columns }: { readonly view: string; readonly columns: readonly Column[] },
  hidden: readonly LogKindName[] = [],
): Asked {
  const { services } = context
  const { timeZone } = services.facts()
  const now = nowOf(context)
  const { where } = readJournalQuery(columns, query, [], now + clockOffsets(timeZone)(now))
  return { view, scope: { timeZone, brand: services.brand }, hidden, where }
}

/** Same view, other conditions. */
export const withCondition = (asked: Asked, turn: (where: Condition) => Condition): Asked => ({
  ...asked,
  where: turn(asked.where),
})

interface PageQuery {
  readonly format_type?: 'JSON' | 'CSV'
  readonly sort?: Question['order']
  readonly offset?: number
  readonly limit?: number
}

/** The rows of a journal: a page as JSON, or CSV with all of them unless a limit is set. */
export async function journalAnswer(
  context: Context,
  query: PageQuery,
  asked: Asked,
  columns: readonly Column[],
): Promise<RawReply> {
  const { services, signal } = context
  const isCsv = query.format_type === 'CSV'
  await services.of(refreshLogsService)()
  const found = await services.of(logsService).find(
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
  return logReply(found, isCsv ? columns.map(({ name }) => name) : null, [
    journalBeginning(columns),
    (rows) => `],"rows":${rows}${isPaged ? `,"rows_before_limit_at_least":${found.total}` : ''}}`,
  ])
}

export const journalBeginning = (columns: readonly Column[]): string => `{"meta":${JSON.stringify(columns)},"data":[`

/** Of `<kind>.<place>`, or of a place alone. */
export const placeOf = (id: string): number => Number(id.split('.').at(-1))

/** The live tail of a journal. */
export function tailAnswer(context: Context, after: string | undefined, asked: Asked): RawReply {
  const { services, lastEventId, owner } = context
  // A browser that connects again asks as it did at first, and says what it has by now.
  const known = /^\d{1,15}$/.test(lastEventId ?? '') ? lastEventId : after
  const place = known === undefined ? null : placeOf(known)
  return services.eventStreams.open(context, (stream) => tailLog(services.of(logsService), asked, stream, place, owner))
}

interface BucketsQuery {
  readonly from?: number
  readonly until?: number
  readonly width?: number
  readonly by?: string
}

interface CountedBucket {
  readonly from: number
  readonly counts: { readonly value: string; readonly records: number }[]
}

const daySeconds = 86_400
const usualBuckets = 100

/** How many records of a journal there are, by time: all of them, whatever a page shows. */
export async function bucketsAnswer(context: Context, query: BucketsQuery, asked: Asked): Promise<CountedBucket[]> {
  const { services, signal } = context
  const { until = nowOf(context) + 1, by = null } = query
  const { from = Math.max(0, until - daySeconds) } = query
  if (until <= from) throw invalid('until', say`Must be later than from.`)
  const { width = Math.ceil((until - from) / usualBuckets) } = query
  if ((until - from) / width > maxBuckets)
    throw invalid('width', say`Must be larger: there are at most ${maxBuckets} buckets.`)
  await services.of(refreshLogsService)()
  const owner = signedIn(context).adminId
  const buckets = await services.of(logsService).buckets({ ...asked, from, until, width, by }, { owner, signal })
  return buckets.map(({ from: start, counts }) => ({
    from: start,
    counts: Object.entries(counts)
      .map(([value, records]) => ({ value, records }))
      .sort((a, b) => b.records - a.records || (a.value < b.value ? -1 : 1)),
  }))
}

interface PeriodQuery extends JournalQuery {
  readonly from?: number
  readonly until?: number
}

interface Period {
  readonly from: number
  readonly until: number
  readonly offsetAt: OffsetAt
}

/** Today when nothing was said. */
function periodOf(context: Context, { from, until = nowOf(context) + 1 }: PeriodQuery): Period {
  const offsetAt = clockOffsets(context.services.facts().timeZone)
  const start = from ?? dayStart(until - 1, offsetAt)
  if (until <= start) throw invalid('until', say`Must be later than from.`)
  return { from: start, until, offsetAt }
}

interface TimelineQuery extends PeriodQuery {
  readonly step?: (typeof steps)[number]
}

const twoDays = 2 * 86_400

/** Bounds of the steps of a timeline. */
function timelineBounds(context: Context, query: TimelineQuery): readonly number[] {
  const { from, until, offsetAt } = periodOf(context, query)
  const { step = until - from <= twoDays ? 'hour' : 'day' } = query
  const bounds = stepBounds(step, from, until, offsetAt, mostSteps - 1)
  if (!bounds) throw invalid('step', say`Must be larger, or the period shorter: at most ${mostSteps} steps.`)
  return bounds
}

function askSums(
  context: Context,
  asked: Asked,
  question: Pick<SumQuestion, 'bounds' | 'by' | 'ends' | 'sums' | 'order' | 'limit'>,
): Promise<Sums> {
  const { services, signal } = context
  return services.of(logsService).sums({ ...asked, ...question }, { owner: signedIn(context).adminId, signal })
}

/** The largest values of a period, and the sums of all of them together. */
export async function topSums(
  context: Context,
  query: PeriodQuery & { readonly limit?: number },
  asked: Asked,
  { by, ends, ...question }: Pick<SumQuestion, 'by' | 'ends' | 'sums' | 'order'>,
): Promise<Sums & { readonly all: SumRow | undefined }> {
  const { from, until } = periodOf(context, query)
  const shared = { bounds: [from, until], ...question }
  await context.services.of(refreshLogsService)()
  const found = await askSums(context, asked, { ...shared, by, ends, limit: query.limit ?? 20 })
  const { rows } = await askSums(context, asked, { ...shared, by: null, ends: null, limit: 1 })
  return { ...found, all: rows[0] }
}

/** The steps of a timeline, each made of its sums. */
export async function timelineSums<T>(
  context: Context,
  query: TimelineQuery,
  asked: Asked,
  question: Pick<SumQuestion, 'by' | 'sums'>,
  stepOf: (from: number, rows: readonly SumRow[]) => T,
): Promise<T[]> {
  const bounds = timelineBounds(context, query)
  await context.services.of(refreshLogsService)()
  const { rows } = await askSums(context, asked, { ...question, bounds, ends: null, order: 'records', limit: 10 })
  const rowsAt = (at: number): SumRow[] => rows.filter((row) => row.at === at)
  return bounds.slice(0, -1).map((from, at) => stepOf(from, rowsAt(at)))
}
