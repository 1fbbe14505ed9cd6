// IPv4 addresses, networks and ranges: one grammar each, values as numbers, printed from the value. Pure.

import type { Ranges } from './ranges.ts'

export const highestAddress = 0xffff_ffff

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
/** Dotted decimal without leading zeros: other spellings mean different things to different programs. */
export const addressPattern = `${octet}(?:\\.${octet}){3}`

/** Digit by digit: a list of a hundred thousand addresses is read at every start. */
export function parseAddress(text: string): number | null {
  let address = 0
  let part = -1
  let dots = 0
  for (let at = 0; at <= text.length; at++) {
    const digit = at === text.length ? dot : text.charCodeAt(at) - zero
    if (digit === dot) {
      if (part < 0 || part > 255) return null
      address = address * 256 + part
      part = -1
      dots++
    } else {
      // A zero is alone in its part.
      if (digit < 0 || digit > 9 || part === 0 || part > 255) return null
      part = part < 0 ? digit : part * 10 + digit
    }
  }
  return dots === 4 ? address : null
}

const zero = 48
/** The character code of a dot, from that of zero on. */
const dot = -2

export const printAddress = (value: number): string =>
  `${value >>> 24}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}`

/** `a.b.c.d/prefix` or `a.b.c.d/mask`; the address may have host bits, which `address` keeps. */
export interface Network {
  readonly address: number
  readonly prefix: number
  readonly low: number
  readonly high: number
}

export function parseNetwork(text: string): Network | null {
  const [head = '', tail, ...rest] = text.split('/')
  const address = parseAddress(head)
  const prefix = tail === undefined || rest.length > 0 ? null : parsePrefix(tail)
  return address === null || prefix === null ? null : networkOf(address, prefix)
}

export function networkOf(address: number, prefix: number): Network {
  const size = 2 ** (32 - prefix)
  const low = Math.floor(address / size) * size
  return { address, prefix, low, high: low + size - 1 }
}

/** The network with this prefix that an address is in, as `a.b.c.d/n`. */
export const networkAround = (address: string, prefix: number): string =>
  `${printAddress(networkOf(parseAddress(address) ?? 0, prefix).low)}/${prefix}`

function parsePrefix(text: string): number | null {
  if (/^(?:[0-9]|[12]\d|3[0-2])$/.test(text)) return Number(text)
  const mask = parseAddress(text)
  if (mask === null) return null
  const zeros = Math.log2(highestAddress - mask + 1)
  return Number.isInteger(zeros) ? 32 - zeros : null
}

/** An address, a network, or `first-last`. Null when it is not one of them. */
export function parseSpan(text: string): readonly [low: number, high: number] | null {
  const address = parseAddress(text)
  if (address !== null) return [address, address]
  const network = parseNetwork(text)
  if (network) return [network.low, network.high]
  const [first = '', last = '', ...rest] = text.split('-')
  const low = parseAddress(first)
  const high = parseAddress(last)
  return low === null || high === null || rest.length > 0 || low > high ? null : [low, high]
}

/** Shortest form that means exactly this range: an address, a network or `first-last`. */
export function printSpan(low: number, high: number): string {
  if (low === high) return printAddress(low)
  const size = high - low + 1
  const bits = Math.log2(size)
  if (Number.isInteger(bits) && low % size === 0) return `${printAddress(low)}/${32 - bits}`
  return `${printAddress(low)}-${printAddress(high)}`
}

export const everyAddress: Ranges = [0, highestAddress]
