// The list of engines that applyd runs, in the order in which their units start. A test compares it with engines/index.ts.

import { antivirusEngine } from './antivirus/applyd/index.ts'
import { dhcpEngine } from './dhcp/applyd/index.ts'
import { dhcpClientEngine } from './dhcp-client/applyd/index.ts'
import { dnsEngine } from './dns/applyd/index.ts'
import { fastPathEngine } from './fast-path/applyd/index.ts'
import { firewallLogEngine } from './firewall-log/applyd/index.ts'
import { flowExportEngine } from './flow-export/applyd/index.ts'
import { inspectionEngine } from './inspection/applyd/index.ts'
import type { Engine } from './kit/privileged.ts'
import { monitoringAgentEngine } from './monitoring-agent/applyd/index.ts'
import { portalEngine } from './portal/applyd/index.ts'
import { shareUploadEngine } from './share-upload/applyd/index.ts'
import { snmpEngine } from './snmp/applyd/index.ts'
import { trafficClassifierEngine } from './traffic-classifier/applyd/index.ts'
import { webFilterEngine } from './web-filter/applyd/index.ts'
import { wpadEngine } from './wpad/applyd/index.ts'

export const productionEngines: readonly Engine[] = [
  firewallLogEngine,
  dnsEngine,
  dhcpEngine,
  dhcpClientEngine,
  wpadEngine,
  shareUploadEngine,
  portalEngine,
  snmpEngine,
  monitoringAgentEngine,
  flowExportEngine,
  trafficClassifierEngine,
  antivirusEngine,
  webFilterEngine,
  inspectionEngine,
  fastPathEngine,
]
