// Lines of the inspection engine as it writes them, and of rules that had a connection inspected.

import { readFileSync } from 'node:fs'

/** Written by Suricata 7.0.10 in a namespace, for traffic made for it. */
export const recordedEvents: readonly string[] = readFileSync(
  new URL('../fixtures/inspection-events.jsonl', import.meta.url),
  'utf8',
)
  .split('\n')
  .filter((line) => line !== '')

export interface EventParts {
  /** Unix seconds. */
  readonly at?: number
  /** Each line is of a connection of its own unless it is named. */
  readonly flow?: number
  readonly gid?: number
  readonly sid?: number
  readonly msg?: string
  readonly category?: string
  readonly severity?: number
  readonly isBlocked?: boolean
  readonly channel?: number
  readonly source?: string
  readonly sourcePort?: number
  readonly destination?: string
  readonly destinationPort?: number
  readonly changed?: object
}

const stamp = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('Z', '000+0000')

let flows = 1_614_655_747_611_428

export function eventLine(parts: EventParts = {}): string {
  const { at = 1_794_874_749, gid = 2, sid = 2_000_001, channel = 1, sourcePort = 40_000, destinationPort = 80 } = parts
  const { source = '10.0.0.7', destination = '192.0.2.9' } = parts
  const ends = { src_ip: source, src_port: sourcePort, dest_ip: destination, dest_port: destinationPort }
  const event = {
    timestamp: stamp(at),
    flow_id: parts.flow ?? flows++,
    event_type: 'alert',
    ...ends,
    proto: 'TCP',
    metadata: { flowbits: ['k_0a1b2c3d', `@${channel}`] },
    alert: {
      action: parts.isBlocked === false ? 'allowed' : 'blocked',
      gid,
      signature_id: sid,
      rev: 4,
      signature: parts.msg ?? 'WEB attack',
      category: parts.category ?? 'Web Application Attack',
      severity: parts.severity ?? 1,
    },
    http: { hostname: 'shop.test', url: '/evil', http_user_agent: 'curl/7' },
    app_proto: 'http',
    direction: 'to_server',
    flow: {
      pkts_toserver: 3,
      pkts_toclient: 1,
      bytes_toserver: 243,
      bytes_toclient: 60,
      start: stamp(at - 1),
      ...ends,
    },
    payload_printable: 'GET /evil HTTP/1.1\r\n',
    packet: packetOf(source, sourcePort, destination, destinationPort, 'GET /evil').toString('base64'),
    ...parts.changed,
  }
  return `${JSON.stringify(event)}\n`
}

const bytesOf = (address: string): number[] => address.split('.').map(Number)

/** IPv4 with TCP, without checksums. */
export function packetOf(source: string, sourcePort: number, destination: string, port: number, text: string): Buffer {
  const packet = Buffer.concat([Buffer.alloc(40), Buffer.from(text)])
  packet[0] = 0x45
  packet.writeUInt16BE(packet.length, 2)
  packet[9] = 6
  packet.set([...bytesOf(source), ...bytesOf(destination)], 12)
  packet.writeUInt16BE(sourcePort, 20)
  packet.writeUInt16BE(port, 22)
  packet[32] = 0x50
  return packet
}

export interface InspectedParts {
  readonly rule?: string
  readonly source?: string
  readonly sourcePort?: number
  readonly destination?: string
  readonly destinationPort?: number
}

/** What a rule with inspection writes for the first packet of a connection. */
export const inspectedLine = (parts: InspectedParts = {}): string =>
  `${JSON.stringify({
    'oob.prefix': `${parts.rule ?? 'FWD 12'} inspect `,
    'oob.in': 'lan0',
    'oob.out': 'wan0',
    'oob.time.sec': 1,
    'ip.protocol': 6,
    src_ip: parts.source ?? '10.0.0.7',
    dest_ip: parts.destination ?? '192.0.2.9',
    src_port: parts.sourcePort ?? 40_000,
    dest_port: parts.destinationPort ?? 80,
    'ip.totlen': 60,
  })}\n`
