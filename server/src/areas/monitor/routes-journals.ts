// Endpoints of the traffic journal and of the authentication journal.

import { notFound } from '../../contract/error.ts'
import { maxRows, readJournalQuery } from '../../contract/table-query.ts'
import { handle, type Route, type Services, signedIn } from '../../http/handle.ts'
import { csvReply, logReply } from '../../http/routes.ts'
import { clockOffsets } from '../../policy/schedule.ts'
import * as contract from './contract-journals.ts'

const newestFirst = [
  { field: 'date_time', direction: 'desc' },
  { field: 'flow_id', direction: 'desc' },
] as const

/** The current time in the time zone of the gateway. */
function clockSeconds(services: Services): number {
  const now = Math.floor(services.clock.now().getTime() / 1000)
  return now + clockOffsets(services.facts().timeZone)(now)
}

/** Part of the reply only when a page was asked for (docs/behaviour/logs.md 1). */
const beforeLimit = ({ limit, offset }: { readonly limit?: number; readonly offset?: number }, rows: number) =>
  limit === undefined && offset === undefined ? {} : { rows_before_limit_at_least: rows }

const noSessions: contract.AuthRecord[] = []

export const journalRoutes: readonly Route[] = [
  handle(contract.trafficJournal, async (context) => {
    const { query, services, signal } = context
    const asked = readJournalQuery(contract.trafficColumns, query, newestFirst, clockSeconds(services))
    await services.firewallLog.refresh()
    const question = {
      scope: { timeZone: services.facts().timeZone },
      where: asked.where,
      order: asked.order,
      offset: query.offset ?? 0,
      limit: query.limit ?? maxRows,
    }
    const found = await services.logReader.find('traffic', question, { owner: signedIn(context).adminId, signal })
    return logReply(found, query.format_type === 'CSV' ? contract.trafficColumnNames : null, [
      '{"data":[',
      (rows) => `],"rows":${rows},"rows_before_limit_at_least":${found.total}}`,
    ])
  }),
  handle(contract.authJournal, ({ query, services }) => {
    // There is nothing to find, but an invalid query is refused.
    readJournalQuery(contract.authColumns, query, [], clockSeconds(services))
    if (query.format_type === 'CSV') return csvReply(contract.authColumnNames, noSessions)
    return { meta: contract.authColumns, data: noSessions, rows: 0, ...beforeLimit(query, 0) }
  }),
  handle(contract.authJournalValues, ({ params, query }) => {
    const column = contract.uniqueColumns.find((name) => name === params.column_name)
    if (!column)
      throw notFound(`column ${params.column_name.slice(0, 80)} whose values can be listed. Use ip or country_name`)
    return { meta: [{ name: column, type: 'String' }], data: [], rows: 0, ...beforeLimit(query, 0) }
  }),
]
