// Endpoints of the system journal, of its retention and of its forwarding.

import { type Context, handle, type Route, signedIn } from '../../core/area/handle.ts'
import { logReply, settingsRoutes } from '../../core/area/routes.ts'
import { mayUse } from '../../core/contract/access.ts'
import { invalid } from '../../core/contract/error.ts'
import { all, type Condition, type JournalQuery, maxRows, printStamp } from '../../core/contract/table-query.ts'
import { clockOffsets } from '../../domain/policy/schedule.ts'
import { say } from '../../shared/said.ts'
import { logRetention, remoteSyslogState } from './config.ts'
import * as contract from './contract.ts'
import { recordsAfter } from './jobs-tail.ts'
import {
  type Asked,
  askedOf,
  bucketsAnswer,
  journalAnswer,
  journalBeginning,
  placeOf,
  tailAnswer,
  withCondition,
} from './routes-journals.ts'
import { logsService, refreshLogsService } from './service.ts'
import { remoteSyslogSettings, remoteSyslogTlsSettings } from './settings.ts'
import { logServerItems, logStoreItems, logUsageOf, remoteSyslogItems } from './status.ts'

/** Roles that may not read the audit trail do not find its records here either. */
const ask = (context: Context, query: JournalQuery): Asked =>
  askedOf(
    context,
    query,
    { view: 'records', columns: contract.logColumns },
    mayUse(signedIn(context).role, 'audit') ? [] : ['administration'],
  )

function sinceBoot({ services }: Context): Condition {
  const { clock, facts } = services
  const bootedAt = Math.floor(clock.now().getTime() / 1000 - clock.elapsed())
  const first = printStamp(bootedAt + clockOffsets(facts().timeZone)(bootedAt))
  return { kind: 'compare', column: 'date_time', operator: '>=', bound: first }
}

export const routes: readonly Route[] = [
  ...settingsRoutes(contract.remoteSyslog, remoteSyslogSettings),
  ...settingsRoutes(contract.remoteSyslogState, remoteSyslogState),
  ...settingsRoutes(contract.remoteSyslogTls, remoteSyslogTlsSettings),
  ...settingsRoutes(contract.logRetention, logRetention),
  handle(contract.remoteSyslogStatus, ({ config, services }) => remoteSyslogItems(config, services)),
  handle(contract.logStatus, async ({ services }) => [
    ...logStoreItems(await services.of(logsService).state(), services.brand),
    ...logServerItems(services),
  ]),
  handle(contract.logUsage, async ({ config, services }) => logUsageOf(config, await services.of(logsService).state())),
  handle(contract.listLogs, async (context) => {
    const { query, services, signal } = context
    const isCsv = query.format_type === 'CSV'
    const asked = ask(context, query)
    const question = query.last_reboot_only ? withCondition(asked, (where) => all(where, sinceBoot(context))) : asked
    if (query.after !== undefined) {
      if (query.sort || query.offset !== undefined || isCsv)
        throw invalid('after', say`Cannot be combined with sort, offset or CSV.`)
      await services.of(refreshLogsService)()
      const asker = { owner: signedIn(context).adminId, signal }
      const place = placeOf(query.after)
      const found = await recordsAfter(services.of(logsService), question, place, query.limit ?? maxRows, asker)
      return logReply(found, null, [journalBeginning(contract.logColumns), (rows) => `],"rows":${rows}}`])
    }
    return journalAnswer(context, query, question, contract.logColumns)
  }),
  handle(contract.tailLogs, (context) => tailAnswer(context, context.query.after, ask(context, context.query))),
  handle(contract.logBuckets, (context) => bucketsAnswer(context, context.query, ask(context, context.query))),
]
