// What runs for DNS, by name. How it is made is in runs.ts.

import { optionalService } from '../../core/area/service.ts'
import type { DdnsUpdater } from './runs/ddns.ts'

/** Keeps a domain at the external address. */
export const ddnsService = optionalService<DdnsUpdater>('dynamic DNS')
