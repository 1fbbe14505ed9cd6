// The list of areas. Only app.ts and main.ts import it.

import type { Area } from '../http/handle.ts'
import { administratorsArea } from './administrators/index.ts'
import { configuration } from './configuration/index.ts'
import { firewall } from './firewall/index.ts'
import { firewallLogArea } from './firewall-log/index.ts'
import { journal } from './journal/index.ts'
import { licenceArea } from './licence/index.ts'
import { network } from './network/index.ts'
import { objects } from './objects/index.ts'
import { signInArea } from './sign-in/index.ts'
import { statistics } from './statistics/index.ts'

export const areas: readonly Area[] = [
  signInArea,
  administratorsArea,
  configuration,
  journal,
  licenceArea,
  statistics,
  objects,
  network,
  firewall,
  firewallLogArea,
]
