// The firewall log area: runs the reader while anything is logged and shows what it wrote. Which connections are marked
// and which actions are recorded is the firewall's business.

import { defineArea } from '../../core/area/handle.ts'
import { deciding } from '../firewall/public.ts'
import { render } from './render.ts'
import { routes } from './routes.ts'

export const firewallLogArea = defineArea({ name: 'firewall-log', slots: [], reads: [...deciding], render, routes })
