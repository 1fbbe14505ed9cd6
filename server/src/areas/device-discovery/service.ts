// What runs for device discovery, by name. How it is made is in runs.ts.

import { optionalService } from '../../core/area/service.ts'

/** What device discovery does with unknown hosts. */
export interface DiscoveryState {
  /** Hosts that are not users yet. */
  readonly waiting: number
  /** No more become users in this minute. */
  readonly isHeldBack: boolean
  /** No more become users at all, until some are removed. */
  readonly isFull: boolean
  /** Why the last ones were not added; null when they were. */
  readonly fault: string | null
}

/** Makers of network cards, by MAC. */
export const cardVendorsService = optionalService<{
  lookUp(macs: readonly string[]): Promise<ReadonlyMap<string, string>>
  isKnown(): Promise<boolean>
}>('makers of cards')
/** Makes users of unknown hosts. */
export const deviceDiscoveryService = optionalService<{ state(): DiscoveryState }>('device discovery')
