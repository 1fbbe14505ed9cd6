// Where a client counts as coming from. Every limit on addresses counts by this and never by the address itself: one IPv6
// client owns a whole /64, so its 2^64 addresses are one source (docs/behaviour/security.md 3).

import { isIPv6 } from 'node:net'

declare const isSource: unique symbol
declare const isNetwork: unique symbol

/** An IPv4 address, or the /64 of an IPv6 address. Only `sourceOf` makes one, so a count cannot be kept by raw address. */
export type Source = string & { readonly [isSource]: true }

/** The /24 of an IPv4 address or the /48 of an IPv6 address: what one holder can usually choose addresses from. */
export type SourceNetwork = string & { readonly [isNetwork]: true }

const dottedTail = /(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/
const mappedPrefix = '0:0:0:0:0:ffff:'

/** IPv4 in its IPv6 form is the same source; the zone of a link-local address stays, because links are separate. */
export function sourceOf(address: string | undefined): Source {
  const [text = '', zone] = (address ?? '').split('%')
  if (!isIPv6(text)) return text as Source
  const groups = groupsOf(text)
  if (groups.join(':').startsWith(mappedPrefix)) return ipv4Of(groups) as Source
  return `${prefixOf(groups, 4)}::/64${zone === undefined ? '' : `%${zone}`}` as Source
}

export function networkOf(source: Source): SourceNetwork {
  const [text = ''] = source.split('/')
  if (isIPv6(text)) return `${prefixOf(groupsOf(text), 3)}::/48` as SourceNetwork
  return source.replace(/\.\d+$/, '.0/24') as string as SourceNetwork
}

/** The eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] {
  const hexadecimal = address.toLowerCase().replace(dottedTail, (_, a, b, c, d) => `${pair(a, b)}:${pair(c, d)}`)
  const [head = '', tail = ''] = hexadecimal.split('::')
  const [first, last] = [head, tail].map((part) => (part === '' ? [] : part.split(':'))) as [string[], string[]]
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0')
  return [...first, ...zeros, ...last].map((group) => Number.parseInt(group, 16).toString(16))
}

const pair = (high: string, low: string): string => (Number(high) * 256 + Number(low)).toString(16)

const ipv4Of = (groups: readonly string[]): string =>
  groups
    .slice(6)
    .map((group) => Number.parseInt(group, 16))
    .flatMap((value) => [value >> 8, value & 255])
    .join('.')

function prefixOf(groups: readonly string[], count: number): string {
  const kept = groups.slice(0, count)
  while (kept.at(-1) === '0') kept.pop()
  return kept.join(':')
}
