// All pages of the console, by area. The rail, the routes and the palette are made of this list.

import type { PageEntry } from '../page.ts'
import { pages as administrators } from './administrators/index.ts'
import { pages as applicationControl } from './application-control/index.ts'
import { pages as applicationProfiles } from './application-profiles/index.ts'
import { pages as centralConsole } from './central-console/index.ts'
import { pages as clientAgent } from './client-agent/index.ts'
import { pages as contentFilter } from './content-filter/index.ts'
import { pages as deviceDiscovery } from './device-discovery/index.ts'
import { pages as directory } from './directory/index.ts'
import { pages as directoryAdministrators } from './directory-administrators/index.ts'
import { pages as dns } from './dns/index.ts'
import { pages as licence } from './licence/index.ts'
import { pages as mail } from './mail/index.ts'
import { pages as portal } from './portal/index.ts'
import { pages as signIn } from './sign-in/index.ts'
import { pages as statistics } from './statistics/index.ts'
import { pages as updates } from './updates/index.ts'
import { pages as vpn } from './vpn/index.ts'
import { pages as webApplicationFirewall } from './web-application-firewall/index.ts'

/** In the order of the rail: by group, then as they stand here. */
export const pages: readonly PageEntry[] = [
  ...applicationControl,
  ...applicationProfiles,
  ...contentFilter,
  ...webApplicationFirewall,
  ...dns,
  ...vpn,
  ...clientAgent,
  ...mail,
  ...portal,
  ...directory,
  ...deviceDiscovery,
  ...administrators,
  ...directoryAdministrators,
  ...signIn,
  ...centralConsole,
  ...licence,
  ...statistics,
  ...updates,
]
