// The endpoints of all areas, gathered from their contracts without loading the server. contracts.test.ts holds the
// list against areas/index.ts: a new area is added here too.

import * as administrators from '../../../areas/administrators/contract.ts'
import * as applicationControl from '../../../areas/application-control/contract.ts'
import * as applicationProfiles from '../../../areas/application-profiles/contract.ts'
import * as audit from '../../../areas/audit/contract.ts'
import * as authorization from '../../../areas/authorization/contract.ts'
import * as backup from '../../../areas/backup/contract.ts'
import * as centralConsole from '../../../areas/central-console/contract.ts'
import * as clientAgent from '../../../areas/client-agent/contract.ts'
import * as configuration from '../../../areas/configuration/contract.ts'
import * as contentFilter from '../../../areas/content-filter/contract.ts'
import * as deviceDiscovery from '../../../areas/device-discovery/contract.ts'
import * as dhcp from '../../../areas/dhcp/contract.ts'
import * as directory from '../../../areas/directory/contract.ts'
import * as directoryAdministrators from '../../../areas/directory-administrators/contract.ts'
import * as dns from '../../../areas/dns/contract.ts'
import * as events from '../../../areas/events/contract.ts'
import * as firewall from '../../../areas/firewall/contract.ts'
import * as firewallLog from '../../../areas/firewall-log/contract.ts'
import * as health from '../../../areas/health/contract.ts'
import * as inspection from '../../../areas/inspection/contract.ts'
import * as intrusionPrevention from '../../../areas/intrusion-prevention/contract.ts'
import * as licence from '../../../areas/licence/contract.ts'
import * as logs from '../../../areas/logs/contract.ts'
import * as mail from '../../../areas/mail/contract.ts'
import * as monitor from '../../../areas/monitor/contract.ts'
import * as network from '../../../areas/network/contract.ts'
import * as objects from '../../../areas/objects/contract.ts'
import * as portal from '../../../areas/portal/contract.ts'
import * as securityEvents from '../../../areas/security-events/contract.ts'
import * as signIn from '../../../areas/sign-in/contract.ts'
import * as statistics from '../../../areas/statistics/contract.ts'
import * as updates from '../../../areas/updates/contract.ts'
import * as users from '../../../areas/users/contract.ts'
import * as vpn from '../../../areas/vpn/contract.ts'
import * as webApplicationFirewall from '../../../areas/web-application-firewall/contract.ts'
import * as webLog from '../../../areas/web-log/contract.ts'
import * as webProxy from '../../../areas/web-proxy/contract.ts'
import type { Endpoint } from '../../../core/contract/endpoint.ts'
import type { AreaEndpoints } from '../../../core/contract/openapi.ts'

/** Whether the filter runs and what it takes depends on the proxy, so that area answers these. */
const { explainRequest, filterState, filterStatus, ...filterAlone } = contentFilter

/** The first set-up opens a port, so the area of the firewall answers it. */
const { setUpNetwork, ...networkAlone } = network

const modules: Readonly<Record<string, object>> = {
  'sign-in': signIn,
  administrators,
  'directory-administrators': directoryAdministrators,
  configuration,
  audit,
  licence,
  updates,
  statistics,
  objects,
  network: networkAlone,
  firewall: { ...firewall, setUpNetwork },
  'firewall-log': firewallLog,
  backup,
  'intrusion-prevention': intrusionPrevention,
  inspection,
  'application-profiles': applicationProfiles,
  'web-application-firewall': webApplicationFirewall,
  'security-events': securityEvents,
  'web-log': webLog,
  'web-proxy': { ...webProxy, explainRequest, filterState, filterStatus },
  'content-filter': filterAlone,
  'application-control': applicationControl,
  users,
  directory,
  authorization,
  portal,
  'device-discovery': deviceDiscovery,
  vpn,
  'client-agent': clientAgent,
  dns,
  dhcp,
  mail,
  'central-console': centralConsole,
  logs,
  monitor,
  events,
  health,
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const isEndpoint = (value: unknown): value is Endpoint =>
  isObject(value) && 'method' in value && 'path' in value && 'access' in value && 'effect' in value

/** Contracts export endpoints alone or in groups such as `{ show, update }`; schemas beside them are passed over. */
export const endpointsIn = (module: object): Endpoint[] =>
  Object.values(module).flatMap((value) => {
    if (isEndpoint(value)) return [value]
    return isObject(value) ? Object.values(value).filter(isEndpoint) : []
  })

export const contracts: readonly AreaEndpoints[] = Object.entries(modules).map(([name, module]) => ({
  name,
  endpoints: endpointsIn(module),
}))

export const allEndpoints: readonly Endpoint[] = contracts.flatMap((area) => area.endpoints)
