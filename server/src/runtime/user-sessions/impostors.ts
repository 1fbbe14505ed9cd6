// A card that a rule lets in can send with addresses that are not its own: that of another host, whose session must not end while
// that host is there, or very many of a network that is authorized as a whole, which are not sessions of the card.

import type { LiveElement } from '../../plan/artifacts.ts'
import type { KnownHosts } from './known-hosts.ts'
import type { Neighbour } from './neighbours.ts'
import type { SessionIndex } from './session-index.ts'

/**
 * Those of the hosts whose address another card has, by its session and by the neighbour table. Their connections are left
 * alone: they have the address of the other one.
 */
export async function impostorsAmong(
  hosts: readonly LiveElement[],
  index: Pick<SessionIndex, 'at'>,
  neighbourAt: (address: string) => Promise<Neighbour | null>,
): Promise<ReadonlySet<LiveElement>> {
  const impostors = new Set<LiveElement>()
  for (const host of hosts) {
    const mac = index.at(host.address)?.session.mac ?? null
    if (mac === null || host.mac === null || host.mac === mac) continue
    const neighbour = await neighbourAt(host.address).catch(() => null)
    if (neighbour?.mac === mac) impostors.add(host)
  }
  return impostors
}

/**
 * Those of the hosts with the card of a rule that the kernel did not let in by it: the card was in use with another address, or
 * the address is not of its segment. The kernel is asked only where that can be: a card has one address, as a rule.
 */
export async function notByCard(
  hosts: readonly LiveElement[],
  index: Pick<SessionIndex, 'at' | 'ofRule'>,
  known: Pick<KnownHosts, 'ruleFor' | 'networkRuleFor'>,
  readPairs: () => Promise<readonly LiveElement[]>,
): Promise<ReadonlySet<LiveElement>> {
  const seen = new Set<string>()
  const doubtful = hosts.filter(({ address, mac }) => {
    const rule = known.ruleFor(address, mac)
    if (rule?.type !== 'mac' || index.at(address)?.session.ruleId === rule.id) return false
    const isFirst = !seen.has(rule.id) && index.ofRule(rule.id).size === 0
    seen.add(rule.id)
    return !isFirst || known.networkRuleFor(address) !== null
  })
  if (doubtful.length === 0) return new Set()
  const pairs = new Set((await readPairs()).map(pairOf))
  return new Set(doubtful.filter((host) => !pairs.has(pairOf(host))))
}

const pairOf = ({ address, mac }: LiveElement): string => `${address} ${mac}`
