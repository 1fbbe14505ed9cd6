// The area of monitoring: current traffic, journals, and the settings of external monitoring (flow collectors, SNMP,
// monitoring servers). Flows are not exported yet.

import { defineArea } from '../../http/handle.ts'
import { slots } from './config.ts'
import { renderAgents } from './render-agents.ts'
import { routes } from './routes.ts'
import { flowExport, monitoringAgent, snmp } from './settings.ts'

export const monitor = defineArea({
  name: 'monitor',
  slots,
  settings: [flowExport, snmp, monitoringAgent],
  render: renderAgents,
  routes,
})
