// The endpoints of the firewall log.

import { all } from '../../contract/table-query.ts'
import { handle, type Route, signedIn } from '../../http/handle.ts'
import { logReply } from '../../http/routes.ts'
import { firewallLogColumns, listFirewallLog, showLoggedRules } from './contract.ts'
import { ruleOfRecord } from './rules-of-records.ts'

const defaultPage = 100

export const routes: readonly Route[] = [
  handle(listFirewallLog, async (context) => {
    const { query, services, signal } = context
    await services.refreshLogs()
    const { limit = defaultPage, offset = 0, format_type, columns = [], ...filter } = query
    const where = all(
      ...Object.entries(filter).map(([column, cell]) => ({ kind: 'equals', column, cells: [cell] }) as const),
    )
    const owner = signedIn(context).adminId
    const scope = { timeZone: services.facts().timeZone, brand: services.brand }
    const question = { view: 'hits', scope, hidden: [], where, order: [], offset, limit }
    const found = await services.logs.find(question, { owner, signal })
    return logReply(found, format_type === 'CSV' ? (columns.length > 0 ? columns : firewallLogColumns) : null)
  }),
  handle(showLoggedRules, ({ query, config }) => query.rules.map((rule) => ruleOfRecord(config, rule))),
]
