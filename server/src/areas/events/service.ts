// What runs for events, by name. How it is made is in runs.ts.

import { service } from '../../core/area/service.ts'
import type { ReadStatus } from '../../core/area/statuses.ts'

/** What every status endpoint would answer now. */
export const statusesService = service<() => Promise<readonly ReadStatus[]>>('statuses')
