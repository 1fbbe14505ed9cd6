// An address in the one form in which it is compared: programs write IPv6 with and without its zeros. Pure.

import { parseAddress } from './ipv4.ts'

const sixForm = /^[0-9a-fA-F:.]{2,45}$/

/** Null for what is not an address. */
export function plainAddress(text: string): string | null {
  if (parseAddress(text) !== null) return text
  if (!text.includes(':') || !sixForm.test(text)) return null
  return URL.parse(`http://[${text}]/`)?.hostname.slice(1, -1) ?? null
}
