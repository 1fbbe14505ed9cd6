// Endpoints of the system journal and of its forwarding.

import { read } from '../../contract/slots.ts'
import { createPage, maxRows, printStamp, readJournalQuery } from '../../contract/table-query.ts'
import { handle, type Route, type Services } from '../../http/handle.ts'
import { pagesOf, settingsRoutes, tableReply } from '../../http/routes.ts'
import { clockOffsets } from '../../policy/schedule.ts'
import { remoteSyslog, remoteSyslogState } from './config.ts'
import * as contract from './contract.ts'
import { updateRemoteSyslog } from './edits.ts'
import { fromFirewallLog, fromJournal, fromService, type LogRow, type OffsetAt } from './records.ts'
import { remoteSyslogItems } from './status.ts'

const newestFirst = [
  { field: 'date_time', direction: 'desc' },
  { field: 'microseconds', direction: 'desc' },
  { field: 'id', direction: 'desc' },
] as const

/** One of those whose records make up the system journal. */
interface Source {
  count(): number
  /** Newest first. */
  pages(): AsyncIterable<readonly LogRow[]>
}

function source<T extends { readonly sequence: number }>(
  count: () => number,
  pageBefore: (sequence: number, limit: number) => readonly T[],
  show: (record: T) => LogRow,
): Source {
  return {
    count,
    async *pages() {
      for await (const page of pagesOf(pageBefore)) yield page.map(show)
    },
  }
}

async function sourcesOf(services: Services, offsetAt: OffsetAt): Promise<readonly Source[]> {
  const { brand, journal, firewallLog, serviceLogs } = services
  await firewallLog.refresh()
  const lines = ((await serviceLogs?.read()) ?? []).map((line) => fromService(line, brand, offsetAt))
  const audit = journal.pageBefore.bind(journal)
  const hits = firewallLog.pageBefore.bind(firewallLog)
  return [
    source(
      () => journal.head.sequence,
      audit,
      (record) => fromJournal(record, brand, offsetAt),
    ),
    source(
      () => firewallLog.count,
      hits,
      (record) => fromFirewallLog(record, brand, offsetAt),
    ),
    {
      count: () => lines.length,
      async *pages() {
        yield lines
      },
    },
  ]
}

export const routes: readonly Route[] = [
  handle(contract.remoteSyslog.show, ({ config }) => read(config, remoteSyslog), { slot: remoteSyslog }),
  handle(contract.remoteSyslog.update, ({ body, change }) => change((config) => updateRemoteSyslog(config, body)), {
    slot: remoteSyslog,
  }),
  ...settingsRoutes(contract.remoteSyslogState, remoteSyslogState),
  handle(contract.remoteSyslogStatus, ({ config, services }) => remoteSyslogItems(config, services.brand)),
  handle(contract.listLogs, async ({ query, services }) => {
    const offsetAt = clockOffsets(services.facts().timeZone)
    const now = Math.floor(services.clock.now().getTime() / 1000)
    const asked = readJournalQuery(contract.logColumns, query, newestFirst, now + offsetAt(now))
    const bootedAt = Math.floor(now - services.clock.elapsed())
    const first = query.last_reboot_only ? printStamp(bootedAt + offsetAt(bootedAt)) : 0
    const page = createPage<LogRow>(asked, query)
    // Nobody waits for two hundred thousand records to see the newest hundred; of the rest only the number is asked.
    const isWhole = !query.sort && !query.search && !query.filter && !query.last_reboot_only
    const enough = isWhole ? (query.offset ?? 0) + (query.limit ?? maxRows) : Number.POSITIVE_INFINITY
    const sources = await sourcesOf(services, offsetAt)
    for (const { pages } of sources) {
      let seen = 0
      for await (const rows of pages()) {
        for (const row of rows) if (row.date_time >= first) page.add(row)
        seen += rows.length
        if (seen >= enough) break
      }
    }
    const { data, total: found } = page.result()
    const total = isWhole ? sources.reduce((sum, { count }) => sum + count(), 0) : found
    if (query.format_type === 'CSV') return tableReply({ format_type: 'CSV' }, contract.logColumnNames, data) as never
    const isPaged = query.limit !== undefined || query.offset !== undefined
    return {
      meta: [...contract.logColumns],
      data,
      rows: data.length,
      ...(isPaged ? { rows_before_limit_at_least: total } : {}),
    }
  }),
]
