// Forms of patterns. A pattern of bytes holds for the start of a connection alone, and names the direction: text of a page or
// of a file that looks like another protocol is not that protocol.

import type { Pattern } from './application.ts'

/** How an application is recognised. */
export type How = 'protocol' | 'name' | 'bytes'

export interface Recognised {
  readonly how: How
  readonly patterns: readonly Pattern[]
}

/** The engine's own detection of a protocol over TCP, or over UDP, where no reset would be heard. */
export const detected = (protocol: string): Pattern => ({
  protocol: 'tcp',
  options: `app-layer-protocol:${protocol};`,
  refusal: 'reject',
})
export const detectedUdp = (protocol: string): Pattern => ({
  protocol: 'udp',
  options: `app-layer-protocol:${protocol};`,
  refusal: 'drop',
})

const tcp = (options: string): Pattern => ({ protocol: 'tcp', options, refusal: 'reject' })

/** The first thing that the client says, before the server said anything. */
export const opens = (options: string): Pattern =>
  tcp(`flow:established,to_server; stream_size:server,<,2; stream_size:client,<,3000; ${options}`)

/** What the server says first, before the client said anything. */
export const greets = (options: string): Pattern =>
  tcp(`flow:established,to_client; stream_size:client,<,2; stream_size:server,<,3000; ${options}`)

/** One of the first answers of the client, after the server greeted. */
export const replies = (options: string): Pattern =>
  tcp(`flow:established,to_server; stream_size:client,<,1000; ${options}`)

/** One of the first answers of the server to what the client said first. */
export const answers = (options: string): Pattern =>
  tcp(`flow:established,to_client; stream_size:server,<,3000; ${options}`)

/** A datagram of the client. */
export const datagram = (options: string): Pattern => ({
  protocol: 'udp',
  options: `flow:to_server; ${options}`,
  refusal: 'drop',
})

/** An IP protocol of this number. */
export const ipProtocol = (number: number): Pattern => ({
  protocol: 'ip',
  options: `ip_proto:${number};`,
  refusal: 'drop',
})

export const byDetection = (...patterns: readonly Pattern[]): Recognised => ({ how: 'protocol', patterns })
export const byBytes = (...patterns: readonly Pattern[]): Recognised => ({ how: 'bytes', patterns })

/** The number at the place, of as many bytes, and the bytes before it that it does not count, are the length of the whole message. */
export const lengthAt = (bytes: 2 | 3 | 4, at: number, more = 0): string =>
  `byte_jump:${bytes},${at},from_beginning${more === 0 ? '' : `,post_offset ${more}`}; isdataat:!1,relative;`

/** To a port: only for protocols that are nothing but their port, or TLS on a port. */
const portBytes = (port: number): string =>
  Buffer.from([port >> 8, port & 255])
    .toString('hex')
    .replace(/(..)(..)/, '$1 $2')
export const toTcpPort = (port: number): string => `tcp.hdr; content:"|${portBytes(port)}|"; offset:2; depth:2;`
export const toUdpPort = (port: number): string => `udp.hdr; content:"|${portBytes(port)}|"; offset:2; depth:2;`
