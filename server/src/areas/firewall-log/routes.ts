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
    await services.firewallLog.refresh()
    const { limit = defaultPage, offset = 0, format_type, columns = [], ...filter } = query
    const where = all(
      ...Object.entries(filter).map(([column, cell]) => ({ kind: 'equals', column, cells: [cell] }) as const),
    )
    const owner = signedIn(context).adminId
    const question = { scope: {}, where, order: [], offset, limit }
    const found = await services.logReader.find('hits', question, { owner, signal })
    return logReply(found, format_type === 'CSV' ? (columns.length > 0 ? columns : firewallLogColumns) : null)
  }),
  handle(showLoggedRules, ({ query, config }) => query.rules.map((rule) => ruleOfRecord(config, rule))),
]
