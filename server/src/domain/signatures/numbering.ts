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

/** Of a list of flowbits in one option; Suricata 7 refuses a rule with a longer one. */
export const mostFlowbitsBytes = 255

/**
 * Set in a connection of the channel; it is in every event (`metadata.flowbits`). Short, so that a list of all 63 is one that the engine
 * takes. No other signature may name it (refused.ts).
 */
export const channelBit = (number: number): string => `@${number}`

/** Set in a connection that has the bit of its channel by the rules of the generation. */
export const generationBit = (generation: string): string => `k_${generation}`

/** Set in a connection in which no more bytes pass: one side has reset it, or bytes before its end were given up. There is no such channel. */
export const shutBit = '@0'
/** The engine missed packets to the server or to the client. There are no such channels either. */
export const lostBits = ['@00', '@01'] as const
/** The end of what is said to the server or to the client was seen. */
export const endBits = ['@02', '@03'] as const

/** The number of the channel, from the bits of an event. */
export function channelOfBits(bits: readonly string[]): number | null {
  const found = bits.map((bit) => /^@([1-9]\d?)$/.exec(bit)?.[1]).findLast((number) => number !== undefined)
  return found === undefined ? null : Number(found)
}
