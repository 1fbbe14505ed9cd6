// What an entry of a list covers, as the text that is hashed: a name with all its subdomains, an address, or a host with the
// beginning of a path. Lists and questions go through the same functions, so they cannot differ (decision 75). Pure.

import { domainToASCII } from 'node:url'

export const maxKeyBytes = 1_024
/** Prefixes of a path that are tried; entries with more parts are refused. */
export const maxCuts = 32
const maxName = 253
const maxLine = 4_096

const slash = 0x2f
const questionMark = 0x3f
const ampersand = 0x26
const percent = 0x25

/** A prefix of a path ends before one of these. */
export const isCut = (byte: number): boolean => byte === slash || byte === questionMark || byte === ampersand

const nameForm = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})+$/
const ipv4Form = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$/
const lastIsNumber = /(?:^|\.)\d+$/

/** The name or address as the index has it; null when it is neither. A name has two labels at least. */
export function hostKey(text: string): string | null {
  if (isPlainName(text)) return text
  if (text.length > 1_024) return null
  if (text.startsWith('[')) return addressKey(text)
  if (text.includes(':')) return addressKey(`[${text}]`)
  const plain = isAscii(text) ? text.toLowerCase() : domainToASCII(text)
  const name = withoutEndDots(plain)
  if (name.length > maxName || !nameForm.test(name)) return null
  if (!lastIsNumber.test(name)) return name
  return ipv4Form.test(name) ? name : null
}

/** Whether the text is its own key, as nearly all names in questions are; what is not may still have one. */
function isPlainName(text: string): boolean {
  if (text.length > maxName) return false
  let label = 0
  for (let at = 0; at < text.length; at++) {
    const kind = kinds[text.charCodeAt(at)]
    if (kind === 1) continue
    if (kind !== 2 || at === label || at - label > 63) return false
    label = at + 1
  }
  const last = text.length - label
  return label > 0 && last > 0 && last <= 63 && !isDigit(text.charCodeAt(text.length - 1))
}

function addressKey(text: string): string | null {
  if (!/^\[[0-9a-f:.]{2,45}\]$/i.test(text)) return null
  return URL.canParse(`http://${text}/`) ? new URL(`http://${text}/`).hostname : null
}

function withoutEndDots(text: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === '.') end--
  return text.slice(0, end)
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false
  return true
}

/** Pages of a site are listed with and without it. Not for names: there it would cover much more than was listed. */
export const withoutWww = (host: string): string =>
  host.startsWith('www.') && host.indexOf('.', 4) !== -1 ? host.slice(4) : host

/**
 * The bytes of a path with its query: percent codes decoded once, letters of ASCII in lower case. At most this many bytes are
 * made; `isWhole` says whether that was all.
 */
export function pathBytes(path: string, most: number): { readonly bytes: Buffer; readonly isWhole: boolean } {
  const raw = Buffer.from(path.slice(0, 3 * most), 'utf8')
  const bytes = Buffer.allocUnsafe(Math.min(most, raw.length))
  let length = 0
  let at = 0
  for (; at < raw.length && length < most; length++) {
    let byte = raw[at] as number
    const decoded = byte === percent ? hexAt(raw, at + 1) : -1
    if (decoded >= 0) {
      byte = decoded
      at += 3
    } else at++
    bytes[length] = byte >= 0x41 && byte <= 0x5a ? byte + 32 : byte
  }
  return { bytes: bytes.subarray(0, length), isWhole: at === raw.length && path.length <= 3 * most }
}

/**
 * Writes a path with nothing to decode to `bytes` as pathBytes() would make it, without a buffer of its own. How many bytes it
 * has; -1 when it has something to decode, or more than `most` bytes.
 */
export function writePlainPath(path: string, bytes: Uint8Array, begin: number, most: number): number {
  if (path.length > most) return -1
  for (let at = 0; at < path.length; at++) {
    const code = path.charCodeAt(at)
    if (code === percent || code > 0x7f) return -1
    bytes[begin + at] = code >= 0x41 && code <= 0x5a ? code + 32 : code
  }
  return path.length
}

function hexAt(bytes: Buffer, at: number): number {
  const high = hexDigit(bytes[at])
  const low = hexDigit(bytes[at + 1])
  return high < 0 || low < 0 ? -1 : high * 16 + low
}

