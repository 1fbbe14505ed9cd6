// Endpoints of the system journal and of its forwarding.

import { all, maxRows, printStamp, readJournalQuery } from '../../contract/table-query.ts'
import { handle, type Route } from '../../http/handle.ts'
import { csvReply, settingsRoutes } from '../../http/routes.ts'
import { clockOffsets } from '../../policy/schedule.ts'
import { remoteSyslogState } from './config.ts'
import * as contract from './contract.ts'
import { remoteSyslogSettings } from './settings.ts'
import { remoteSyslogItems } from './status.ts'

const newestFirst = [
  { field: 'date_time', direction: 'desc' },
  { field: 'microseconds', direction: 'desc' },
  { field: 'id', direction: 'desc' },
] as const

export const routes: readonly Route[] = [
  ...settingsRoutes(contract.remoteSyslog, remoteSyslogSettings),
  ...settingsRoutes(contract.remoteSyslogState, remoteSyslogState),
  handle(contract.remoteSyslogStatus, ({ config, services }) => remoteSyslogItems(config, services.brand)),
  handle(contract.listLogs, async ({ query, services }) => {
    const offsetAt = clockOffsets(services.facts().timeZone)
    const now = Math.floor(services.clock.now().getTime() / 1000)
    const asked = readJournalQuery(contract.logColumns, query, newestFirst, now + offsetAt(now))
    const bootedAt = Math.floor(now - services.clock.elapsed())
    const first = query.last_reboot_only ? printStamp(bootedAt + offsetAt(bootedAt)) : 0
    const sinceBoot = { kind: 'compare', column: 'date_time', operator: '>=', bound: first } as const
    const narrowed = query.last_reboot_only ? { ...asked, where: all(asked.where, sinceBoot) } : asked
    const { data, total } = await services.systemLog.find(narrowed, query, maxRows)
    if (query.format_type === 'CSV') return csvReply(contract.logColumnNames, data)
    const isPaged = query.limit !== undefined || query.offset !== undefined
    return {
      meta: [...contract.logColumns],
      data,
      rows: data.length,
      ...(isPaged ? { rows_before_limit_at_least: total } : {}),
    }
  }),
]
