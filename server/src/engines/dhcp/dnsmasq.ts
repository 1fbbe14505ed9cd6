// Typed writer for the files of dnsmasq: every line is made here, from fixed keywords, numbers, words of a fixed alphabet
// and quoted texts, so nothing an administrator wrote can become another directive.

import { printAddress } from '../../shared/net/ipv4.ts'

declare const isDnsmasq: unique symbol
/** A part of a line that is known to be safe because only this file makes it. */
export type Dnsmasq = string & { readonly [isDnsmasq]: true }

const safe = (text: string): Dnsmasq => text as Dnsmasq

const keywords = [
  'bind-dynamic',
  'dhcp-authoritative',
  'dhcp-boot',
  'dhcp-lease-max',
  'dhcp-option',
  'dhcp-option-force',
  'dhcp-range',
  'dhcp-relay',
  'interface',
  'no-hosts',
  'no-ping',
  'no-resolv',
  'port',
  'quiet-dhcp',
] as const
export type Keyword = (typeof keywords)[number]

/** dnsmasq reads lines into a buffer of 1025 bytes, and takes the rest of a longer one for another line. */
const longestLine = 1023

const wordForm = /^[A-Za-z0-9_.:/-]+$/
const originForm = /^[A-Za-z0-9_.[\]-]{1,160}$/

/** A word without special meaning: a tag, a device, the name of an option, numbers, bytes. */
export function word(text: string): Dnsmasq {
  if (!wordForm.test(text)) throw new Error(`not a word for dnsmasq: ${JSON.stringify(text)}`)
  return safe(text)
}

export const number = (value: number): Dnsmasq => word(`${value}`)

export const address = (value: number): Dnsmasq => safe(printAddress(value))

/** Nothing between two commas. */
export const nothing: Dnsmasq = safe('')

const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\b': '\\b',
  '\r': '\\r',
  '\x1b': '\\e',
}

/** A text as it is; within quotation marks no comma, colon or hash means anything. */
export function quote(text: string): Dnsmasq {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const printed = text.replaceAll(/["\\\x00-\x1f\x7f]/g, (character) => {
    const spelling = escapes[character]
    if (spelling === undefined) throw new Error(`dnsmasq cannot represent the character ${JSON.stringify(character)}`)
    return spelling
  })
  return safe(`"${printed}"`)
}

/** `tag:lan`, `set:lan`, `vendor:"PXEClient"`. */
export const prefixed = (prefix: 'tag' | 'set' | 'vendor', value: Dnsmasq): Dnsmasq => safe(`${prefix}:${value}`)

/** `keyword=part,part`, or the keyword alone. */
export function directive(keyword: Keyword, ...parts: readonly Dnsmasq[]): Dnsmasq {
  const line = parts.length === 0 ? keyword : `${keyword}=${parts.join(',')}`
  if (new TextEncoder().encode(line).length > longestLine)
    throw new Error(`a line of ${keyword} is too long for dnsmasq`)
  return safe(line)
}

/** Names the object that the next lines come from: a refusal of dnsmasq is reported as a fault of that. */
export function origin(path: string): Dnsmasq {
  if (!originForm.test(path)) throw new Error(`not an object path: ${JSON.stringify(path)}`)
  return safe(`# ${path}`)
}

/** A line of the file of hosts: an address that no client gets, or one that only this card gets. */
export const host = (mac: string | null, value: number): Dnsmasq =>
  safe([...(mac === null ? [] : [word(mac)]), address(value)].join(','))

export const printLines = (lines: readonly Dnsmasq[]): string => lines.map((line) => `${line}\n`).join('')
