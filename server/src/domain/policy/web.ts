// What the content filter has the kernel do, as data and as the evaluator uses it: which web traffic is led to the proxy, and
// what is refused because the proxy could not read it. compile-web.ts renders the same for the kernel. Pure.

import { contains, type Ranges } from '../../shared/net/ranges.ts'
import { type Cut, cutPoint, type Flow, isIn } from './evaluate-match.ts'
import { isLocalDevice } from './local-side.ts'
import type { WebStage } from './model.ts'

/** Packets that are led to the proxy count here. */
export const webOrigin = 'fwd.sys.web_proxy'
/** What could not be led to it, because it does not answer. */
export const webDownOrigin = 'fwd.sys.web_proxy_down'
export const directOrigin = 'inp.sys.web_proxy'
export const webIpv6Origin = 'fwd.sys.web_ipv6'
export const quicOrigin = 'content_filter.settings.quic_reject_enabled'

export const webPortRanges: Ranges = [80, 80, 443, 443]

interface Asked {
  readonly stage: WebStage | null
  readonly externalDevices: readonly string[]
}

/** Is a packet that is forwarded and that nothing translated led to the proxy? Who is not authorized is not. */
export function isTaken({ stage, externalDevices }: Asked, flow: Flow): boolean {
  const { source, destination, destinationPorts, incoming, outgoing, protocol } = flow
  if (!stage?.interception?.isTaking || protocol !== 'tcp' || source === null || destination === null) return false
  if (destinationPorts === null || !contains(webPortRanges, destinationPorts[0])) return false
  if (!externalDevices.includes(outgoing ?? '') || contains(stage.side.near, destination[0])) return false
  if (!stage.networks.some(({ device, ranges }) => device === incoming && contains(ranges, source))) return false
  const { sources, exclusions } = stage.interception
  if (sources !== null && !isIn(sources, flow, source)) return false
  return !exclusions.some(
    (one) =>
      (one.sources === null || isIn(one.sources, flow, source)) &&
      (one.destinations === null || isIn(one.destinations, flow, destination[0])),
  )
}

/** By which system rule the packet is refused because the proxy cannot read it. */
export function findUnreadable({ stage, externalDevices }: Asked, flow: Flow): string | Cut | null {
  const { incoming, outgoing, protocol, destinationPorts: ports, source } = flow
  if (!stage?.interception || ports === null || !isLocalDevice(stage.side, incoming)) return null
  if (!externalDevices.includes(outgoing ?? '')) return null
  const { rejectsQuic, isTaking } = stage.interception
  const origin =
    protocol === 'udp' && rejectsQuic
      ? quicOrigin
      : protocol === 'tcp' && source === null && isTaking
        ? webIpv6Origin
        : null
  if (origin === null) return null
  const at = cutPoint(webPortRanges, ports)
  if (at !== null) return { field: 'destination_ports', at }
  return contains(webPortRanges, ports[0]) ? origin : null
}
