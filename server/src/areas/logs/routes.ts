// Endpoints of the system journal and of its forwarding.

import { mayUse } from '../../contract/access.ts'
import { all, maxRows, printStamp, readJournalQuery } from '../../contract/table-query.ts'
import { handle, type Route, signedIn } from '../../http/handle.ts'
import { logReply, settingsRoutes } from '../../http/routes.ts'
import { clockOffsets } from '../../policy/schedule.ts'
import { remoteSyslogState } from './config.ts'
import * as contract from './contract.ts'
import { auditSource } from './records.ts'
import { remoteSyslogSettings, remoteSyslogTlsSettings } from './settings.ts'
import { remoteSyslogItems } from './status.ts'

const newestFirst = [
  { field: 'date_time', direction: 'desc' },
  { field: 'microseconds', direction: 'desc' },
  { field: 'id', direction: 'desc' },
] as const

export const routes: readonly Route[] = [
  ...settingsRoutes(contract.remoteSyslog, remoteSyslogSettings),
  ...settingsRoutes(contract.remoteSyslogState, remoteSyslogState),
  ...settingsRoutes(contract.remoteSyslogTls, remoteSyslogTlsSettings),
  handle(contract.remoteSyslogStatus, ({ config, services }) => remoteSyslogItems(config, services)),
  handle(contract.listLogs, async (context) => {
    const { query, services, signal } = context
    const offsetAt = clockOffsets(services.facts().timeZone)
    const now = Math.floor(services.clock.now().getTime() / 1000)
    const asked = readJournalQuery(contract.logColumns, query, newestFirst, now + offsetAt(now))
    const bootedAt = Math.floor(now - services.clock.elapsed())
    const first = query.last_reboot_only ? printStamp(bootedAt + offsetAt(bootedAt)) : 0
    const sinceBoot = { kind: 'compare', column: 'date_time', operator: '>=', bound: first } as const
    await services.systemLog.refresh()
    const { adminId: owner, role } = signedIn(context)
    const question = {
      // Roles that may not read the audit trail do not find its records here either.
      scope: mayUse(role, 'audit') ? {} : { hiddenSource: auditSource },
      where: query.last_reboot_only ? all(asked.where, sinceBoot) : asked.where,
      order: query.sort ? asked.order : [],
      offset: query.offset ?? 0,
      limit: query.limit ?? maxRows,
    }
    const found = await services.logReader.find('records', question, { owner, signal })
    const isPaged = query.limit !== undefined || query.offset !== undefined
    return logReply(found, query.format_type === 'CSV' ? contract.logColumnNames : null, [
      `{"meta":${JSON.stringify(contract.logColumns)},"data":[`,
      (rows) => `],"rows":${rows}${isPaged ? `,"rows_before_limit_at_least":${found.total}` : ''}}`,
    ])
  }),
]
