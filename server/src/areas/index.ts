// The list of areas. Only app.ts and main.ts import it.

import type { Area } from '../core/area/handle.ts'
import { administratorsArea } from './administrators/index.ts'
import { applicationControl } from './application-control/index.ts'
import { applicationProfilesArea } from './application-profiles/index.ts'
import { audit } from './audit/index.ts'
import { authorization } from './authorization/index.ts'
import { backup } from './backup/index.ts'
import { centralConsole } from './central-console/index.ts'
import { clientAgent } from './client-agent/index.ts'
import { configuration } from './configuration/index.ts'
import { contentFilter } from './content-filter/index.ts'
import { deviceDiscovery } from './device-discovery/index.ts'
import { dhcp } from './dhcp/index.ts'
import { directory } from './directory/index.ts'
import { directoryAdministrators } from './directory-administrators/index.ts'
import { dns } from './dns/index.ts'
import { events } from './events/index.ts'
import { firewall } from './firewall/index.ts'
import { firewallLogArea } from './firewall-log/index.ts'
import { health } from './health/index.ts'
import { inspectionArea } from './inspection/index.ts'
import { intrusionPrevention } from './intrusion-prevention/index.ts'
import { licenceArea } from './licence/index.ts'
import { logs } from './logs/index.ts'
import { mail } from './mail/index.ts'
import { monitor } from './monitor/index.ts'
import { network } from './network/index.ts'
import { objects } from './objects/index.ts'
import { portalArea } from './portal/index.ts'
import { securityEvents } from './security-events/index.ts'
import { signInArea } from './sign-in/index.ts'
import { statistics } from './statistics/index.ts'
import { updates } from './updates/index.ts'
import { usersArea } from './users/index.ts'
import { vpn } from './vpn/index.ts'
import { webApplicationFirewall } from './web-application-firewall/index.ts'
import { webLog } from './web-log/index.ts'
import { webProxy } from './web-proxy/index.ts'

export const areas: readonly Area[] = [
  signInArea,
  administratorsArea,
  directoryAdministrators,
  configuration,
  audit,
  licenceArea,
  updates,
  statistics,
  objects,
  network,
  firewall,
  firewallLogArea,
  backup,
  intrusionPrevention,
  inspectionArea,
  applicationProfilesArea,
  webApplicationFirewall,
  contentFilter,
  webProxy,
  applicationControl,
  usersArea,
  directory,
  authorization,
  portalArea,
  deviceDiscovery,
  vpn,
  clientAgent,
  dns,
  dhcp,
  mail,
  centralConsole,
  logs,
  monitor,
  securityEvents,
  webLog,
  events,
  health,
]
