// What runs for the areas, in the order in which it is made and started; it is stopped in the reverse order.

import { runs as audit } from '../areas/audit/runs.ts'
import { runs as authorization } from '../areas/authorization/runs.ts'
import { runs as backup } from '../areas/backup/runs.ts'
import { runs as contentFilter } from '../areas/content-filter/runs.ts'
import { runs as deviceDiscovery } from '../areas/device-discovery/runs.ts'
import { runs as dhcp } from '../areas/dhcp/runs.ts'
import { runs as dns } from '../areas/dns/runs.ts'
import { runs as firewall } from '../areas/firewall/runs.ts'
import { runs as health } from '../areas/health/runs.ts'
import { runs as inspection } from '../areas/inspection/runs.ts'
import { runs as intrusionPrevention } from '../areas/intrusion-prevention/runs.ts'
import { runs as licence } from '../areas/licence/runs.ts'
import { runs as logs } from '../areas/logs/runs.ts'
import { runs as mail } from '../areas/mail/runs.ts'
import { runs as monitor } from '../areas/monitor/runs.ts'
import { runs as objects } from '../areas/objects/runs.ts'
import { runs as portal } from '../areas/portal/runs.ts'
import { runs as updates } from '../areas/updates/runs.ts'
import { runs as webProxy } from '../areas/web-proxy/runs.ts'
import type { Run } from '../core/area/run.ts'

export const runs: readonly Run[] = [
  ...licence,
  ...objects,
  ...authorization,
  ...dhcp,
  ...firewall,
  ...intrusionPrevention,
  ...inspection,
  ...contentFilter,
  ...webProxy,
  ...monitor,
  ...logs,
  ...audit,
  ...backup,
  ...dns,
  ...mail,
  ...deviceDiscovery,
  ...portal,
  ...updates,
  ...health,
]
