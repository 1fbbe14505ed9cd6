// How many addresses of the ranges are still free, and which are used by a host that has no lease of them. Pure.

import type { Finding } from '../../core/contract/health.ts'
import type { Config } from '../../core/model/slots.ts'
import type { Facts, GivenLease } from '../../core/plan/facts.ts'
import { parseSpan, printAddress } from '../../shared/net/ipv4.ts'
import { say } from '../../shared/said.ts'
import { bindingsOf, serviceOf } from './resolve.ts'

export interface PoolState {
  readonly range: string
  readonly size: number
  readonly free: number
}

export interface Conflict {
  readonly address: number
  /** Who has the lease, and who uses the address. */
  readonly leasedTo: string
  readonly usedBy: string
}

/** Of each range that is served. */
export function poolsOf(config: Config, facts: Facts, leases: readonly GivenLease[]): PoolState[] {
  const { served } = serviceOf(config, facts)
  const taken = new Set([...bindingsOf(config, facts, served), ...leases].map(({ address }) => address))
  return served.flatMap(({ server, network }) =>
    server.ranges.flatMap((range) => {
      const [low, high] = parseSpan(range) ?? [1, 0]
      if (low < network.low || high > network.high || low > high) return []
      let used = 0
      for (const address of taken) if (low <= address && address <= high) used += 1
      return [{ range, size: high - low + 1, free: high - low + 1 - used }]
    }),
  )
}

/** Leased addresses that another card uses. */
export function conflictsOf({ usedAddresses = [] }: Facts, leases: readonly GivenLease[]): Conflict[] {
  const leased = new Map(leases.map(({ address, mac }) => [address, mac]))
  return usedAddresses.flatMap(({ address, mac }) => {
    const leasedTo = leased.get(address)
    return leasedTo === undefined || leasedTo === mac ? [] : [{ address, leasedTo, usedBy: mac }]
  })
}

const mostNamed = 5

/** For the health of the machine: none while no range is served. */
export function poolFindings(config: Config, facts: Facts, leases: readonly GivenLease[]): Finding[] {
  const pools = poolsOf(config, facts, leases)
  if (pools.length === 0) return []
  const [id, title] = ['dhcp-pool', say`DHCP addresses`]
  const full = pools.filter(({ free }) => free <= 0)
  const conflicts = conflictsOf(facts, leases)
  if (full.length > 0) {
    const ranges = full.slice(0, mostNamed).map(({ range }) => range)
    const newest = leases.toSorted((one, other) => other.expiresAt - one.expiresAt).slice(0, mostNamed)
    return [
      {
        id,
        title,
        state: 'failed' as const,
        message: say`No free address is left in ${ranges.join(', ')}. Hosts without a lease get none. The newest leases: ${newest.map(({ address, mac }) => `${printAddress(address)} (${mac})`).join(', ')}.`,
        advice: say`Make the range larger or the lease time shorter. Many leases with similar cards within minutes are a host that takes them all.`,
      },
    ]
  }
  if (conflicts.length > 0) {
    const named = conflicts
      .slice(0, mostNamed)
      .map(({ address, leasedTo, usedBy }) => `${printAddress(address)} (${leasedTo}, ${usedBy})`)
    return [
      {
        id,
        title,
        state: 'warning' as const,
        message: say`An address is leased to one card and used by another: ${named.join(', ')}.`,
        advice: say`Give the host that has its address by hand another one, or add a static lease for it.`,
      },
    ]
  }
  return [{ id, title, state: 'ok', message: say`All ranges have free addresses.`, advice: '' }]
}
