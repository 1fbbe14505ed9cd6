// The endpoints of the firewall log.

import { type Context, handle, type Route, signedIn } from '../../core/area/handle.ts'
import { logReply } from '../../core/area/routes.ts'
import { all, type Condition, type JournalQuery } from '../../core/contract/table-query.ts'
import { type Asked, askedOf, bucketsAnswer } from '../logs/public.ts'
import { logsService, refreshLogsService } from '../logs/service.ts'
import {
  firewallLogBuckets,
  firewallLogColumns,
  firewallLogTypes,
  listFirewallLog,
  showLoggedRules,
} from './contract.ts'
import { ruleOfRecord } from './rules-of-records.ts'

const defaultPage = 100

const ask = (context: Context, query: JournalQuery): Asked =>
  askedOf(context, query, { view: 'hits', columns: firewallLogTypes })

function timeBetween(from: number | undefined, until: number | undefined): readonly Condition[] {
  const bound = (seconds: number): string => new Date(seconds * 1000).toISOString()
  return [
    ...(from === undefined ? [] : [{ kind: 'compare', column: 'time', operator: '>=', bound: bound(from) } as const]),
    ...(until === undefined ? [] : [{ kind: 'compare', column: 'time', operator: '<', bound: bound(until) } as const]),
  ]
}

export const routes: readonly Route[] = [
  handle(listFirewallLog, async (context) => {
    const { query, services, signal } = context
    await services.of(refreshLogsService)()
    const { limit = defaultPage, offset = 0, format_type, columns = [], ...asking } = query
    const { search, filter, from, until, ...exact } = asking
    const asked = ask(context, { ...(search ? { search } : {}), ...(filter ? { filter } : {}) })
    const where = all(
      asked.where,
      ...Object.entries(exact).map(([column, cell]) => ({ kind: 'equals', column, cells: [cell] }) as const),
      ...timeBetween(from, until),
    )
    const owner = signedIn(context).adminId
    const question = { ...asked, where, order: [], offset, limit }
    const found = await services.of(logsService).find(question, { owner, signal })
    return logReply(found, format_type === 'CSV' ? (columns.length > 0 ? columns : firewallLogColumns) : null)
  }),
  handle(firewallLogBuckets, (context) => bucketsAnswer(context, context.query, ask(context, context.query))),
  handle(showLoggedRules, ({ query, config }) => query.rules.map((rule) => ruleOfRecord(config, rule))),
]
