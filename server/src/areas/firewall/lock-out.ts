// The guard against locking oneself out: would a new connection of the change's author, from where it comes to where it ends
// now, still get in afterwards? Asked before a change that is not on probation; wired over the network and the firewall.

import type { LockOutGuard } from '../../config/change.ts'
import type { Config } from '../../model/slots.ts'
import { parseAddress } from '../../net/ipv4.ts'
import type { Facts } from '../../plan/facts.ts'
import { evaluate } from '../../policy/evaluate.ts'
import { findWay, routingOf } from '../../policy/evaluate-routing.ts'
import { wouldCut } from '../network/public.ts'
import { policyOf } from './resolve.ts'

/** Any port a client may have: rules on source ports that single out others are none of its business. */
const clientPort = 50_000

export function createLockOutGuard(readFacts: () => Facts, now: () => Date): LockOutGuard {
  return (before, after, { address, reached }) => {
    const facts = readFacts()
    // Loopback and the lab's door outside of its walls are not the network's business.
    if (!reached || !isOnOurDevices(facts, reached.address)) return null
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
        incoming_interface: way?.kind === 'device' ? way.device : '',
        time: Math.floor(now().getTime() / 1000),
      } as const
      return evaluate(policy, packet, routing, { reasons: false }).verdict !== 'drop'
    }
    return isLetIn(before) && !isLetIn(after)
      ? `After this change your own connection from ${address} to ${reached.address} port ${reached.port} would be dropped.`
      : null
  }
}

const isOnOurDevices = (facts: Facts, address: string): boolean =>
  facts.interfaces.some(({ addresses }) => addresses.some((one) => one.split('/')[0] === address))
