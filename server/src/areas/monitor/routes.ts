// Endpoints of the traffic monitor and of the monitoring settings. Journals are in routes-journals.ts.

import { type Context, handle, type Route } from '../../core/area/handle.ts'
import { settingsRoutes } from '../../core/area/routes.ts'
import type { StatusItem } from '../../core/contract/fields.ts'
import { maxRows, type SortItem } from '../../core/contract/table-query.ts'
import { read } from '../../core/model/slots.ts'
import type { TrackedSession } from '../../core/plan/facts.ts'
import { createSlices, sortInSlices } from '../../core/workers/slices.ts'
import { verbatim } from '../../shared/said.ts'
import { userSessionsService } from '../authorization/service.ts'
import {
  applicationDetection,
  flowSettings,
  flowState,
  type SnmpSecret,
  secretPlace,
  snmpSettings,
  snmpState,
} from './config.ts'
import type { TrafficSession } from './contract.ts'
import * as contract from './contract.ts'
import { updateFlow, updateSnmp } from './edits.ts'
import { journalRoutes } from './routes-journals.ts'
import { classifiedService, flowReportService, trafficService } from './service.ts'
import {
  createSessionReader,
  createTopApplications,
  createTopSources,
  orderOf,
  type Placed,
  type SessionField,
  type SessionReader,
  type Sum,
  type TrafficQuery,
} from './sessions.ts'
import { monitoringAgent } from './settings.ts'
import { flowItems, isAgentRunning, snmpItems, trafficItems, unreadTrafficItems } from './status.ts'
import { detectionItem } from './status-detection.ts'

type Asked = Pick<Context, 'config' | 'services'>

async function readerOf({ config, services }: Asked): Promise<SessionReader> {
  const found = read(config, applicationDetection).enabled
    ? await services.of(classifiedService)?.connections()
    : undefined
  return createSessionReader(
    config,
    services.facts(),
    (address) => services.of(userSessionsService).at(address)?.userId,
    found,
  )
}

const detectionOf = async ({ config, services }: Asked): Promise<StatusItem> =>
  detectionItem({
    config,
    report: (await services.of(classifiedService)?.report()) ?? null,
    ...(await services.observe()),
  })

/** Hundreds of thousands of sessions, in slices between which others are answered; only those of the page are made whole. */
async function sessionPage(context: Asked, query: TrafficQuery): Promise<TrafficSession[]> {
  const reading = await context.services.of(trafficService)?.read()
  const { fields, show } = await readerOf(context)
  const cellValue = (one: TrackedSession, field: string): unknown => fields[field as SessionField](one)
  return (await pageOf(reading?.sessions ?? [], query, longest, cellValue)).map(show)
}

async function sumsOf<T>(sum: Sum<T>, context: Asked): Promise<T[]> {
  const reading = await context.services.of(trafficService)?.read()
  const { show } = await readerOf(context)
  const slices = createSlices()
  for (const session of reading?.sessions ?? []) {
    sum.add(show(session))
    await slices()
  }
  return sum.rows()
}

async function pageOf<T>(
  rows: readonly T[],
  query: TrafficQuery,
  first: SortItem,
  cellValue: (row: T, field: string) => unknown,
): Promise<T[]> {
  const { place, compare } = orderOf(query, first, cellValue)
  const slices = createSlices()
  const placed: Placed<T>[] = []
  for (const row of rows) {
    placed.push(place(row))
    await slices()
  }
  const sorted = await sortInSlices(placed, compare)
  const offset = query.offset ?? 0
  return sorted.slice(offset, offset + (query.limit ?? maxRows)).map(({ row }) => row)
}

const fieldOf = (row: object, field: string): unknown => (row as Readonly<Record<string, unknown>>)[field]

const longest = { field: 'duration', direction: 'desc' } as const
const mostSessions = { field: 'sessions', direction: 'desc' } as const

const trafficRoutes: readonly Route[] = [
  handle(contract.traffic.sessions, (context) => sessionPage(context, context.query)),
  handle(contract.traffic.sources, async (context) => {
    const sum = createTopSources(context.config, context.services.facts())
    return pageOf(await sumsOf(sum, context), context.query, mostSessions, fieldOf)
  }),
  handle(contract.traffic.applications, async (context) =>
    pageOf(await sumsOf(createTopApplications(), context), context.query, mostSessions, fieldOf),
  ),
  handle(contract.traffic.status, async (context) => {
    const applications = await detectionOf(context)
    try {
      return trafficItems(await context.services.of(trafficService)?.read(), applications)
    } catch (fault) {
      return unreadTrafficItems(verbatim((fault as Error).message), applications)
    }
  }),
  ...settingsRoutes(contract.applicationDetection, applicationDetection),
  handle(contract.applicationDetectionStatus, async (context) => [await detectionOf(context)]),
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
    flowItems({ config, report: (await services.of(flowReportService)?.()) ?? null, ...(await services.observe()) }),
  ),
  ...snmpRoutes,
  ...settingsRoutes(contract.agentSettings, monitoringAgent),
  handle(contract.agentStatus, async ({ config, services }) => ({
    enabled: isAgentRunning(config, await services.observe()),
  })),
  ...journalRoutes,
]
