// Typed writer for nftables: everything in a ruleset is made here, from numbers, fixed words and names of a
// fixed alphabet, so nothing an administrator wrote can become syntax. The compiler decides what the rules mean.

import { printAddress, printSpan } from '../../shared/net/ipv4.ts'
import type { Ranges } from '../../shared/net/ranges.ts'

declare const isNft: unique symbol
/** Text of nft's language that is known to be safe because only this file makes it. */
export type Nft = string & { readonly [isNft]: true }

const safe = (text: string): Nft => text as Nft

const nameForm = /^[a-z][a-z0-9_]{0,60}$/
const wordsForm = /^[a-z][a-z0-9 _,.=&|!:;<>+-]*$/
const originForm = /^[a-z0-9_.[\]-]{1,120}$/i
const macForm = /^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/i
const logForm = /^[A-Z]{3,4} [A-Za-z0-9_.-]{1,64} [a-z_]{1,16}$/

function demand(form: RegExp, text: string, what: string): Nft {
  if (!form.test(text)) throw new Error(`not ${what} for nftables: ${JSON.stringify(text)}`)
  return safe(text)
}

/** Name of a chain, set or map; never a word of nft's language when it holds a digit or an underscore. */
export const name = (text: string): Nft => demand(nameForm, text, 'a name')

/** Fixed words of nft's language; never text from outside. */
export const words = (text: string): Nft => demand(wordsForm, text, 'plain words')

