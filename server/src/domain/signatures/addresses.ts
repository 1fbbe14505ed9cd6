// Whether a text is an IPv4 or an IPv6 address as rules write them. Pure, because rules are also read where node is not.

import { parseAddress } from '../../shared/net/ipv4.ts'

export const isIPv4 = (text: string): boolean => parseAddress(text) !== null

export function isIPv6(text: string): boolean {
  if (!/^[0-9A-Fa-f:]{2,39}$/.test(text)) return false
  const halves = text.split('::')
  if (halves.length > 2) return false
  const groups = halves.map((half) => (half === '' ? [] : half.split(':')))
  if (!groups.flat().every((group) => /^[0-9A-Fa-f]{1,4}$/.test(group))) return false
  const count = groups.flat().length
  return halves.length === 2 ? count < 8 : count === 8
}
