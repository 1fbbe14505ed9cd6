// The list of engines that applyd runs, in the order in which their units start. A test compares it with engines/index.ts.

import { antivirusEngine } from './antivirus/index.ts'
import { dhcpEngine } from './dhcp/index.ts'
import { dhcpClientEngine } from './dhcp-client/index.ts'
import { dnsEngine } from './dns/index.ts'
import type { Engine } from './engine.ts'
import { firewallLogEngine } from './firewall-log/index.ts'
import { flowExportEngine } from './flow-export/index.ts'
import { inspectionEngine } from './inspection/index.ts'
import { monitoringAgentEngine } from './monitoring-agent/index.ts'
import { portalEngine } from './portal/index.ts'
import { shareUploadEngine } from './share-upload/index.ts'
import { snmpEngine } from './snmp/index.ts'
import { trafficClassifierEngine } from './traffic-classifier/index.ts'
import { webFilterEngine } from './web-filter/index.ts'
import { wpadEngine } from './wpad/index.ts'

export const productionEngines: readonly Engine[] = [
  ...[firewallLogEngine, dnsEngine, dhcpEngine, dhcpClientEngine, wpadEngine, shareUploadEngine, portalEngine],
  ...[snmpEngine, monitoringAgentEngine],
  ...[flowExportEngine, trafficClassifierEngine, antivirusEngine, webFilterEngine, inspectionEngine],
]
