// The DHCP area: addresses for the local networks, leased here or by a server that requests are relayed to. Its engine comes
// later, so nothing is rendered.

import { defineArea } from '../../http/handle.ts'
import { connections } from '../network/config.ts'
import { slots } from './config.ts'
import { references } from './edits.ts'
import { routes } from './routes.ts'
import { verify } from './verify.ts'

export const dhcp = defineArea({ name: 'dhcp', slots, reads: [connections], verify, references, routes })
