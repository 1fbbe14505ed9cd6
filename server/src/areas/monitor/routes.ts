// Endpoints of the traffic monitor and of the settings of monitoring; journals are in the file beside this one.

import { secretMask } from '../../contract/fields.ts'
import { maxRows } from '../../contract/table-query.ts'
import { type Context, handle, type Route, signedIn } from '../../http/handle.ts'
import { settingsRoutes } from '../../http/routes.ts'
import { read } from '../../model/slots.ts'
import {
  agentSettings,
  flowSettings,
  flowState,
  type SnmpSecret,
  secretPlace,
  snmpSecrets,
  snmpSettings,
  snmpState,
} from './config.ts'
import * as contract from './contract.ts'
import { updateAgent, updateFlow, updateSnmp } from './edits.ts'
import { journalRoutes } from './routes-journals.ts'
import { pageOf, showSessions, topApplications, topSources } from './sessions.ts'
import { flowItems, snmpItems, trafficItems, unreadTrafficItems } from './status.ts'

async function sessionsNow({ config, services }: Pick<Context, 'config' | 'services'>) {
  const reading = await services.traffic?.read()
  return showSessions(config, services.facts(), reading?.sessions ?? [])
}

const longest = { field: 'duration', direction: 'desc' } as const
const mostSessions = { field: 'sessions', direction: 'desc' } as const

const trafficRoutes: readonly Route[] = [
  handle(contract.traffic.sessions, async (context) =>
    pageOf(await sessionsNow(context), context.query, longest, maxRows),
  ),
  handle(contract.traffic.sources, async (context) =>
    pageOf(
      topSources(context.config, context.services.facts(), await sessionsNow(context)),
      context.query,
      mostSessions,
      maxRows,
    ),
  ),
  handle(contract.traffic.applications, async (context) =>
    pageOf(topApplications(await sessionsNow(context)), context.query, mostSessions, maxRows),
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

/** The secrets of SNMP are for full administrators only, and each look at them is in the journal. */
function showSnmp(context: Context<typeof contract.snmpSettings.show>): contract.SnmpSettings {
  const { config, services } = context
  const stored = read(config, snmpSettings)
  const { role, login } = signedIn(context)
  const isTold = role === 'predefined_admin_write' && snmpSecrets.some((field) => stored[field] !== null)
  if (isTold)
    services.audit.note({
      event: 'action',
      who: login,
      address: context.address,
      what: 'GET /monitor_backend/snmp/settings',
      result: 'ok',
      message: 'Secrets of SNMP were shown.',
      request_id: context.requestId,
      revision: null,
      changes: [],
    })
  const secret = (field: SnmpSecret): string => {
    const sealed = stored[field]
    if (sealed === null) return ''
    return isTold ? services.vault.reveal(sealed, secretPlace(field)) : secretMask
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
  handle(contract.snmpStatus, ({ config }) => snmpItems(config)),
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
  handle(contract.flowStatus, ({ config }) => flowItems(config)),
  ...snmpRoutes,
  handle(contract.agentSettings.show, ({ config }) => read(config, agentSettings), { slot: agentSettings }),
  handle(contract.agentSettings.update, ({ body, change }) => change((config) => updateAgent(config, body)), {
    slot: agentSettings,
  }),
  // Whether it runs, and it does not: the agent is not part of this release.
  handle(contract.agentStatus, () => ({ enabled: false })),
  ...journalRoutes,
]
