// What runs for the firewall log, by name. How it is made is in gatewayd/logs/runs.ts, which has the thread of the log.

import { optionalService } from '../../core/area/service.ts'

/** Tells the thread of the log what it has to know of hits. */
export const hitReaderService = optionalService<object>('reader of firewall hits')
