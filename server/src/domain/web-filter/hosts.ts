// Hosts and paths in the one form in which they are compared: names in lower case, in ASCII and without the last dot,
// addresses in the spelling that programs print, percent-encoding decoded once. Pure, and total: any text has a form.

import { parseAddress, printAddress } from '../../shared/net/ipv4.ts'

const longestHost = 1_024
const plainName = /^[a-z0-9_-]{1,255}(?:\.[a-z0-9_-]{1,255}){0,511}$/
/** URL would take what follows one of these for another part of the address, or leave it out. */
const notInNames = /[\p{Cc} /?#@\\:[\]]/u

/**
 * Browsers, libraries and Squid read `0x7f.1` and `127.1` as 127.0.0.1, and `%65xample.com` as example.com, so we do too.
 * What is not a host at all stays as it is and is in no list.
 */
export function canonicalHost(text: string): string {
  const lower = withoutLastDots(text).toLowerCase()
  if (lower.length > longestHost) return lower
  if (plainName.test(lower) && !endsInNumber(lower)) return lower
  if (lower.includes(':')) return canonicalAddress(lower)
  if (notInNames.test(lower)) return lower
  const url = URL.parse(`http://${lower}/`)
  return url === null || url.hostname === '' ? lower : withoutLastDots(url.hostname)
}

/** `example.com..` is not a name either, so it may as well be the one it looks like. */
function withoutLastDots(text: string): string {
  let end = text.length
  while (end > 1 && text.charCodeAt(end - 1) === 46) end--
  return end === text.length ? text : text.slice(0, end)
}

const endsInNumber = (host: string): boolean => {
  const code = host.charCodeAt(host.lastIndexOf('.') + 1)
  return code >= 48 && code <= 57
}

const mappedForm = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/

/** IPv6 in brackets, in the shortest spelling; an IPv4 address in it as IPv4. */
function canonicalAddress(lower: string): string {
  const inner = lower.startsWith('[') && lower.endsWith(']') ? lower.slice(1, -1) : lower
  const url = /^[0-9a-f:.]{2,45}$/.test(inner) ? URL.parse(`http://[${inner}]/`) : null
  if (url === null) return lower
  const [, high, low] = mappedForm.exec(url.hostname) ?? []
  if (high === undefined || low === undefined) return url.hostname
  return printAddress(Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16))
}

/** Of a host in its canonical form. */
export const isAddressHost = (host: string): boolean =>
  host.startsWith('[') ? bracketed.test(host) : parseAddress(host) !== null

const bracketed = /^\[[0-9a-f:]{2,39}\]$/

/** Of a host in its canonical form: whether a list can have it. */
export const isHost = (host: string): boolean => isAddressHost(host) || plainName.test(host)

const plainPath = /^[!-$&-~]*$/

/** The path as bytes, one character each, decoded once. */
export function canonicalPath(path: string): string {
  if (plainPath.test(path)) return path
  let bytes = ''
  for (let at = 0; at < path.length; at++) {
    const code = path.charCodeAt(at)
    const decoded = code === percent ? byteAt(path, at + 1) : -1
    if (decoded >= 0) {
      bytes += String.fromCharCode(decoded)
      at += 2
    } else if (code < 128) bytes += path[at]
    else {
      const point = path.codePointAt(at) ?? 0
      for (const byte of encoder.encode(String.fromCodePoint(point))) bytes += String.fromCharCode(byte)
      if (point > 0xffff) at++
    }
  }
  return bytes
}

const percent = 37
const encoder = new TextEncoder()

function byteAt(text: string, at: number): number {
  const [high, low] = [digitOf(text.charCodeAt(at)), digitOf(text.charCodeAt(at + 1))]
  return high < 0 || low < 0 ? -1 : high * 16 + low
}

function digitOf(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  const letter = code | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}

/** Types of a header Content-Type: without parameters, in lower case, each once. A header may hold several. */
export function contentTypesOf(header: string | null): readonly string[] {
  if (header === null || header === '') return none
  const simple = known.get(header)
  if (simple !== undefined) return simple
  const types = new Set<string>()
  for (const part of header.slice(0, longestHeader).split(',')) {
    const [type = ''] = part.split(';', 1)
    const plain = type.trim().toLowerCase()
    if (plain.includes('/')) types.add(plain)
  }
  const found = [...types]
  if (known.size >= 1_000) known.clear()
  if (header.length <= 200) known.set(header, found)
  return found
}

const none: readonly string[] = []
const longestHeader = 8_192
/** Most replies have one of a few headers. */
const known = new Map<string, readonly string[]>()
