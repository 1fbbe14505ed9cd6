// The packet of the tracer in the address of the page (`?p=tcp&s=10.1.2.9&d=198.51.100.10:8080`) and in the palette
// (`10.1.2.9 -> 198.51.100.10:8080`). Pure.

import type { BodyOf } from '@gateway/server/contract'
import type { explainPacket } from '@gateway/server/contract/firewall'

export type PacketBody = BodyOf<typeof explainPacket>['packet']

export const traceProtocols = ['tcp', 'udp', 'icmp', 'gre', 'esp', 'ah'] as const
export type TraceProtocol = (typeof traceProtocols)[number]

/** As it is in the fields; '' is not given. */
export interface PacketDraft {
  readonly protocol: TraceProtocol
  readonly source: string
  readonly sourcePort: string
  readonly destination: string
  readonly destinationPort: string
  /** Id of an interface or zone; '' is found from the source, `gateway` is the gateway itself. */
  readonly incoming: string
  /** `YYYY-MM-DDThh:mm`; '' is now. */
  readonly time: string
}

export const emptyPacket: PacketDraft = {
  protocol: 'tcp',
  source: '',
  sourcePort: '',
  destination: '',
  destinationPort: '443',
  incoming: '',
  time: '',
}

export const hasPorts = (protocol: string): boolean => protocol === 'tcp' || protocol === 'udp'

/** `10.0.0.1:443` to its parts; an IPv6 address with a port is in brackets. */
export function splitEnd(text: string): { readonly address: string; readonly port: string } {
  const trimmed = text.trim()
  const bracketed = /^\[([^\]]+)\](?::(\d+))?$/.exec(trimmed)
  if (bracketed) return { address: bracketed[1] ?? '', port: bracketed[2] ?? '' }
  const colons = trimmed.split(':').length - 1
  if (colons !== 1) return { address: trimmed, port: '' }
  const [address = '', port = ''] = trimmed.split(':')
  return { address, port }
}

const joinEnd = (address: string, port: string): string => {
  if (port === '') return address
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
}

export function packetFromSearch(search: Readonly<Record<string, string>>): PacketDraft {
  const protocol = traceProtocols.find((one) => one === search.p) ?? 'tcp'
  const source = splitEnd(search.s ?? '')
  const destination = splitEnd(search.d ?? '')
  return {
    protocol,
    source: source.address,
    sourcePort: source.port,
    destination: destination.address,
    destinationPort:
      destination.port !== '' ? destination.port : search.d === undefined && hasPorts(protocol) ? '443' : '',
    incoming: search.in ?? '',
    time: search.at ?? '',
  }
}

export function searchOfPacket(packet: PacketDraft): Record<string, string> {
  const withPorts = hasPorts(packet.protocol)
  return {
    p: packet.protocol,
    s: joinEnd(packet.source, withPorts ? packet.sourcePort : ''),
    d: joinEnd(packet.destination, withPorts ? packet.destinationPort : ''),
    ...(packet.incoming === '' ? {} : { in: packet.incoming }),
    ...(packet.time === '' ? {} : { at: packet.time }),
  }
}

const isPort = (text: string): boolean => /^\d{1,5}$/.test(text) && Number(text) <= 65_535
const isAddress = (text: string): boolean => /^[0-9A-Fa-f.:]{2,45}$/.test(text) && /[.:]/.test(text)
const isUser = (text: string): boolean => /^user\.id\.\d+$/.test(text)

/** A name such as www.example.com, which the gateway resolves first. */
export const isName = (text: string): boolean =>
  !isAddress(text) && /^[A-Za-z0-9_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)+\.?$/.test(text)

export type PacketField = keyof PacketDraft

export function packetFaults(packet: PacketDraft): ReadonlyMap<PacketField, 'address' | 'port' | 'needed'> {
  const faults = new Map<PacketField, 'address' | 'port' | 'needed'>()
  if (packet.source === '') faults.set('source', 'needed')
  else if (!isAddress(packet.source) && !isUser(packet.source)) faults.set('source', 'address')
  if (packet.destination === '') faults.set('destination', 'needed')
  else if (!isAddress(packet.destination) && !isName(packet.destination)) faults.set('destination', 'address')
  if (hasPorts(packet.protocol)) {
    if (packet.sourcePort !== '' && !isPort(packet.sourcePort)) faults.set('sourcePort', 'port')
    if (packet.destinationPort === '') faults.set('destinationPort', 'needed')
    else if (!isPort(packet.destinationPort)) faults.set('destinationPort', 'port')
  }
  return faults
}

/** What is sent; `destination` is the address that a name was resolved to, `incoming` what was found for the source. */
export function bodyOfPacket(packet: PacketDraft, destination: string, incoming: string | null): PacketBody {
  const withPorts = hasPorts(packet.protocol)
  return {
    ...(isUser(packet.source) ? { user: packet.source } : { source: packet.source }),
    destination,
    protocol: packet.protocol,
    ...(withPorts && packet.sourcePort !== '' ? { source_port: Number(packet.sourcePort) } : {}),
    ...(withPorts ? { destination_port: Number(packet.destinationPort) } : {}),
    incoming_interface: incoming,
    ...(packet.time === '' ? {} : { time: Math.floor(Date.parse(packet.time) / 1000) }),
  }
}
