// One line of the reader of the firewall log (ulogd's JSON). Its content comes from packets, and so is not trusted: every value
// is checked for its form, and a line with a fault is not a hit.

import { isIP } from 'node:net'
import { counted } from '../../../core/contract/counted.ts'
import { noNumber } from '../../../domain/logs/kinds.ts'

/** A packet that met a rule which logs. */
export interface Hit {
  /** Unix microseconds. */
  readonly time: number
  /** FWD, INP, DNAT, SNAT, LOG or ACL. */
  readonly table: string
  readonly rule: string
  readonly action: string
  readonly protocol: string
  readonly source: string
  /** `noNumber` where the protocol has no ports. */
  readonly sourcePort: number
  readonly destination: string
  readonly destinationPort: number
  /** Empty where the packet came from the gateway itself. */
  readonly input: string
  /** Empty where the packet was for the gateway itself, or the way out was not yet chosen. */
  readonly output: string
  /** Bytes of the packet. */
  readonly length: number
}

export interface ReadLine {
  /** Null when the line is not what a rule of ours writes. */
  readonly hit: Hit | null
  /** The kernel numbers what it hands over, from 0 on; null when the line has no number. */
  readonly sequence: number | null
}

/** The prefix a rule gives to its records, see `record` of domain/policy/nft.ts. */
const prefixForm = /^([A-Z]{3,4}) ([A-Za-z0-9_.-]{1,64}) ([a-z_]{1,16}) ?$/
const deviceForm = /^[\x21-\x7e]{0,15}$/
const highestSequence = 0xffff_ffff

const protocolNames: Readonly<Record<number, string>> = {
  1: 'ICMP',
  6: 'TCP',
  17: 'UDP',
  47: 'GRE',
  50: 'ESP',
  51: 'AH',
  58: 'ICMPV6',
}

type Fields = Readonly<Record<string, unknown>>

/** `now`, in microseconds, is for packets the kernel gave no time. */
export function readHitLine(line: string, now: number): ReadLine {
  const fields = parseFields(line)
  return { hit: hitOf(fields, now), sequence: readNumber(fields, 'oob.seq.local', highestSequence) }
}

function hitOf(fields: Fields, now: number): Hit | null {
  const [, table, rule, action] = prefixForm.exec(readText(fields, 'oob.prefix')) ?? []
  const protocol = readNumber(fields, 'ip.protocol', 255) ?? readNumber(fields, 'ip6.nexthdr', 255)
  const [source, destination] = [readText(fields, 'src_ip'), readText(fields, 'dest_ip')]
  const [input, output] = [readText(fields, 'oob.in'), readText(fields, 'oob.out')]
  if (table === undefined || rule === undefined || action === undefined || protocol === null) return null
  if (!isIP(source) || !isIP(destination) || !deviceForm.test(input) || !deviceForm.test(output)) return null
  const seconds = readNumber(fields, 'oob.time.sec', Number.MAX_SAFE_INTEGER / 1_000_000 - 1)
  return {
    time: seconds === null ? now : seconds * 1_000_000 + (readNumber(fields, 'oob.time.usec', 999_999) ?? 0),
    table,
    rule,
    action,
    protocol: protocolNames[protocol] ?? `${protocol}`,
    source,
    sourcePort: readNumber(fields, 'src_port', 65_535) ?? noNumber,
    destination,
    destinationPort: readNumber(fields, 'dest_port', 65_535) ?? noNumber,
    input,
    output,
    length: readNumber(fields, 'ip.totlen', 65_535) ?? readNumber(fields, 'raw.pktlen', 65_535) ?? 0,
  }
}

/** `TCP src 192.0.2.25 sport 41528 dst 203.0.113.5 dport 443 table FWD rule 2 action drop` (docs/behaviour/firewall.md 5). */
export function describeHit({ protocol, table, rule, action, ...hit }: Hit): string {
  const source = hit.sourcePort === noNumber ? hit.source : `${hit.source} sport ${hit.sourcePort}`
  const destination =
    hit.destinationPort === noNumber ? hit.destination : `${hit.destination} dport ${hit.destinationPort}`
  return `${protocol} src ${source} dst ${destination} table ${table} rule ${rule} action ${action}`
}

export const describeLost = (lost: number): string =>
  `${counted(lost, 'record was', 'records were')} lost: there were more than could be read.`

function parseFields(line: string): Fields {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Fields) : {}
  } catch {
    return {}
  }
}

function readText(fields: Fields, name: string): string {
  const value = fields[name]
  return typeof value === 'string' ? value : ''
}

function readNumber(fields: Fields, name: string, highest: number): number | null {
  const value = fields[name]
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= highest ? value : null
}
