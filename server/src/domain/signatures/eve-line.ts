// One line of the event file of the inspection engine. Its content comes from packets, and so is not trusted: every value is
// checked for its form and cut to a length, and a line with a fault is not an event. Pure.

import { plainAddress } from '../../shared/net/plain-address.ts'
import {
  applicationGroup,
  channelGroup,
  channelOfBits,
  firstApplicationSid,
  patternsPerApplication,
} from './numbering.ts'

export interface EveAlert {
  /** Unix microseconds. */
  readonly time: number
  readonly sid: number
  readonly gid: number
  /** 0: not said. */
  readonly revision: number
  /** Name of the signature. */
  readonly signature: string
  /** Of the signature, in words. */
  readonly category: string
  /** 1 critical, 2 important, 3 warning, 4 not classified, 255 not recognised. */
  readonly severity: number
  /** `TA0001`, or empty. */
  readonly tactic: string
  readonly isBlocked: boolean
  /** The number of the application, for a rule of application control. */
  readonly application: number | null
  /** Null: the connection had no channel of ours. */
  readonly channel: number | null
  /** TCP, UDP, ICMP, or what the engine calls it. */
  readonly protocol: string
  /** Who opened the connection, and where to. */
  readonly source: string
  readonly sourcePort: number | null
  readonly destination: string
  readonly destinationPort: number | null
  /** Of the packet that matched. */
  readonly direction: 'to_server' | 'to_client' | ''
  readonly appProtocol: string
  readonly host: string
  readonly url: string
  readonly userAgent: string
  readonly ja3: string
  readonly ja4: string
  readonly flowId: string
  readonly packetsToServer: number
  readonly packetsToClient: number
  readonly bytesToServer: number
  readonly bytesToClient: number
  /** Unix microseconds; null: not said. */
  readonly flowStart: number | null
  /** Printable characters, the others as dots. */
  readonly payload: string
  /** Base64 of the packet from its IP header on, or of its beginning. */
  readonly packet: string
}

/** `aside`: an event that is not one for administrators. */
export type EveLine = { readonly is: 'alert'; readonly alert: EveAlert } | { readonly is: 'aside' | 'fault' }

/**
 * Longer lines are not looked at. An event has the packet, its content twice and the address that was asked for, each of which its sender can make as
 * long as a packet or a line of HTTP may be.
 */
export const longestEveLine = 4 * 1024 * 1024
const [longestText, longestUrl] = [300, 2_000]
const mostPayload = 2_048
/** Characters of Base64, a multiple of four. */
const mostPacket = 2_048
const mostBits = 200

const [aside, fault] = [{ is: 'aside' }, { is: 'fault' }] as const

type Fields = Readonly<Record<string, unknown>>
const noFields: Fields = {}

export function parseEveLine(line: string): EveLine {
  if (line.length > longestEveLine) return fault
  const event = parsed(line)
  if (!event) return fault
  if (event.event_type !== 'alert') return typeof event.event_type === 'string' ? aside : fault
  const alert = fieldsOf(event.alert)
  const [sid, gid] = [numberOf(alert.signature_id, 0xffff_ffff), numberOf(alert.gid, 0xffff_ffff) ?? 1]
  const time = momentOf(event.timestamp)
  const ends = endsOf(event)
  if (sid === null || time === null || ends === null) return fault
  if (gid === channelGroup) return aside
  const flow = fieldsOf(event.flow)
  const category = textOf(alert.category, longestText)
  return {
    is: 'alert',
    alert: {
      time,
      sid,
      gid,
      revision: numberOf(alert.rev, 0xffff_ffff) ?? 0,
      signature: textOf(alert.signature, longestText),
      category,
      severity: gid === applicationGroup ? notClassified : severityOf(alert, category),
      tactic: tacticOf(alert),
      isBlocked: alert.action === 'blocked',
      application: gid === applicationGroup ? applicationOf(sid) : null,
      channel: channelOf(event),
      protocol: protocolOf(event.proto),
      ...ends,
      direction: event.direction === 'to_server' || event.direction === 'to_client' ? event.direction : '',
      ...placeOf(event),
      appProtocol: wordOf(event.app_proto).replace(/^failed$/, ''),
      ...fingerprintsOf(event),
      flowId: flowIdOf(line),
      packetsToServer: amountOf(flow.pkts_toserver),
      packetsToClient: amountOf(flow.pkts_toclient),
      bytesToServer: amountOf(flow.bytes_toserver),
      bytesToClient: amountOf(flow.bytes_toclient),
      flowStart: momentOf(flow.start),
      payload: payloadOf(event),
      packet: packetOf(event.packet),
    },
  }
}

function parsed(line: string): Fields | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
  } catch {
    return null
  }
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : noFields

const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/** One line without control characters. */
const textOf = (value: unknown, most: number): string =>
  typeof value === 'string' ? value.slice(0, most).replaceAll(unprintable, '\ufffd').toWellFormed() : ''

const wordOf = (value: unknown): string =>
  typeof value === 'string' && /^[A-Za-z0-9_.-]{1,64}$/.test(value) ? value : ''

const numberOf = (value: unknown, most: number): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most ? value : null

const amountOf = (value: unknown): number =>
  typeof value === 'number' && value > 0 ? Math.min(Math.floor(value), 2 ** 50) : 0

const momentForm = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{6})([+-]\d\d):?(\d\d)$/

