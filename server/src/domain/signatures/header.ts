// The header of a rule: which protocols, addresses and ports Suricata 7 takes there, and the variables our engine sets.

import { type SaidText, say } from '../../shared/said.ts'
import { isIPv4, isIPv6 } from './addresses.ts'

const protocols = new Set(
  (
    'ip ipv4 ip4 ipv6 ip6 tcp tcp-pkt tcp-stream udp icmp icmpv4 icmpv6 sctp pkthdr ' +
    'http http1 http2 ftp ftp-data smtp tls ssl ssh imap smb dcerpc dns nfs ntp tftp ike ikev2 krb5 quic dhcp snmp sip ' +
    'rfb mqtt pgsql telnet rdp bittorrent-dht modbus dnp3 enip'
  ).split(' '),
)

/** The names of the standard configuration, which every published rule set counts on. */
const addressVariables = new Set(
  (
    'HOME_NET EXTERNAL_NET HTTP_SERVERS SMTP_SERVERS SQL_SERVERS DNS_SERVERS TELNET_SERVERS AIM_SERVERS DC_SERVERS ' +
    'DNP3_SERVER DNP3_CLIENT MODBUS_CLIENT MODBUS_SERVER ENIP_CLIENT ENIP_SERVER'
  ).split(' '),
)
const portVariables = new Set(
  (
    'HTTP_PORTS SHELLCODE_PORTS ORACLE_PORTS SSH_PORTS DNP3_PORTS MODBUS_PORTS FILE_DATA_PORTS FTP_PORTS GENEVE_PORTS ' +
    'VXLAN_PORTS TEREDO_PORTS SIP_PORTS'
  ).split(' '),
)

/** What is wrong, or null. Rule sets repeat a few headers thousands of times, so answers are remembered. */
export function headerProblem(
  protocol: string,
  addresses: readonly string[],
  ports: readonly string[],
): SaidText | null {
  if (!protocols.has(protocol.toLowerCase())) return say`"${protocol.slice(0, 40)}" is not a protocol of Suricata 7.`
  const address = addresses.find((text) => !isPart(knownAddresses, text, isAddress))
  if (address !== undefined)
    return say`"${address.slice(0, 40)}" is not an address, list of addresses or known variable.`
  const port = ports.find((text) => !isPart(knownPorts, text, isPort))
  return port === undefined ? null : say`"${port.slice(0, 40)}" is not a port, list of ports or known variable.`
}

const maxRemembered = 10_000
const knownAddresses = new Map<string, boolean>()
const knownPorts = new Map<string, boolean>()

function isPart(known: Map<string, boolean>, text: string, isOne: (text: string) => boolean): boolean {
  const found = known.get(text)
  if (found !== undefined) return found
  const made = isListOf(text, isOne, 0)
  if (known.size < maxRemembered) known.set(text, made)
  return made
}

const maxDepth = 8

/** One of it, `!` of one, or a list in brackets of the same, to a depth that no real rule has. */
function isListOf(text: string, isOne: (text: string) => boolean, depth: number): boolean {
  if (depth > maxDepth) return false
  if (text.startsWith('!')) return text !== '!any' && isListOf(text.slice(1), isOne, depth + 1)
  if (!text.startsWith('[')) return isOne(text)
  if (!text.endsWith(']')) return false
  return splitList(text.slice(1, -1)).every((part) => isListOf(part, isOne, depth + 1))
}

function splitList(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '[') depth++
    if (text[at] === ']') depth--
    if (text[at] !== ',' || depth > 0) continue
    parts.push(text.slice(start, at))
    start = at + 1
  }
  return [...parts, text.slice(start)]
}

function isAddress(text: string): boolean {
  if (text === 'any') return true
  if (text.startsWith('$')) return addressVariables.has(text.slice(1))
  const [first = '', last, more] = text.split('-')
  if (last !== undefined) return more === undefined && isIPv4(first) && isIPv4(last)
  const [address = '', prefix, rest] = text.split('/')
  if (rest !== undefined) return false
  if (isIPv4(address)) return prefix === undefined || isIPv4(prefix) || isUpTo(prefix, 32)
  return isIPv6(address) && (prefix === undefined || isUpTo(prefix, 128))
}

/** `80`, `1024:`, `:1024` or `6000:6010`. */
function isPort(text: string): boolean {
  if (text === 'any') return true
  if (text.startsWith('$')) return portVariables.has(text.slice(1))
  const range = /^(\d{0,5})(?::(\d{0,5}))?$/.exec(text)
  if (!range || text === '' || text === ':') return false
  const low = Number(range[1] || 0)
  const high = range[2] === undefined ? low : Number(range[2] || 65_535)
  return low <= high && high <= 65_535
}

const isUpTo = (text: string, most: number): boolean => /^\d{1,3}$/.test(text) && Number(text) <= most
