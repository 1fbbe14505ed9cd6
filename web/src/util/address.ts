// Addresses in lists and links: told apart from other words, put in their order, led to the page of the host. Pure.

import { parseAddress, parseSpan } from '@gateway/server/net/ipv4'

export const isAddress = (text: string): boolean => parseAddress(text) !== null

/** An address, a network or a range. */
export const isSpan = (text: string): boolean => parseSpan(text) !== null

/** By number where both are addresses, networks or ranges; by the words otherwise. */
export function compareTexts(one: string, other: string, language = 'en'): number {
  const [a, b] = [parseSpan(one), parseSpan(other)]
  if (a && b) return a[0] - b[0] || a[1] - b[1]
  if (a || b) return a ? -1 : 1
  return one.localeCompare(other, language, { numeric: true, sensitivity: 'base' })
}

/** The page of a host, for text that is exactly an address. */
export const hostPath = (text: string): string | null => (isAddress(text) ? `overview/host/${text}` : null)

const macForms = /^(?:[0-9a-f]{2}([:.\s-]?)(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}|(?:[0-9a-f]{4}[.:-]){2}[0-9a-f]{4})$/i

export const isMac = (text: string): boolean => macForms.test(text.trim())

/** A MAC in any usual form, with colons and in lower case; any other text stays as it is. */
export function tidyMac(text: string): string {
  const plain = text.trim()
  if (!macForms.test(plain)) return text
  const digits = plain.toLowerCase().replaceAll(/[^0-9a-f]/g, '')
  return digits.length === 12 ? (digits.match(/../g) ?? []).join(':') : text
}
