// The DNS area: how names are resolved for the local networks, by unbound. Interception is in the firewall's table.

import { defineArea } from '../../http/handle.ts'
import { connections } from '../network/public.ts'
import { slots } from './config.ts'
import { references } from './edits.ts'
import { render } from './render.ts'
import { routes } from './routes.ts'
import { verify } from './verify.ts'

export const dns = defineArea({ name: 'dns', slots, reads: [connections], verify, references, render, routes })
