// Endpoints of the web traffic journal and its reports.

import { type Context, handle, type Route } from '../../core/area/handle.ts'
import type { Condition, JournalQuery } from '../../core/contract/table-query.ts'
import type { SumRow } from '../../domain/logs/store.ts'
import {
  type Asked,
  askedOf,
  bucketsAnswer,
  journalAnswer,
  tailAnswer,
  timelineSums,
  topSums,
  withCondition,
} from '../logs/public.ts'
import * as contract from './contract.ts'

const journal = { view: 'web', columns: contract.webColumns }

const ask = (context: Context, query: JournalQuery): Asked =>
  withCondition(askedOf(context, query, journal), byCategory)

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

export const routes: readonly Route[] = [
  handle(contract.webJournal, (context) =>
    journalAnswer(context, context.query, ask(context, context.query), contract.webColumns),
  ),
  handle(contract.webBuckets, (context) => bucketsAnswer(context, context.query, ask(context, context.query))),
  handle(contract.webTail, (context) => tailAnswer(context, context.query.after, ask(context, context.query))),
  handle(contract.webTop, async (context) => {
    const { query } = context
    const { kind, by = 'requests' } = query
    const ends = kind === 'categories' ? ';' : null
    const question = { by: columnsOfKinds[kind], ends, sums, order: orders[by] }
    const { rows, all, isComplete } = await topSums(context, query, ask(context, query), question)
    return {
      data: rows.map((row) => ({ value: shownValue(kind, row.value), ...amountsOf(row) })),
      total: amountsOf(all),
      complete: isComplete,
    }
  }),
  handle(contract.webTimeline, (context) =>
    timelineSums(context, context.query, ask(context, context.query), { by: 'result', sums }, timelineStep),
  ),
]

/** A rule that is not one is 0 in records. */
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