/** Unix microseconds of `2026-11-17T00:19:09.114006+0000`. */
function momentOf(value: unknown): number | null {
  const [, clock, fraction, hours, minutes] = momentForm.exec(typeof value === 'string' ? value : '') ?? []
  if (clock === undefined) return null
  const milliseconds = Date.parse(`${clock}${hours}:${minutes}`)
  return Number.isNaN(milliseconds) || milliseconds < 0 ? null : milliseconds * 1000 + Number(fraction)
}

type Ends = Pick<EveAlert, 'source' | 'sourcePort' | 'destination' | 'destinationPort'>

/** The event names the ends of its packet; the connection says which of them opened it. */
function endsOf(event: Fields): Ends | null {
  const packet = endsIn(event)
  const flow = endsIn(fieldsOf(event.flow))
  if (flow) return flow
  if (!packet || event.direction !== 'to_client') return packet
  return {
    source: packet.destination,
    sourcePort: packet.destinationPort,
    destination: packet.source,
    destinationPort: packet.sourcePort,
  }
}

function endsIn(fields: Fields): Ends | null {
  const [source, destination] = [addressOf(fields.src_ip), addressOf(fields.dest_ip)]
  if (source === null || destination === null) return null
  const port = (value: unknown): number | null => numberOf(value, 65_535)
  return { source, sourcePort: port(fields.src_port), destination, destinationPort: port(fields.dest_port) }
}

const addressOf = (value: unknown): string | null => (typeof value === 'string' ? plainAddress(value) : null)

const protocolOf = (value: unknown): string => {
  const word = wordOf(value).toUpperCase()
  return word === 'IPV6-ICMP' ? 'ICMPV6' : word
}

const notClassified = 4
const notRecognised = 255
const severityWords: Readonly<Record<string, number>> = { critical: 1, major: 2, minor: 3, informational: 3 }

/** The engine has it from the group of the signature; without a group it is what the signature says of itself. */
function severityOf(alert: Fields, category: string): number {
  const said = numberOf(alert.severity, 255)
  if (category === '') {
    const word = firstWord(alert, 'signature_severity').toLowerCase()
    return Object.hasOwn(severityWords, word) ? (severityWords[word] ?? notClassified) : notClassified
  }
  return said !== null && said >= 1 && said <= notClassified ? said : notRecognised
}

/** Values of metadata are lists of words. */
function firstWord(alert: Fields, name: string): string {
  const metadata = fieldsOf(alert.metadata)
  const values = Object.hasOwn(metadata, name) ? metadata[name] : undefined
  return wordOf(Array.isArray(values) ? values[0] : values)
}

function tacticOf(alert: Fields): string {
  const words = [firstWord(alert, 'mitre_tactic_id'), firstWord(alert, 'MITRE')]
  return words.map((word) => word.toUpperCase()).find((word) => /^TA\d{4}$/.test(word)) ?? ''
}

const applicationOf = (sid: number): number | null =>
  sid >= firstApplicationSid ? Math.floor((sid - firstApplicationSid) / patternsPerApplication) : null

function channelOf(event: Fields): number | null {
  const bits = fieldsOf(event.metadata).flowbits
  if (!Array.isArray(bits)) return null
  return channelOfBits(bits.slice(0, mostBits).filter((bit): bit is string => typeof bit === 'string'))
}

/** The name that the client asked for, and where on it. */
function placeOf(event: Fields): Pick<EveAlert, 'host' | 'url' | 'userAgent'> {
  const [http, tls] = [fieldsOf(event.http), fieldsOf(event.tls)]
  const host = textOf(http.hostname, 253) || textOf(tls.sni, 253) || textOf(fieldsOf(event.quic).sni, 253)
  return {
    host: (host || textOf(nameAsked(event), 253)).toLowerCase(),
    url: textOf(http.url, longestUrl),
    userAgent: textOf(http.http_user_agent, longestText),
  }
}

/** Of DNS: `dns.query[0].rrname`, or `dns.rrname` of an answer. */
function nameAsked(event: Fields): unknown {
  const { query, rrname } = fieldsOf(event.dns)
  return Array.isArray(query) ? fieldsOf(query[0]).rrname : rrname
}

function fingerprintsOf(event: Fields): Pick<EveAlert, 'ja3' | 'ja4'> {
  const [tls, quic] = [fieldsOf(event.tls), fieldsOf(event.quic)]
  const hash = (value: unknown): string => wordOf(fieldsOf(value).hash)
  return { ja3: hash(tls.ja3) || hash(quic.ja3), ja4: wordOf(tls.ja4) || wordOf(quic.ja4) }
}

/** The number has up to 64 bits, more than a number here holds exactly; it comes before all text from packets. */
const flowIdOf = (line: string): string => /^.{0,100}?"flow_id":(\d{1,20})[,}]/.exec(line.slice(0, 200))?.[1] ?? ''

const readable = /[^\x20-\x7e]/g

function payloadOf({ payload_printable: printable, payload }: Fields): string {
  const text = typeof printable === 'string' ? printable : decoded(payload)
  return text.slice(0, mostPayload).replaceAll(readable, '.')
}

const base64Form = /^[A-Za-z0-9+/]*={0,2}$/

const decoded = (value: unknown): string =>
  typeof value === 'string' && base64Form.test(value.slice(0, 4 * mostPayload))
    ? Buffer.from(value.slice(0, 2 * mostPayload), 'base64').toString('latin1')
    : ''

/** Whole groups of four characters, so that what is left of a long one can still be decoded. */
function packetOf(value: unknown): string {
  const text = typeof value === 'string' ? value.slice(0, mostPacket) : ''
  return text.length % 4 === 0 && base64Form.test(text) ? text : ''
}
