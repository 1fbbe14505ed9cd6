// Which number means what in the rules of the inspection engine and in its events. A signature exists once for each action that a
// channel has for it; its copies have one sid and are told apart by their group (gid).

import type { Action } from './rule.ts'

/** The group of the copies with an action. */
export const groupOfAction = {
  alert: 1,
  drop: 2,
  rejectsrc: 3,
  rejectdst: 4,
  rejectboth: 5,
  pass: 6,
} as const satisfies Readonly<Record<Action, number>>

/** Rules of ours that tell channels apart, and their tests. */
export const channelGroup = 9
/** The sid of the test of a channel is this plus its number. */
export const firstCanarySid = 1_000
/** A datagram with it is dropped in a channel that is inspected with the rules of the generation. */
export const canaryText = (generation: string): string => `portcullis-canary-${generation}`
/** Exceptions for the first packet of a connection: the group is this plus the number of the channel, for IPv6 a hundred more. */
export const firstPacketGroup = 100
/** Rules of application control. The sid is `firstApplicationSid + 100 * (number of the application) + (number of its pattern)`. */
export const applicationGroup = 10
export const firstApplicationSid = 900_000_000
export const patternsPerApplication = 100

/** Set in a connection of the channel while the rules of the generation are in force. It is in every event (`metadata.flowbits`). */
export const channelBit = (number: number, generation: string): string => `c${number}_${generation}`

/** The number of the channel, from the bits of an event. The newest generation is the last one. */
export function channelOfBits(bits: readonly string[]): number | null {
  const found = bits.map((bit) => /^c(\d{1,2})_[0-9a-f]{8}$/.exec(bit)?.[1]).findLast((number) => number !== undefined)
  return found === undefined ? null : Number(found)
}
