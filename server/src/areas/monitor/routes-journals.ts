// Endpoints of the traffic journal and of the authentication journal.

import { notFound } from '../../contract/error.ts'
import { createPage, readJournalQuery } from '../../contract/table-query.ts'
import { handle, type Route, type Services } from '../../http/handle.ts'
import { pagesOf, tableReply } from '../../http/routes.ts'
import { clockOffsets } from '../../policy/schedule.ts'
import * as contract from './contract-journals.ts'
import { isTraffic, showHit, type TrafficRow } from './records.ts'

const newestFirst = [
  { field: 'date_time', direction: 'desc' },
  { field: 'flow_id', direction: 'desc' },
] as const

/** Now by the gateway's own clock. */
function clockOf(services: Services) {
  const offsetAt = clockOffsets(services.facts().timeZone)
  const now = Math.floor(services.clock.now().getTime() / 1000)
  return { offsetAt, clockSeconds: now + offsetAt(now) }
}

/** Told only to who asked for a page. */
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
    if (query.format_type === 'CSV')
      return tableReply({ format_type: 'CSV' }, contract.trafficColumnNames, data) as never
    return { data, rows: data.length, rows_before_limit_at_least: total }
  }),
  handle(contract.authJournal, ({ query, services }) => {
    // Read even though there is nothing to find: a wrong query is told at once.
    readJournalQuery(contract.authColumns, query, [], clockOf(services).clockSeconds)
    if (query.format_type === 'CSV')
      return tableReply({ format_type: 'CSV' }, contract.authColumnNames, noSessions) as never
    return { meta: contract.authColumns, data: noSessions, rows: 0, ...beforeLimit(query, 0) }
  }),
  handle(contract.authJournalValues, ({ params, query }) => {
    const column = contract.uniqueColumns.find((name) => name === params.column_name)
    if (!column) throw notFound('column with different values to list by that name; there are ip and country_name')
    return { meta: [{ name: column, type: 'String' }], data: [], rows: 0, ...beforeLimit(query, 0) }
  }),
]
