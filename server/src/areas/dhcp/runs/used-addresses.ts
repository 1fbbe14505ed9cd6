// Addresses of local networks that hosts use without a lease of ours, as the neighbour table of the kernel shows them. The DHCP
// server keeps them for these hosts. An address that was used stays known for a day.

import type { GivenLease, UsedAddress } from '../../../core/plan/facts.ts'
import type { Neighbour } from '../../../shared/net/neighbours.ts'

const keepSeconds = 86_400
/** A host that claims more addresses than this has no more of them kept for it: it could take all of a range. */
export const mostOfOneCard = 16
const mostInAll = 4_096

export interface UsedAddressParts {
  readonly neighbours: () => Promise<readonly Neighbour[]>
  readonly leases: () => Promise<readonly GivenLease[]>
  /** Seconds that passed since some moment. */
  readonly elapsed: () => number
  /** The list is another one now. */
  readonly onChange: () => void
}

export interface UsedAddresses {
  current(): readonly UsedAddress[]
  look(): Promise<void>
}

interface Seen {
  readonly mac: string
  readonly at: number
}

export function createUsedAddresses({ neighbours, leases, elapsed, onChange }: UsedAddressParts): UsedAddresses {
  const seen = new Map<number, Seen>()
  let current: readonly UsedAddress[] = []

  async function look(): Promise<void> {
    const [around, given] = await Promise.all([neighbours(), leases()])
    const now = elapsed()
    const leased = new Map(given.map(({ address, mac }) => [address, mac]))
    for (const { address: place, mac } of around) if (leased.get(place) !== mac) seen.set(place, { mac, at: now })
    for (const [place, { mac, at }] of seen) if (now - at > keepSeconds || leased.get(place) === mac) seen.delete(place)
    const next = listOf(seen)
    const isSame = next.length === current.length && next.every((one, at) => isEqual(one, current[at]))
    if (isSame) return
    current = next
    onChange()
  }

  return { current: () => current, look }
}

const isEqual = (one: UsedAddress, other: UsedAddress | undefined): boolean =>
  one.address === other?.address && one.mac === other.mac

function listOf(seen: ReadonlyMap<number, Seen>): UsedAddress[] {
  const counts = new Map<string, number>()
  for (const { mac } of seen.values()) counts.set(mac, (counts.get(mac) ?? 0) + 1)
  return [...seen]
    .filter(([, { mac }]) => (counts.get(mac) ?? 0) <= mostOfOneCard)
    .map(([address, { mac }]) => ({ address, mac }))
    .sort((a, b) => a.address - b.address)
    .slice(0, mostInAll)
}
