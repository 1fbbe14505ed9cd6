// What runs for the firewall, by name. How it is made is in runs.ts.

import { optionalService, service } from '../../core/area/service.ts'
import type { channelContents, rulesByProfile } from './channel-contents.ts'
import type { ConnectionGuard } from './runs/connection-guard.ts'
import type { HitCounters } from './runs/hit-counters.ts'

/** What rules inspect with. */
export const channelsService = service<{
  readonly contents: typeof channelContents
  readonly rulesByProfile: typeof rulesByProfile
}>('channels of inspection')
export const hitCountersService = service<HitCounters>('hit counters')
/** Keeps room in the table of connections. */
export const connectionGuardService =
  optionalService<Pick<ConnectionGuard, 'table' | 'hosts' | 'isFull'>>('connection guard')
