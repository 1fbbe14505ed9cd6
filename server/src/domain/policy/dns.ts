// How the firewall handles DNS, beside the user's rules: as data, and as the evaluator uses it. compile-dns.ts
// renders the same for the kernel. Pure.

import { parseAddress } from '../../shared/net/ipv4.ts'
import { contains, type Ranges, toRanges } from '../../shared/net/ranges.ts'
import { encryptedDnsAddresses } from './encrypted-dns.ts'
import { type Cut, cutPoint, type Flow } from './evaluate-match.ts'
import { addressAt, isLocalDevice } from './local-side.ts'
import type { DnsStage, Span } from './model.ts'

export const interceptionOrigin = 'dns.settings.intercept_enabled'

/** DNS over TLS and QUIC have their own ports, DNS over HTTPS only known addresses. */
export const encryptedDns = {
  ports: [
    ['tcp', 853],
    ['udp', 853],
    ['udp', 8853],
  ],
  servers: toRanges(
    encryptedDnsAddresses.flatMap((text): Span[] => {
      const address = parseAddress(text)
      return address === null ? [] : [[address, address]]
    }),
  ),
} as const

/** Where interception turns the packet; null when it goes on as it is. */
export function intercept(
  dns: DnsStage | null,
  { incoming, protocol, destination, destinationPorts }: Flow,
): Span | null {
  if (!dns?.isIntercepting || destination === null || destinationPorts?.[0] !== 53) return null
  if ((protocol !== 'tcp' && protocol !== 'udp') || contains(dns.near, destination[0])) return null
  const address = addressAt(dns, incoming)
  return address === null ? null : [address, address]
}

/** Is the packet a query that interception refuses? */
export function isRefused(dns: DnsStage | null, flow: Flow): boolean | Cut {
  const { incoming, protocol, destination, destinationPorts } = flow
  if (!dns?.isIntercepting || !isLocalDevice(dns, incoming)) return false
  if (protocol !== 'tcp' && protocol !== 'udp') return false
  const isNear = destination === null ? false : isAmong(dns.near, destination, 'destination_addresses')
  if (isNear !== false) return isNear === true ? false : isNear
  const ports = encryptedDns.ports.flatMap(([name, port]): Span[] => (name === protocol ? [[port, port]] : []))
  const isPort = isAmong(
    toRanges(destination === null ? [...ports, [53, 53]] : ports),
    destinationPorts,
    'destination_ports',
  )
  if (isPort !== false || destination === null) return isPort
  const isHttps = isAmong([443, 443], destinationPorts, 'destination_ports')
  return isHttps === true ? isAmong(encryptedDns.servers, destination, 'destination_addresses') : isHttps
}

function isAmong(ranges: Ranges, span: Span | null, field: Cut['field']): boolean | Cut {
  if (span === null) return false
  const at = cutPoint(ranges, span)
  return at === null ? contains(ranges, span[0]) : { field, at }
}
