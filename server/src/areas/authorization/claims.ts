// Whose address is whose, by the enabled authorization rules. An address is one user's at a time: rules for a host come before
// those for a network, those that also name its card first, and among equal ones the first in the list. Pure.

import type { Span } from '../../domain/policy/model.ts'
import { highestAddress, parseAddress, parseNetwork } from '../../shared/net/ipv4.ts'
import { invert, type Ranges, toRanges, unite } from '../../shared/net/ranges.ts'
import type { AuthorizationRule } from './contract.ts'

export interface Claim {
  readonly userNumber: number
  readonly ranges: Ranges
}

/** What the rules say of addresses. */
export interface Claims {
  /** Numbers of users by address. */
  readonly hosts: ReadonlyMap<number, number>
  /** In the order of the rules. */
  readonly networks: readonly Wanted[]
}

/** A host, a network, or nothing that could be read; a network of one host is that host. */
export function spanOf({ ip }: Pick<AuthorizationRule, 'ip'>): Span | null {
  if (ip === null) return null
  const address = parseAddress(ip)
  if (address !== null) return [address, address]
  const network = parseNetwork(ip)
  return network && [network.low, network.high]
}

interface Wanted {
  readonly userNumber: number
  readonly span: Span
}

export function claimsOf(rules: readonly AuthorizationRule[]): Claims {
  const hosts = new Map<number, number>()
  const networks: Wanted[] = []
  const enabled = rules.filter((rule) => rule.enabled)
  for (const isBound of [true, false])
    for (const rule of enabled) {
      const span = spanOf(rule)
      if (span === null || (rule.mac !== null) !== isBound) continue
      if (span[0] === span[1]) {
        if (!hosts.has(span[0])) hosts.set(span[0], rule.user_id)
        // A card does not have a whole network, so such a rule gives nothing.
      } else if (!isBound) networks.push({ userNumber: rule.user_id, span })
    }
  return { hosts, networks }
}

/** After the last host. */
const beyond = Number.POSITIVE_INFINITY

/**
 * The networks without these hosts, and without networks of earlier rules. Those that overlap are one inside of the other, so
 * that each outermost one can be looked at alone.
 */
export function claimNetworks(wanted: readonly Wanted[], others: Iterable<number>): readonly Claim[] {
  const hosts = [...others].sort((a, b) => a - b)
  const sorted = wanted.toSorted((a, b) => a.span[0] - b.span[0] || b.span[1] - a.span[1])
  const claims: Claim[] = []
  let [at, host] = [0, 0]
  while (at < sorted.length) {
    const [low, high] = (sorted[at] as Wanted).span
    const inside = new Set<Wanted>()
    for (; at < sorted.length && (sorted[at] as Wanted).span[0] <= high; at++) inside.add(sorted[at] as Wanted)
    while ((hosts[host] ?? beyond) < low) host++
    const taken: Span[] = []
    for (let own = hosts[host] ?? beyond; own <= high; own = hosts[++host] ?? beyond) taken.push([own, own])
    const inOrder = inside.size === 1 ? [...inside] : wanted.filter((one) => inside.has(one))
    claims.push(...claimInOrder(inOrder, toRanges(taken)))
  }
  return claims
}

function claimInOrder(wanted: readonly Wanted[], hosts: Ranges): Claim[] {
  let taken = hosts
  return wanted.map(({ userNumber, span }) => {
    const ranges = invert(unite([invert(span, highestAddress), taken]), highestAddress)
    taken = unite([taken, span])
    return { userNumber, ranges }
  })
}
