// The guard against lock-out: would a new connection of the administrator who makes a change still be accepted afterwards?
// Asked before a change that is not on probation; uses the network and the firewall.

import type { LockOutGuard } from '../../core/config/change.ts'
import type { Config } from '../../core/model/slots.ts'
import type { Facts } from '../../core/plan/facts.ts'
import { evaluate } from '../../domain/policy/evaluate.ts'
import { findWay, routingOf } from '../../domain/policy/evaluate-routing.ts'
import { parseAddress } from '../../shared/net/ipv4.ts'
import { say } from '../../shared/said.ts'
import { wouldCut } from '../network/public.ts'
import { policyOf } from './resolve.ts'

/** A typical port of a client: rules for other source ports do not apply to it. */
const clientPort = 50_000

/** `membersAt`: ids of the user who has a session at an address, and of all groups above. */
export function createLockOutGuard(
  readFacts: () => Facts,
  now: () => Date,
  membersAt: (address: string) => readonly string[] = () => [],
): LockOutGuard {
  return (before, after, { address, reached }) => {
    const facts = readFacts()
    // Loopback and the entry into the lab from outside are not part of the network.
    const near = reached && deviceWith(facts, reached.address)
    if (!near) return null
    const cut = wouldCut(before, after, facts, reached.address, address)
    if (cut !== null) return cut
    const isLetIn = (config: Config): boolean => {
      const policy = policyOf(config, facts)
      const routing = routingOf(facts, policy)
      const source = parseAddress(address)
      const way = source === null ? null : findWay(routing, [source, source])
      const packet = {
        protocol: 'tcp',
        source: address,
        source_port: clientPort,
        destination: reached.address,
        destination_port: reached.port,
        // IPv6 routes are not among the facts: it comes in where the address is that it reached.
        incoming_interface: way?.kind === 'device' ? way.device : near,
        time: Math.floor(now().getTime() / 1000),
        sourceMembers: membersAt(address),
      } as const
      const { verdict } = evaluate(policy, packet, routing, { reasons: false })
      return verdict !== 'drop' && verdict !== 'reject'
    }
    return isLetIn(before) && !isLetIn(after)
      ? say`After this change your own connection from ${address} to ${reached.address} port ${reached.port} would be dropped.`
      : null
  }
}

const deviceWith = (facts: Facts, address: string): string | undefined =>
  facts.interfaces.find(({ addresses }) => addresses.some((one) => one.split('/')[0] === address))?.name
