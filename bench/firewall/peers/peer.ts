// What a peer is: another firewall of Debian that takes the same rules, in its own room.

import { networkOf, parseSpan, printSpan } from '../../../server/src/shared/net/ipv4.ts'
import type { Room } from '../room.ts'
import type { BenchPolicy, BenchRule } from '../rules.ts'

export interface Peer {
  readonly name: string
  /** Without it the peer is not installed. */
  readonly program: string
  /** How a rule is added, in its own words. */
  readonly way: string
  /** Starts it with these rules in its own files. */
  readonly start: (room: Room, policy: BenchPolicy) => void
  /** Puts one rule for the host in the middle of the others; answers with milliseconds. */
  readonly addRule: (room: Room, host: string, policy: BenchPolicy) => number
}

/** Peers without ranges and lists get a network or host that is in it: one rule for one rule. */
export function plainDestination({ lists }: BenchPolicy, { destination, list }: BenchRule): string | null {
  if (list !== null) return lists[list]?.[0] ?? null
  if (!destination?.includes('-')) return destination
  const [first = 0] = parseSpan(destination) ?? []
  const { low, high } = networkOf(first, 28)
  return printSpan(low, high)
}
