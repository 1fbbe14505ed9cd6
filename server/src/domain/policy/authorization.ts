// Who of the local networks may reach external ones, as the evaluator uses it. compile-authorization.ts renders the same for
// the kernel, which also keeps the sessions. Pure.

import { contains } from '../../shared/net/ranges.ts'
import type { Flow } from './evaluate-match.ts'
import { isWayBack, type Routing } from './evaluate-routing.ts'
import type { Packet } from './evaluate-trace.ts'
import { addressAt, isLocalDevice } from './local-side.ts'
import type { AuthorizationStage, Policy, Refusal, Span } from './model.ts'

/** Packets that are refused for lack of authorization count here. */
export const authorizationOrigin = 'fwd.sys.authorization'
/** Packets that are led to the sign-in page count here. */
export const portalOrigin = 'authorization.settings.web_authorization'

/** The port of plain HTTP, which can be answered in place of the server that was meant. */
export const redirectedPort = 80

type Stage = AuthorizationStage | null
type Known = Pick<Packet, 'authorization' | 'isBoundToCard' | 'sourceMac'>

/** Is the address bound to another card than the one that sent the packet, or to one elsewhere? Refused for every destination. */
export function findSpoof(
  stage: Stage,
  { incoming, source }: Flow,
  { sourceMac }: Known,
  routing: Routing,
): 'other_card' | 'other_segment' | null {
  if (stage === null || source === null || !isLocalDevice(stage.side, incoming)) return null
  const bound = stage.pairs.filter(({ address }) => address === source)
  if (bound.length === 0) return null
  if (sourceMac !== undefined && !bound.some(({ mac }) => mac === sourceMac)) return 'other_card'
  return isWayBack(routing, source, incoming) ? null : 'other_segment'
}

/** Why the packet does not get to an external network; null when it does, or goes elsewhere. */
export function findRefusal(
  { authorization: stage, externalDevices }: Pick<Policy, 'authorization' | 'externalDevices'>,
  flow: Flow,
  known: Known,
  routing: Routing,
): Refusal | null {
  if (!stage?.isEnforced || !isLocalDevice(stage.side, flow.incoming)) return null
  if (flow.outgoing === null || !externalDevices.includes(flow.outgoing)) return null
  return refusalOf(stage, flow, known, routing)
}

/** Why a host of a local network may not use what the gateway reaches the internet with for it. */
export const findRefusalInside = (stage: Stage, flow: Flow, known: Known, routing: Routing): Refusal | null =>
  stage?.isEnforced ? refusalOf(stage, flow, known, routing) : null

function refusalOf(stage: AuthorizationStage, flow: Flow, known: Known, routing: Routing): Refusal | null {
  const { incoming, source } = flow
  if (source === null) return 'ipv6'
  if (known.authorization === 'suspended') return 'suspended'
  if (known.authorization === 'rule') return null
  const isAtHome = isWayBack(routing, source, incoming)
  if (known.authorization === 'session' && (isAtHome || !known.isBoundToCard)) return null
  if (isByAddress(stage, source, known.sourceMac)) return null
  return isAtHome && known.sourceMac !== undefined && stage.macs.includes(known.sourceMac) ? null : 'unknown'
}

const isByAddress = ({ hosts, networks, pairs }: AuthorizationStage, source: number, mac: string | undefined) =>
  contains(hosts, source) ||
  contains(networks, source) ||
  pairs.some((pair) => pair.address === source && (mac === undefined || pair.mac === mac))

/**
 * Where a packet to a web server of the internet is led, so that its user can sign in; null when it goes on as it is. Who uses
 * the address of another card could not be let in by that.
 */
export function findPortal(
  stage: Stage,
  flow: Flow,
  known: Known,
  routing: Routing,
): { readonly addresses: Span; readonly ports: Span } | null {
  const { incoming, protocol, destination, destinationPorts } = flow
  if (!stage?.isEnforced || stage.portalPort === null || protocol !== 'tcp' || destination === null) return null
  if (destinationPorts?.[0] !== redirectedPort || contains(stage.side.near, destination[0])) return null
  const address = addressAt(stage.side, incoming)
  if (address === null || findSpoof(stage, flow, known, routing) !== null) return null
  if (refusalOf(stage, flow, known, routing) === null) return null
  return { addresses: [address, address], ports: [stage.portalPort, stage.portalPort] }
}
