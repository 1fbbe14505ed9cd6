// Endpoints of the traffic monitor and of the monitoring settings. Journals are in routes-journals.ts.

import { maxRows, type SortItem } from '../../contract/table-query.ts'
import { type Context, handle, type Route } from '../../http/handle.ts'
import { settingsRoutes } from '../../http/routes.ts'
import { read } from '../../model/slots.ts'
import { createSlices, sortInSlices } from '../../workers/slices.ts'
import { flowSettings, flowState, type SnmpSecret, secretPlace, snmpSettings, snmpState } from './config.ts'
import type { TrafficSession } from './contract.ts'
import * as contract from './contract.ts'
import { updateFlow, updateSnmp } from './edits.ts'
import { journalRoutes } from './routes-journals.ts'
import {
  createSessionReader,
  createTopApplications,
  createTopSources,
  orderOf,
  type Sum,
  type TrafficQuery,
} from './sessions.ts'
import { monitoringAgent } from './settings.ts'
import { flowItems, isAgentRunning, snmpItems, trafficItems, unreadTrafficItems } from './status.ts'

/** Tens of thousands of sessions, in slices between which others are answered. */
async function sessionsNow({ config, services }: Pick<Context, 'config' | 'services'>): Promise<TrafficSession[]> {
  const reading = await services.traffic?.read()
  const show = createSessionReader(config, services.facts(), (address) => services.userSessions.at(address)?.userId)
  const slices = createSlices()
  const shown: TrafficSession[] = []
  for (const session of reading?.sessions ?? []) {
    shown.push(show(session))
    await slices()
  }
  return shown
}

async function sumsOf<T>(sum: Sum<T>, sessions: readonly TrafficSession[]): Promise<T[]> {
  const slices = createSlices()
  for (const session of sessions) {
    sum.add(session)
    await slices()
  }
  return sum.rows()
}

async function pageOf<T extends object>(rows: readonly T[], query: TrafficQuery, first: SortItem): Promise<T[]> {
  const sorted = await sortInSlices(rows, orderOf<T>(query, first))
  const offset = query.offset ?? 0
  return sorted.slice(offset, offset + (query.limit ?? maxRows))
}

const longest = { field: 'duration', direction: 'desc' } as const
const mostSessions = { field: 'sessions', direction: 'desc' } as const

const trafficRoutes: readonly Route[] = [
  handle(contract.traffic.sessions, async (context) => pageOf(await sessionsNow(context), context.query, longest)),
  handle(contract.traffic.sources, async (context) => {
    const sum = createTopSources(context.config, context.services.facts())
    return pageOf(await sumsOf(sum, await sessionsNow(context)), context.query, mostSessions)
  }),
  handle(contract.traffic.applications, async (context) =>
    pageOf(await sumsOf(createTopApplications(), await sessionsNow(context)), context.query, mostSessions),
  ),
  handle(contract.traffic.status, async ({ services }) => {
    try {
      return trafficItems(await services.traffic?.read())
    } catch (fault) {
      return unreadTrafficItems((fault as Error).message)
    }
  }),
]

const flowRoutes = (endpoints: typeof contract.flowSettings): Route[] => [
  handle(endpoints.show, ({ config }) => read(config, flowSettings), { slot: flowSettings }),
  handle(endpoints.update, ({ body, change }) => change((config) => updateFlow(config, body)), { slot: flowSettings }),
]

/** The secrets of SNMP are shown to full administrators only, with an audit record. */
function showSnmp({ config, revealer }: Context<typeof contract.snmpSettings.show>): contract.SnmpSettings {
  const stored = read(config, snmpSettings)
  const reveal = revealer('Secrets of SNMP were shown.')
  const secret = (field: SnmpSecret): string => {
    const sealed = stored[field]
    return sealed === null ? '' : reveal(sealed, secretPlace(field))
  }
  return {
    ...stored,
    community: secret('community'),
    password: secret('password'),
    private_key: secret('private_key'),
  }
}

const snmpRoutes: readonly Route[] = [
  ...settingsRoutes(contract.snmpState, snmpState),
  handle(contract.snmpStatus, async ({ config, services }) => snmpItems(config, await services.observe())),
  handle(contract.snmpSettings.show, showSnmp),
  handle(
    contract.snmpSettings.update,
    ({ body, change, services }) =>
      change((config) => updateSnmp(config, body, (field, secret) => services.vault.seal(secret, secretPlace(field)))),
    { slot: snmpSettings },
  ),
]

export const routes: readonly Route[] = [
  ...trafficRoutes,
  ...settingsRoutes(contract.flowState, flowState),
  ...settingsRoutes(contract.plainFlowState, flowState),
  ...flowRoutes(contract.flowSettings),
  ...flowRoutes(contract.plainFlowSettings),
  handle(contract.flowStatus, async ({ config, services }) =>
    flowItems({ config, report: (await services.flowReport?.()) ?? null, ...(await services.observe()) }),
  ),
  ...snmpRoutes,
  ...settingsRoutes(contract.agentSettings, monitoringAgent),
  handle(contract.agentStatus, async ({ config, services }) => ({
    enabled: isAgentRunning(config, await services.observe()),
  })),
  ...journalRoutes,
]
