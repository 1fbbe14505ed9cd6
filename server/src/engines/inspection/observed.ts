// The way of packets to the engine, as a plan names it and as applyd observes it.

import type { EngineWay, Observation } from '../../core/plan/artifacts.ts'
import type { InspectedChannel } from '../../core/plan/inspection-marks.ts'

export const inspectionWay = 'inspection'

/** Packets of connections with the mark of a channel go to the queue of the engine. Channels by number, in rising order. */
export const leadToInspection = (channels: readonly InspectedChannel[]): EngineWay => ({
  kind: 'way',
  name: inspectionWay,
  entries: channels,
})

/** While anything is inspected: by what packets come to the engine (`none`: they do not), and why iptables refused. */
export interface QueueObservation {
  readonly form: 'nftables' | 'iptables' | 'none'
  readonly fault: string | null
  /** Since when an engine holds the queues, in seconds since boot; null while none does. */
  readonly heldSince: number | null
  /** More came than the engine took: what may pass without it passes by it for a while. */
  readonly isOverrun: boolean
  /** Numbers of channels of which the kernel drops every packet: they must not pass, and are not known to be inspected. */
  readonly blocked: readonly number[]
  /** Packets since applyd started: passed without inspection, and lost in a full queue (of channels that may pass, and of those that may not). */
  readonly passed: number
  readonly lost: { readonly open: number; readonly closed: number }
}

export const queuesIn = (observation: Observation | null | undefined): QueueObservation | undefined =>
  observation?.ways?.[inspectionWay] as QueueObservation | undefined
