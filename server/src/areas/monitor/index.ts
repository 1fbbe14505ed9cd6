// The area of monitoring: current traffic, journals, and the settings of external monitoring (flow collectors, SNMP,
// monitoring servers). Nothing is exported or answered yet.

import { defineArea } from '../../http/handle.ts'
import { slots } from './config.ts'
import { routes } from './routes.ts'
import { flowExport, monitoringAgent, snmp } from './settings.ts'

export const monitor = defineArea({ name: 'monitor', slots, settings: [flowExport, snmp, monitoringAgent], routes })
