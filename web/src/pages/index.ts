// All pages of the console, by area. The rail, the routes and the palette are made of this list.

import type { PageEntry } from '../page.ts'
import { pages as administrators } from './administrators/index.ts'
import { pages as applicationControl } from './application-control/index.ts'
import { pages as applicationProfiles } from './application-profiles/index.ts'
import { pages as authorization } from './authorization/index.ts'
import { pages as backup } from './backup/index.ts'
import { pages as centralConsole } from './central-console/index.ts'
import { pages as clientAgent } from './client-agent/index.ts'
import { pages as configuration } from './configuration/index.ts'
import { pages as contentFilter } from './content-filter/index.ts'
import { pages as deviceDiscovery } from './device-discovery/index.ts'
import { pages as dhcp } from './dhcp/index.ts'
import { pages as directory } from './directory/index.ts'
import { pages as directoryAdministrators } from './directory-administrators/index.ts'
import { pages as dns } from './dns/index.ts'
import { pages as firewall } from './firewall/index.ts'
import { pages as health } from './health/index.ts'
import { pages as inspection } from './inspection/index.ts'
import { pages as intrusionPrevention } from './intrusion-prevention/index.ts'
import { pages as licence } from './licence/index.ts'
import { pages as logs } from './logs/index.ts'
import { pages as mail } from './mail/index.ts'
import { pages as monitor } from './monitor/index.ts'
import { pages as network } from './network/index.ts'
import { pages as objects } from './objects/index.ts'
import { pages as overview } from './overview/index.ts'
import { pages as portal } from './portal/index.ts'
import { pages as securityEvents } from './security-events/index.ts'
import { pages as signIn } from './sign-in/index.ts'
import { pages as statistics } from './statistics/index.ts'
import { pages as updates } from './updates/index.ts'
import { pages as users } from './users/index.ts'
import { pages as vpn } from './vpn/index.ts'
import { pages as webApplicationFirewall } from './web-application-firewall/index.ts'
import { pages as webLog } from './web-log/index.ts'
import { pages as webProxy } from './web-proxy/index.ts'

/** In the order of the rail. */
export const pages: readonly PageEntry[] = [
  ...overview,
  ...health,
  ...firewall,
  ...objects,
  ...applicationControl,
  ...applicationProfiles,
  ...intrusionPrevention,
  ...inspection,
  ...contentFilter,
  ...webProxy,
  ...webApplicationFirewall,
  ...network,
  ...dns,
  ...dhcp,
  ...vpn,
  ...clientAgent,
  ...mail,
  ...users,
  ...authorization,
  ...portal,
  ...directory,
  ...deviceDiscovery,
  ...monitor,
  ...logs,
  ...webLog,
  ...securityEvents,
  ...configuration,
  ...administrators,
  ...directoryAdministrators,
  ...signIn,
  ...backup,
  ...centralConsole,
  ...licence,
  ...statistics,
  ...updates,
]
