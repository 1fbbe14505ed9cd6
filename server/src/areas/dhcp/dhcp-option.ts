// Reads a DHCP option in the notation of dnsmasq (docs/behaviour/dhcp.md 3): `[vendor:[<class>],][<opt>|option:<name>],[<value>[,<value>]]`.
// What is stored reads here, so that no option of an administrator can stop the server; it is printed from the parts.

import { parseAddress, parseNetwork } from '../../shared/net/ipv4.ts'
import { type SaidText, say } from '../../shared/said.ts'

export interface DhcpOption {
  /** Null: for every client; otherwise for those whose vendor class contains this, which may be empty. */
  readonly vendorClass: string | null
  readonly code: number
  readonly values: readonly string[]
  /** The values are one text with commas in it; otherwise they are addresses, names, numbers or bytes. */
  readonly isText: boolean
}

/** The names dnsmasq knows, without those it fills in by itself. */
const codes: Readonly<Record<string, number>> = {
  netmask: 1,
  'time-offset': 2,
  router: 3,
  'dns-server': 6,
  'log-server': 7,
  'lpr-server': 9,
  'boot-file-size': 13,
  'domain-name': 15,
  'swap-server': 16,
  'root-path': 17,
  'extension-path': 18,
  'ip-forward-enable': 19,
  'non-local-source-routing': 20,
  'policy-filter': 21,
  'max-datagram-reassembly': 22,
  'default-ttl': 23,
  mtu: 26,
  'all-subnets-local': 27,
  'router-discovery': 31,
  'router-solicitation': 32,
  'static-route': 33,
  'trailer-encapsulation': 34,
  'arp-timeout': 35,
  'ethernet-encap': 36,
  'tcp-ttl': 37,
  'tcp-keepalive': 38,
  'nis-domain': 40,
  'nis-server': 41,
  'ntp-server': 42,
  'netbios-ns': 44,
  'netbios-dd': 45,
  'netbios-nodetype': 46,
  'netbios-scope': 47,
  'x-windows-fs': 48,
  'x-windows-dm': 49,
  T1: 58,
  T2: 59,
  'vendor-class': 60,
  'nis+-domain': 64,
  'nis+-server': 65,
  'tftp-server': 66,
  'bootfile-name': 67,
  'mobile-ip-home': 68,
  'smtp-server': 69,
  'pop3-server': 70,
  'nntp-server': 71,
  'irc-server': 74,
  'user-class': 77,
  'rapid-commit': 80,
  'client-arch': 93,
  'client-interface-id': 94,
  'client-machine-id': 97,
  'posix-timezone': 100,
  'tzdb-timezone': 101,
  'ipv6-only': 108,
  'domain-search': 119,
  'sip-server': 120,
  'classless-static-route': 121,
  'vendor-id-encap': 125,
  'tftp-server-address': 150,
  'server-ip-address': 255,
}
const codeByName = new Map(Object.entries(codes).map(([name, code]) => [name.toLowerCase(), code]))

/** Options that hold IPv4 addresses and nothing else. */
const addressCodes = new Set([
  1, 3, 6, 7, 9, 16, 21, 28, 32, 33, 41, 42, 44, 45, 48, 49, 54, 65, 68, 69, 70, 71, 74, 150, 255,
])

/** Parts of the conversation itself, which no administrator sets. */
const ownCodes = new Set([50, 52, 53, 55, 56, 57, 61, 81, 82, 118])
export const domainCodes: ReadonlySet<number> = new Set([119, 120])
const vendorBytes = 43

const longestValues = 255
const longestClass = 128
const partForm = /[ \t]*(?:"((?:[^"\\]|\\.)*)"[ \t]*|([^",]*))(?:,|$)/y

/** What a backslash means within quotation marks; before any other character it is itself. */
const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  t: '\t',
  n: '\n',
  b: '\b',
  r: '\r',
  e: '\x1b',
}

/** Addresses, numbers (with the letter of their width) and bytes: what dnsmasq does not take for a text. */
const numericForm = /^[0-9A-Fa-f:./-]*[bsi]?$/

