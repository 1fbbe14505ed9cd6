// Endpoints of the system journal, of its retention and of its forwarding.

import { mayUse } from '../../contract/access.ts'
import { invalid } from '../../contract/error.ts'
import {
  all,
  type Condition,
  type JournalQuery,
  maxRows,
  printStamp,
  readJournalQuery,
} from '../../contract/table-query.ts'
import { type Context, handle, type Route, signedIn } from '../../http/handle.ts'
import { logReply, refuseLongSort, settingsRoutes } from '../../http/routes.ts'
import { clockOffsets } from '../../policy/schedule.ts'
import { logRetention, remoteSyslogState } from './config.ts'
import * as contract from './contract.ts'
import { recordsAfter, tailLog } from './jobs-tail.ts'
import { remoteSyslogSettings, remoteSyslogTlsSettings } from './settings.ts'
import { logServerItems, logStoreItems, logUsageOf, remoteSyslogItems } from './status.ts'

/** What the question about the system journal is, whichever form its answer has. */
function askedOf(context: Context, query: JournalQuery) {
  const { services } = context
  const { timeZone } = services.facts()
  const now = Math.floor(services.clock.now().getTime() / 1000)
  const { where } = readJournalQuery(contract.logColumns, query, [], now + clockOffsets(timeZone)(now))
  return {
    view: 'records',
    scope: { timeZone, brand: services.brand },
    // Roles that may not read the audit trail do not find its records here either.
    hidden: mayUse(signedIn(context).role, 'audit') ? [] : (['administration'] as const),
    where,
  }
}

function sinceBoot({ services }: Context): Condition {
  const { clock, facts } = services
  const bootedAt = Math.floor(clock.now().getTime() / 1000 - clock.elapsed())
  const first = printStamp(bootedAt + clockOffsets(facts().timeZone)(bootedAt))
  return { kind: 'compare', column: 'date_time', operator: '>=', bound: first }
}

const placeOf = (id: string): number => Number(id.split('.').at(-1))

const daySeconds = 86_400
const usualBuckets = 100

const begin = `{"meta":${JSON.stringify(contract.logColumns)},"data":[`

export const routes: readonly Route[] = [
  ...settingsRoutes(contract.remoteSyslog, remoteSyslogSettings),
  ...settingsRoutes(contract.remoteSyslogState, remoteSyslogState),
  ...settingsRoutes(contract.remoteSyslogTls, remoteSyslogTlsSettings),
  ...settingsRoutes(contract.logRetention, logRetention),
  handle(contract.remoteSyslogStatus, ({ config, services }) => remoteSyslogItems(config, services)),
  handle(contract.logStatus, async ({ services }) => [
    ...logStoreItems(await services.logs.state(), services.brand),
    ...logServerItems(services),
  ]),
  handle(contract.logUsage, async ({ config, services }) => logUsageOf(config, await services.logs.state())),
  handle(contract.listLogs, async (context) => {
    const { query, services, signal } = context
    const isCsv = query.format_type === 'CSV'
    const asked = askedOf(context, query)
    const question = { ...asked, where: query.last_reboot_only ? all(asked.where, sinceBoot(context)) : asked.where }
    await services.refreshLogs()
    if (query.after !== undefined) {
      if (query.sort || query.offset !== undefined || isCsv)
        throw invalid('after', 'Cannot be combined with sort, offset or CSV.')
      const asker = { owner: signedIn(context).adminId, signal }
      const place = placeOf(query.after)
      const found = await recordsAfter(services.logs, question, place, query.limit ?? maxRows, asker)
      return logReply(found, null, [begin, (rows) => `],"rows":${rows}}`])
    }
    const found = await services.logs.find(
      {
        ...question,
        order: query.sort ?? [],
        offset: query.offset ?? 0,
        limit: query.limit ?? (isCsv ? Number.MAX_SAFE_INTEGER : maxRows),
      },
      { owner: signedIn(context).adminId, signal },
    )
    await refuseLongSort(found, query)
    const isPaged = query.limit !== undefined || query.offset !== undefined
    return logReply(found, isCsv ? contract.logColumnNames : null, [
      begin,
      (rows) => `],"rows":${rows}${isPaged ? `,"rows_before_limit_at_least":${found.total}` : ''}}`,
    ])
  }),
  handle(contract.tailLogs, (context) => {
    const { query, services, lastEventId } = context
    const asked = askedOf(context, query)
    // A browser that connects again asks as it did at first, and says what it has by now.
    const known = /^\d{1,15}$/.test(lastEventId ?? '') ? lastEventId : query.after
    return services.eventStreams.open(context, (stream) =>
      tailLog(services.logs, asked, stream, known === undefined ? null : placeOf(known), context.owner),
    )
  }),
  handle(contract.logBuckets, async (context) => {
    const { query, services, signal } = context
    const { until = Math.floor(services.clock.now().getTime() / 1000) + 1, by = null } = query
    const { from = Math.max(0, until - daySeconds) } = query
    const { width = Math.ceil((until - from) / usualBuckets) } = query
    if (until <= from) throw invalid('until', 'Must be later than from.')
    if ((until - from) / width > contract.maxBuckets)
      throw invalid('width', `Must be larger: there are at most ${contract.maxBuckets} buckets.`)
    const asked = askedOf(context, query)
    await services.refreshLogs()
    const owner = signedIn(context).adminId
    const buckets = await services.logs.buckets({ ...asked, from, until, width, by }, { owner, signal })
    return buckets.map(({ from: start, counts }) => ({
      from: start,
      counts: Object.entries(counts)
        .map(([value, records]) => ({ value, records }))
        .sort((a, b) => b.records - a.records || (a.value < b.value ? -1 : 1)),
    }))
  }),
]
