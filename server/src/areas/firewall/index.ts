// The firewall area: settings and state, rendered into one nftables table.

import { defineArea } from '../../http/handle.ts'
import { settings, state } from './config.ts'
import { render } from './render.ts'
import { routes } from './routes.ts'

export const firewall = defineArea({ name: 'firewall', slots: [settings, state], render, routes })
