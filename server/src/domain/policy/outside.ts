// The end of INPUT and FORWARD for what comes in through an external interface: a new connection that no rule of an
// administrator decided about is dropped, unless a DNAT rule translated it, the link needs it or a service is switched on
// for outside. As data and as the evaluator uses it; compile-outside.ts renders the same for the kernel. Pure.

import type { Cut, Flow } from './evaluate-match.ts'
import type { OutsideService, Policy, Span } from './model.ts'

export const outsideOrigins = {
  input: { dropped: 'inp.sys.external', translated: 'inp.sys.translated' },
  forward: { dropped: 'fwd.sys.external', translated: 'fwd.sys.translated' },
} as const

/** What a machine on the link of a provider cannot live without. Errors of ICMP belong to their connections. */
export const linkOrigin = 'inp.sys.link'

/** Only a provider tells the gateway where IPv6 goes: anyone else who did would get what the gateway sends, and take part in its traffic. */
export const routerOrigin = 'inp.sys.router'

/** The system rules at the end of the tables that are always there. */
export const endOrigins: readonly string[] = [
  ...Object.values(outsideOrigins).flatMap(({ dropped, translated }) => [dropped, translated]),
  linkOrigin,
  routerOrigin,
]

/** Answers to DHCP clients: the server is asked by multicast or broadcast, so they belong to no connection. */
export const dhcpAnswers = {
  ipv4: { sourcePort: 67, destinationPort: 68 },
  ipv6: { sourcePort: 547, destinationPort: 546 },
} as const

/** Multicast listener queries, and neighbour discovery without redirects (RFC 4861). */
export const linkMessages: readonly Span[] = [
  [130, 130],
  [133, 136],
]

export interface OutsideDecision {
  readonly origin: string
  readonly verdict: 'accept' | 'drop'
  /** The service that accepts, when that is why. */
  readonly service: string | null
}

/**
 * Null when the packet does not come from outside: the default decides then. `original` is the packet before DNAT, `source`
 * its source as text.
 */
export function decideOutside(
  policy: Pick<Policy, 'externalDevices' | 'outsideServices'>,
  path: 'input' | 'forward',
  flow: Flow,
  original: Flow,
  source: string,
): OutsideDecision | Cut | null {
  if (flow.incoming === null || !policy.externalDevices.includes(flow.incoming)) return null
  const { dropped, translated } = outsideOrigins[path]
  const isMoved = isTranslated(flow, original)
  if (typeof isMoved === 'object') return isMoved
  if (isMoved) return { origin: translated, verdict: 'accept', service: null }
  if (path === 'input') {
    if (isDhcpAnswer(flow, source)) return { origin: linkOrigin, verdict: 'accept', service: null }
    const service = policy.outsideServices.find((one) => isFor(one, flow))
    if (service) return { origin: `inp.sys.${service.name}`, verdict: 'accept', service: service.title }
  }
  return { origin: dropped, verdict: 'drop', service: null }
}

/** As the kernel sees it: a translation that keeps address and port is not one. */
export function isTranslated({ destination, destinationPorts }: Flow, original: Flow): boolean | Cut {
  if (destination === null || original.destination === null) return false
  const port = original.destinationPorts?.[0]
  if (destinationPorts !== null && port !== undefined && !isWithin(port, destinationPorts)) return true
  const [address] = original.destination
  const [low, high] = destination
  if (!isWithin(address, destination)) return true
  return low === high ? false : { field: 'destination_addresses', at: address > low ? address : address + 1 }
}

const isWithin = (value: number, [low, high]: Span): boolean => low <= value && value <= high

/** Over IPv6 they come from the link itself. */
function isDhcpAnswer({ protocol, sourcePort, destinationPorts, ...flow }: Flow, source: string): boolean {
  const isIpv6 = flow.source === null
  const { sourcePort: from, destinationPort: to } = isIpv6 ? dhcpAnswers.ipv6 : dhcpAnswers.ipv4
  const isNear = !isIpv6 || /^fe[89ab]/i.test(source)
  return isNear && protocol === 'udp' && sourcePort === from && destinationPorts?.[0] === to
}

/** What was not translated has one destination and one port. */
function isFor({ protocol, destinationPort, peers }: OutsideService, flow: Flow): boolean {
  if (protocol !== flow.protocol) return false
  if (destinationPort !== null && flow.destinationPorts?.[0] !== destinationPort) return false
  return peers === null || (flow.source !== null && peers.includes(flow.source))
}