/** Printable ASCII but quote, slash, backslash and the star, which nft would take as "any ending". */
export const isQuotableInterface = (text: string): boolean => /^[!#-)+-.0-[\]-~]{1,15}$/.test(text)

export function quoteInterface(text: string): Nft {
  if (!isQuotableInterface(text)) throw new Error(`not an interface name: ${JSON.stringify(text)}`)
  return safe(`"${text}"`)
}

const isWhole = (value: number, highest: number): boolean => Number.isInteger(value) && value >= 0 && value <= highest

/** An address, a network or `first-last`. */
export function addresses(low: number, high: number): Nft {
  if (!isWhole(low, high) || !isWhole(high, 0xffff_ffff)) throw new Error(`not addresses: ${low}-${high}`)
  return safe(printSpan(low, high))
}

/** Always `first-last`, as NAT wants its pools; one address alone. */
export function addressPool(low: number, high: number): Nft {
  addresses(low, high)
  return safe(low === high ? printAddress(low) : `${printAddress(low)}-${printAddress(high)}`)
}

/** A number or `low-high`: ports, seconds. */
export function numbers(low: number, high: number): Nft {
  if (!isWhole(low, high) || !isWhole(high, 2 ** 40)) throw new Error(`not numbers: ${low}-${high}`)
  return safe(low === high ? `${low}` : `${low}-${high}`)
}

export const hexNumber = (value: number): Nft => {
  if (!isWhole(value, 0xffff_ffff)) throw new Error(`not a number of 32 bits: ${value}`)
  return safe(`0x${value.toString(16)}`)
}

export const hexNumbers = (low: number, high: number): Nft => safe(`${hexNumber(low)}-${hexNumber(high)}`)

export const mac = (text: string): Nft => demand(macForm, text, 'a hardware address')

/** `10.0.0.1 . 10.0.0.2`: the parts of a concatenation. */
export const concatenate = (...parts: readonly Nft[]): Nft => safe(parts.join(' . '))

/** Nothing: a condition that everything meets. */
export const blank: Nft = safe('')

/** Several parts in a row. */
export const sentence = (...parts: readonly Nft[]): Nft => safe(parts.filter((part) => part !== '').join(' '))

export const inSet = (selector: Nft, set: string, isNegated = false): Nft =>
  safe(`${selector} ${isNegated ? '!= ' : ''}@${name(set)}`)

/** To look something up costs the kernel five times a comparison, so what is compared decides first whether it must. */
export const withSetsLast = (conditions: readonly Nft[]): Nft[] => {
  const asksSet = (condition: Nft): boolean => condition.includes(' @')
  return conditions.some(asksSet)
    ? [...conditions.filter((it) => !asksSet(it)), ...conditions.filter(asksSet)]
    : [...conditions]
}

export const equals = (selector: Nft, value: Nft, isNegated = false): Nft =>
  safe(`${selector} ${isNegated ? '!= ' : ''}${value}`)

export const jump = (chain: string): Nft => safe(`jump ${name(chain)}`)
export const goTo = (chain: string): Nft => safe(`goto ${name(chain)}`)
export const byMap = (selector: Nft, map: string): Nft => safe(`${selector} vmap @${name(map)}`)
export const mapHead = (key: Nft, value: Nft): Nft => safe(`typeof ${key} : ${value};`)
export const masked = (selector: Nft, mask: number): Nft => safe(`${selector} & ${hexNumber(mask)}`)
/** The first two bytes of an IPv6 header; 0xfc0 of them is the DSCP field, which nft 1.0.6 shifts in the wrong order in front of a map. */
export const ipv6Start: Nft = safe('@nh,0,16')
/** What a map has for the value of the selector. */
export const mapped = (selector: Nft, map: string): Nft => safe(`${selector} map @${name(map)}`)
export const element = (key: Nft, verdict: Nft): Nft => safe(`${key} : ${verdict}`)

/** `to 10.0.0.1:80-90`, `to :80`: where a translation leads. */
export const target = (pool: Nft | null, ports: Nft | null): Nft =>
  safe(`to ${pool ?? ''}${ports === null ? '' : `:${ports}`}`)

/** Adds an element made from the packet; `update` also extends the life of one that is there. */
export const changeSet = (verb: 'add' | 'update', set: string, key: Nft, seconds: number): Nft =>
  safe(`${verb} @${name(set)} { ${key} timeout ${numbers(seconds, seconds)}s }`)

/** Adds an element made from the packet, which counts tracked connections; not met when it has more than this many. */
export const countIn = (set: string, key: Nft, most: number): Nft =>
  safe(`add @${name(set)} { ${key} ct count ${numbers(most, most)} }`)

/** Counts packets by an element made from each; met by those beyond the rate. */
export const overRate = (set: string, key: Nft, rate: { readonly perSecond: number; readonly burst: number }): Nft => {
  const [perSecond, burst] = [rate.perSecond, rate.burst].map((value) => numbers(value, value))
  return safe(`update @${name(set)} { ${key} timeout 10s limit rate over ${perSecond}/second burst ${burst} packets }`)
}

/** A record for the reader of the firewall log: table, rule and action. */
export const record = (group: number, table: string, rule: string, action: string): Nft =>
  safe(`log group ${numbers(group, group)} prefix "${demand(logForm, `${table} ${rule} ${action}`, 'a log prefix')} "`)

/** A copy of the packet for a program, as long as there are not too many in a second. */
export const copyPackets = (group: number, bytes: number, perSecond: number): Nft => {
  const [most, number, length] = [perSecond, group, bytes].map((value) => numbers(value, value))
  return safe(`limit rate ${most}/second burst ${most} packets log group ${number} snaplen ${length}`)
}

/** A rule with the path of the object it comes from: a refusal of the kernel is reported as a fault of that. */
export const rule = (origin: string, ...parts: readonly Nft[]): Nft =>
  safe(`${sentence(...parts)} comment "${demand(originForm, origin, 'an object path')}"`)

export const printElements = (ranges: Ranges, print: (low: number, high: number) => Nft): Nft[] => {
  const elements: Nft[] = []
  for (let at = 0; at < ranges.length; at += 2) elements.push(print(ranges[at] as number, ranges[at + 1] as number))
  return elements
}

export interface Hook {
  readonly type: 'filter' | 'nat' | 'route'
  readonly at: 'prerouting' | 'input' | 'forward' | 'output' | 'postrouting'
  readonly priority: string
}

export const hookHead = ({ type, at, priority }: Hook): Nft =>
  safe(`type ${type} hook ${at} priority ${words(priority)}; policy accept;`)

export const ingressHead = (devices: readonly string[]): Nft =>
  safe(`type filter hook ingress devices = { ${devices.map(quoteInterface).join(', ')} } priority -500; policy accept;`)
