// What runs for the audit trail, by name. How it is made is in runs.ts.

import { optionalService } from '../../core/area/service.ts'
import type { AuditUsage } from '../../core/audit/audit-retention.ts'

/** How much of its limits the audit trail uses. */
export const auditUsageService = optionalService<() => AuditUsage>('limits of the audit trail')