function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : -1
}

/** `comment`: nothing is on the line. `refused`: it is neither a name nor a URL. */
export type ParsedLine = Buffer | 'comment' | 'refused'

/** A tab ends an entry. */
const notText = /(?!\t)[\p{Cc}\ufffd]/u
const schemeForm = /^(?:https?|ftp):\/\//i

/** The key of a line of a list. */
export function parseLine(line: string): ParsedLine {
  if (line.length > maxLine) return 'refused'
  const trimmed = line.replace(/^\ufeff/, '').trim()
  if (trimmed === '' || /^(?:[#;!]|\/\/)/.test(trimmed)) return 'comment'
  const text = /^\S+(?=\s+#)/.exec(trimmed)?.[0] ?? trimmed
  if (/\s/.test(text) || notText.test(text)) return 'refused'
  const rest = text.replace(schemeForm, '')
  const end = rest.search(/[/?#]/)
  const host = hostKey(listedHost(end === -1 ? rest : rest.slice(0, end)))
  if (host === null) return 'refused'
  const path = end === -1 ? '' : listedPath(rest.slice(end))
  if (path === '') return Buffer.from(host, 'latin1')
  // A network is not a page.
  if (/^\/\d{1,3}$/.test(path) && (host.startsWith('[') || ipv4Form.test(host))) return 'refused'
  const { bytes, isWhole } = pathBytes(path, maxKeyBytes)
  const key = Buffer.concat([Buffer.from(withoutWww(host), 'latin1'), withoutEndCuts(bytes)])
  return isWhole && key.length <= maxKeyBytes && hasFewCuts(key) ? key : 'refused'
}

/** Without port, and without the marks with which some lists say "and subdomains". */
const listedHost = (text: string): string =>
  text.replace(/^([^:]*|\[[^\]]*\]):\d{1,5}$/, '$1').replace(/^(?:\*\.|\.)/, '')

/** Without fragment; only a query gets the slash that it has on the wire. Empty when it covers the whole site. */
function listedPath(text: string): string {
  const path = text.split('#', 1)[0] ?? ''
  const whole = path.startsWith('?') ? `/${path}` : path
  return /^[/?&]*$/.test(whole) ? '' : whole
}

function withoutEndCuts(bytes: Buffer): Buffer {
  let end = bytes.length
  while (end > 0 && isCut(bytes[end - 1] as number)) end--
  return bytes.subarray(0, end)
}

function hasFewCuts(key: Uint8Array): boolean {
  let cuts = 0
  for (const byte of key) if (isCut(byte)) cuts++
  return cuts <= maxCuts
}

/** What a line that needs nothing done looks like, byte by byte: 1 a letter of a name, 2 a dot, 3 a cut, 4 else in a path. */
const kinds = new Uint8Array(256)
for (let byte = 0x21; byte < 0x7f; byte++) {
  const text = String.fromCharCode(byte)
  if (/[a-z0-9_-]/.test(text)) kinds[byte] = 1
  else if (text === '.') kinds[byte] = 2
  else if (isCut(byte)) kinds[byte] = 3
  else if (/[^A-Z%#]/.test(text)) kinds[byte] = 4
}
const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39

/** Whether these bytes are their own key, which most lines of most lists are. What is not may still be one: parseLine() says. */
export function isPlainKey(bytes: Uint8Array, begin: number, end: number): boolean {
  if (end - begin > maxKeyBytes || bytes[begin] === 0x77) return false
  let at = begin
  let label = begin
  let dots = 0
  let isNumber = true
  for (; at < end; at++) {
    const byte = bytes[at] as number
    const kind = kinds[byte] as number
    if (kind === 1) {
      if (!isDigit(byte)) isNumber = false
    } else if (kind === 2) {
      if (at === label || at - label > 63) return false
      label = at + 1
      dots++
      isNumber = true
    } else if (byte === slash) break
    else return false
  }
  if (dots === 0 || isNumber || at === label || at - label > 63 || at - begin > maxName) return false
  let cuts = 0
  for (let next = at; next < end; next++) {
    const kind = kinds[bytes[next] as number] as number
    if (kind === 0) return false
    if (kind === 3) cuts++
  }
  return at === end || (cuts <= maxCuts && !isCut(bytes[end - 1] as number))
}