interface Part {
  readonly text: string
  readonly isQuoted: boolean
}

/** Parts between commas; a comma within quotation marks belongs to the text. Null when a quotation mark is left over. */
function readParts(text: string): readonly Part[] | null {
  const parts: Part[] = []
  partForm.lastIndex = 0
  for (let end = -1; end !== text.length; ) {
    const match = partForm.exec(text)
    if (!match) return null
    const [whole, quoted, bare = ''] = match
    parts.push({ text: quoted === undefined ? bare.trim() : withoutEscapes(quoted), isQuoted: quoted !== undefined })
    end = whole.endsWith(',') ? -1 : partForm.lastIndex
  }
  return parts
}

const withoutEscapes = (text: string): string =>
  text.replaceAll(/\\(.)/g, (whole, character: string) => escapes[character] ?? whole)

/** The option, or a sentence that says what is wrong with it. */
export function parseOption(text: string): DhcpOption | SaidText {
  const parts = readParts(text)
  if (!parts) return say`A quotation mark is not closed or is inside a value.`
  const [first] = parts
  const vendorClass = first && !first.isQuoted && first.text.startsWith('vendor:') ? first.text.slice(7) : null
  const [head, ...values] = vendorClass === null ? parts : parts.slice(1)
  const code = head && !head.isQuoted ? codeOf(head.text) : null
  if (code === null)
    return say`Must begin with the number of an option from 1 to 254, or with option: and its name, such as 66 or option:router.`
  const isKnown = vendorClass === null || head?.text.startsWith('option:') === true
  const fault = (isKnown ? valueFault(code, values) : null) ?? numberFault(values)
  if (fault !== null) return fault
  if (byteLength(vendorClass ?? '') > longestClass)
    return say`The vendor class must have at most ${longestClass} bytes.`
  const texts = values.map((value) => value.text)
  const isText = !domainCodes.has(code) && values.some((value) => value.isQuoted || !numericForm.test(value.text))
  if (byteLength(texts.join(isText ? ',' : '')) > longestValues)
    return say`The values must have at most ${longestValues} bytes together.`
  return { vendorClass, code, values: texts, isText }
}

const byteLength = (text: string): number => new TextEncoder().encode(text).length

function codeOf(text: string): number | null {
  if (text.startsWith('option:')) return codeByName.get(text.slice(7).toLowerCase()) ?? null
  return /^[1-9]\d{0,2}$/.test(text) && Number(text) < 255 ? Number(text) : null
}

const isAddress = ({ text, isQuoted }: Part): boolean => !isQuoted && parseAddress(text) !== null

/** Within the options of a vendor a number means something else, a name does not. */
function valueFault(code: number, values: readonly Part[]): SaidText | null {
  if (ownCodes.has(code)) return say`The server fills in the option ${code} by itself.`
  if (addressCodes.has(code) && !values.every(isAddress))
    return say`The values of the option ${code} must be IPv4 addresses.`
  const isDomain = (value: Part): boolean => /^[A-Za-z0-9_.-]+$/.test(value.text)
  if (domainCodes.has(code) && !values.every(isDomain))
    return say`The values of the option ${code} must be domain names.`
  const isNumber = values.length === 1 && /^-?\d+$/.test(values[0]?.text ?? '')
  return code === vendorBytes && isNumber ? say`The option ${code} needs bytes such as 01:04:c0:a8:00:01.` : null
}

/** Values of nothing but digits and dots are taken for addresses by the server; as a text they need quotation marks. */
function numberFault(values: readonly Part[]): SaidText | null {
  const areNumbers = values.every(({ text, isQuoted }) => !isQuoted && /^[\d./]*$/.test(text))
  const areAddresses = values.length > 1 || values[0]?.text.includes('.')
  const isRight = (value: Part): boolean => isAddress(value) || parseNetwork(value.text) !== null
  return areNumbers && areAddresses && !values.every(isRight)
    ? say`The values look like IPv4 addresses but are not valid; put text in quotation marks.`
    : null
}
