// Who of the local networks may reach external ones, as the evaluator uses it. compile-authorization.ts renders the same for
// the kernel, which also keeps the sessions. Pure.

import { contains } from '../net/ranges.ts'
import type { Flow } from './evaluate-match.ts'
import type { Packet } from './evaluate-trace.ts'
import { addressAt, isLocalDevice } from './local-side.ts'
import type { AuthorizationStage, Policy, Span } from './model.ts'

/** Packets that are refused for lack of authorization count here. */
export const authorizationOrigin = 'fwd.sys.authorization'
/** Packets that are led to the sign-in page count here. */
export const portalOrigin = 'authorization.settings.web_authorization'

/** The port of plain HTTP, which can be answered in place of the server that was meant. */
export const redirectedPort = 80

/**
 * `unknown`: no rule and no sign-in authorizes the host; `suspended`: its user has too many sessions; `other_card`: the
 * address belongs to another card; `ipv6`: only IPv4 hosts can be authorized.
 */
export type Refusal = 'unknown' | 'suspended' | 'other_card' | 'ipv6'

type Stage = AuthorizationStage | null
type Known = Pick<Packet, 'authorization' | 'sourceMac'>

/** Is the address bound to another card than the one that sent the packet? Refused for every destination. */
export function isSpoofed(stage: Stage, { incoming, source }: Flow, { sourceMac }: Known): boolean {
  if (stage === null || source === null || sourceMac === undefined || !isLocalDevice(stage.side, incoming)) return false
  const bound = stage.pairs.filter(({ address }) => address === source)
  return bound.length > 0 && !bound.some(({ mac }) => mac === sourceMac)
}

/** Why the packet does not get to an external network; null when it does, or goes elsewhere. */
export function findRefusal(
  { authorization: stage, externalDevices }: Pick<Policy, 'authorization' | 'externalDevices'>,
  flow: Flow,
  known: Known,
): Refusal | null {
  if (!stage?.isEnforced || !isLocalDevice(stage.side, flow.incoming)) return null
  if (flow.outgoing === null || !externalDevices.includes(flow.outgoing)) return null
  return refusalOf(stage, flow, known)
}

function refusalOf(stage: AuthorizationStage, { source }: Flow, known: Known): Refusal | null {
  if (source === null) return 'ipv6'
  if (known.authorization === 'suspended') return 'suspended'
  if (known.authorization === 'session' || known.authorization === 'rule') return null
  return isByRule(stage, source, known.sourceMac) ? null : 'unknown'
}

const isByRule = ({ hosts, networks, pairs, macs }: AuthorizationStage, source: number, mac: string | undefined) =>
  contains(hosts, source) ||
  contains(networks, source) ||
  pairs.some((pair) => pair.address === source && (mac === undefined || pair.mac === mac)) ||
  (mac !== undefined && macs.includes(mac))

/**
 * Where a packet to a web server of the internet is led, so that its user can sign in; null when it goes on as it is. Who uses
 * the address of another card could not be let in by that.
 */
export function findPortal(
  stage: Stage,
  flow: Flow,
  known: Known,
): { readonly addresses: Span; readonly ports: Span } | null {
  const { incoming, protocol, destination, destinationPorts } = flow
  if (!stage?.isEnforced || stage.portalPort === null || protocol !== 'tcp' || destination === null) return null
  if (destinationPorts?.[0] !== redirectedPort || contains(stage.side.near, destination[0])) return null
  const address = addressAt(stage.side, incoming)
  if (address === null || isSpoofed(stage, flow, known) || refusalOf(stage, flow, known) === null) return null
  return { addresses: [address, address], ports: [stage.portalPort, stage.portalPort] }
}
