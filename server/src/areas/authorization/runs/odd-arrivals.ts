// A card that a rule lets in can send with addresses that are not its own: that of another host, whose session must not end while
// that host is there, or very many of a network that is authorized as a whole, which are not sessions of the card.

import type { Applier, LiveElement } from '../../../core/plan/artifacts.ts'
import type { Neighbour } from '../../../shared/net/neighbours.ts'
import type { KnownHosts } from './known-hosts.ts'
import type { SessionIndex } from './session-index.ts'

/**
 * `impostor`: another card has the address, by its session and by the neighbour table. `not_by_card`: the kernel did not let the
 * host in by its card.
 */
export type Oddity = 'impostor' | 'not_by_card'

interface Parts {
  readonly index: Pick<SessionIndex, 'at' | 'ofRule'>
  readonly known: Pick<KnownHosts, 'ruleFor' | 'networkRuleFor'>
  readonly applier: Pick<Applier, 'readLive'>
  neighbourAt(address: string): Promise<Neighbour | null>
}

/** Those of the hosts that are not what the rule for their card says. */
export async function oddArrivals(
  hosts: readonly LiveElement[],
  parts: Parts,
): Promise<ReadonlyMap<LiveElement, Oddity>> {
  const byCard = hosts.filter(({ address, mac }) => parts.known.ruleFor(address, mac)?.type === 'mac')
  const odd = new Map<LiveElement, Oddity>()
  for (const host of await notByCard(byCard, parts)) odd.set(host, 'not_by_card')
  for (const host of byCard) if (!odd.has(host) && (await isImpostor(host, parts))) odd.set(host, 'impostor')
  return odd
}

/** Its card was in use with another address, or the address is not of its segment. The kernel is asked only where that can be. */
async function notByCard(hosts: readonly LiveElement[], { index, known, applier }: Parts): Promise<LiveElement[]> {
  const seen = new Set<string>()
  const doubtful = hosts.filter(({ address, mac }) => {
    const id = known.ruleFor(address, mac)?.id ?? ''
    if (index.at(address)?.session.ruleId === id) return false
    const isFirst = !seen.has(id) && index.ofRule(id).size === 0
    seen.add(id)
    return !isFirst || known.networkRuleFor(address) !== null
  })
  if (doubtful.length === 0) return []
  const { sets } = await applier.readLive(['auth_pairs'])
  const pairs = new Set((sets.auth_pairs ?? []).map(pairOf))
  return doubtful.filter((host) => !pairs.has(pairOf(host)))
}

const pairOf = ({ address, mac }: LiveElement): string => `${address} ${mac}`

async function isImpostor({ address, mac }: LiveElement, { index, neighbourAt }: Parts): Promise<boolean> {
  const own = index.at(address)?.session.mac ?? null
  if (own === null || own === mac) return false
  const neighbour = await neighbourAt(address).catch(() => null)
  return neighbour?.mac === own
}
