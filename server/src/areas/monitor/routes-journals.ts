// Endpoints of the traffic journal and of the authentication journal.

import { notFound } from '../../contract/error.ts'
import { createPage, readJournalQuery } from '../../contract/table-query.ts'
import { handle, type Route, type Services } from '../../http/handle.ts'
import { csvReply, pagesOf } from '../../http/routes.ts'
import { clockOffsets } from '../../policy/schedule.ts'
import * as contract from './contract-journals.ts'
import { isTraffic, showHit, type TrafficRow } from './records.ts'

const newestFirst = [
  { field: 'date_time', direction: 'desc' },
  { field: 'flow_id', direction: 'desc' },
] as const

/** The current time in the time zone of the gateway. */
function clockOf(services: Services) {
  const offsetAt = clockOffsets(services.facts().timeZone)
  const now = Math.floor(services.clock.now().getTime() / 1000)
  return { offsetAt, clockSeconds: now + offsetAt(now) }
}

/** Part of the reply only when a page was asked for (docs/behaviour/logs.md 1). */
const beforeLimit = ({ limit, offset }: { readonly limit?: number; readonly offset?: number }, rows: number) =>
  limit === undefined && offset === undefined ? {} : { rows_before_limit_at_least: rows }

const noSessions: contract.AuthRecord[] = []

export const journalRoutes: readonly Route[] = [
  handle(contract.trafficJournal, async ({ query, services }) => {
    const { offsetAt, clockSeconds } = clockOf(services)
    const asked = readJournalQuery(contract.trafficColumns, query, newestFirst, clockSeconds)
    const page = createPage<TrafficRow>(asked, query)
    await services.firewallLog.refresh()
    for await (const hits of pagesOf((sequence, limit) => services.firewallLog.pageBefore(sequence, limit))) {
      for (const hit of hits) if (isTraffic(hit)) page.add(showHit(hit, offsetAt))
    }
    const { data, total } = page.result()
    if (query.format_type === 'CSV') return csvReply(contract.trafficColumnNames, data)
    return { data, rows: data.length, rows_before_limit_at_least: total }
  }),
  handle(contract.authJournal, ({ query, services }) => {
    // There is nothing to find, but an invalid query is refused.
    readJournalQuery(contract.authColumns, query, [], clockOf(services).clockSeconds)
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
