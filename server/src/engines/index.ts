// The list of engines, in the order in which their units start.

import type { EngineData } from '../core/engine/engine.ts'
import { antivirus } from './antivirus/index.ts'
import { dhcp } from './dhcp/index.ts'
import { dhcpClient } from './dhcp-client/index.ts'
import { dns } from './dns/index.ts'
import { fastPath } from './fast-path/index.ts'
import { firewallLog } from './firewall-log/index.ts'
import { flowExport } from './flow-export/index.ts'
import { inspectionEngine } from './inspection/index.ts'
import { monitoringAgent } from './monitoring-agent/index.ts'
import { portal } from './portal/index.ts'
import { shareUpload } from './share-upload/index.ts'
import { snmp } from './snmp/index.ts'
import { trafficClassifier } from './traffic-classifier/index.ts'
import { webFilter } from './web-filter/index.ts'
import { wpad } from './wpad/index.ts'

export const engines: readonly EngineData[] = [
  firewallLog,
  dns,
  dhcp,
  dhcpClient,
  wpad,
  shareUpload,
  portal,
  snmp,
  monitoringAgent,
  flowExport,
  trafficClassifier,
  antivirus,
  webFilter,
  inspectionEngine,
  fastPath,
]
