// The area of monitoring: current traffic, journals, and the settings of external monitoring (flow collectors, SNMP,
// monitoring servers).

import { defineArea } from '../../core/area/handle.ts'
import { connections, tunnels } from '../network/public.ts'
import { vpnSettings } from '../vpn/public.ts'
import { slots } from './config.ts'
import { render } from './render.ts'
import { renderAgents } from './render-agents.ts'
import { renderClassifier } from './render-classifier.ts'
import { routes } from './routes.ts'
import { flowExport, monitoringAgent, snmp } from './settings.ts'

export const monitor = defineArea({
  name: 'monitor',
  slots,
  reads: [connections, tunnels, vpnSettings],
  settings: [flowExport, snmp, monitoringAgent],
  render: (config, facts) => [...render(config, facts), ...renderAgents(config), ...renderClassifier(config)],
  routes,
})
