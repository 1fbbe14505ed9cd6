// One line of the reader of the firewall log (ulogd's JSON) as a record. Its content comes from packets, and so is
// not trusted: every value is checked for its form, and a line with a fault is dropped.

import { isIP } from 'node:net'

export interface FirewallRecord {
  /** Unix milliseconds. */
  readonly time: number
  /** FWD, INP, DNAT, SNAT, LOG or ACL; `SYS` for what the log reports about itself. */
  readonly table: string
  readonly rule_id: string
  readonly action: string
  readonly protocol: string
  readonly source_ip: string
  /** Null where the protocol has no ports. */
  readonly source_port: number | null
  readonly destination_ip: string
  readonly destination_port: number | null
  /** Empty where the packet came from the gateway itself. */
  readonly in_interface: string
  /** Empty where the packet was for the gateway itself, or the way out was not yet chosen. */
  readonly out_interface: string
  /** Bytes of the packet. */
  readonly length: number
  /** How many records are missing at this place; 0 in a record of a packet. */
  readonly lost: number
}

/** The prefix a rule gives to its records, see `record` of render/nft.ts. */
const prefixForm = /^([A-Z]{3,4}) ([A-Za-z0-9_.-]{1,64}) ([a-z_]{1,16}) ?$/
const deviceForm = /^[\x21-\x7e]{0,15}$/

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

/** Null when the line is not whole or not what a rule of ours writes. `now` is for packets the kernel gave no time. */
export function parseHit(line: string, now: number): FirewallRecord | null {
  const fields = parseFields(line)
  const [, table, rule, action] = prefixForm.exec(readText(fields, 'oob.prefix')) ?? []
  const protocol = readNumber(fields, 'ip.protocol', 255) ?? readNumber(fields, 'ip6.nexthdr', 255)
  const [source, destination] = [readText(fields, 'src_ip'), readText(fields, 'dest_ip')]
  const [input, output] = [readText(fields, 'oob.in'), readText(fields, 'oob.out')]
  if (table === undefined || rule === undefined || action === undefined || protocol === null) return null
  if (!isIP(source) || !isIP(destination) || !deviceForm.test(input) || !deviceForm.test(output)) return null
  const seconds = readNumber(fields, 'oob.time.sec', Number.MAX_SAFE_INTEGER / 1000)
  return {
    time:
      seconds === null ? now : seconds * 1000 + Math.floor((readNumber(fields, 'oob.time.usec', 999_999) ?? 0) / 1000),
    table,
    rule_id: rule,
    action,
    protocol: protocolNames[protocol] ?? `${protocol}`,
    source_ip: source,
    source_port: readNumber(fields, 'src_port', 65_535),
    destination_ip: destination,
    destination_port: readNumber(fields, 'dest_port', 65_535),
    in_interface: input,
    out_interface: output,
    length: readNumber(fields, 'ip.totlen', 65_535) ?? readNumber(fields, 'raw.pktlen', 65_535) ?? 0,
    lost: 0,
  }
}

export const lostRecord = (lost: number, now: number): FirewallRecord => ({
  time: now,
  table: 'SYS',
  rule_id: '',
  action: 'lost',
  protocol: '',
  source_ip: '',
  source_port: null,
  destination_ip: '',
  destination_port: null,
  in_interface: '',
  out_interface: '',
  length: 0,
  lost,
})

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
