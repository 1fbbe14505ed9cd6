// Typed writer for snmpd.conf: every line is made here, from fixed keywords, words of a fixed alphabet, quoted texts and marks
// of sealed secrets, so nothing an administrator wrote can become another directive.

import { markOf } from '../../core/plan/sealed.ts'
import { type Network, printAddress } from '../../shared/net/ipv4.ts'

declare const isSnmp: unique symbol
/** Text of snmpd's language that is known to be safe because only this file makes it. */
export type Snmp = string & { readonly [isSnmp]: true }

const safe = (text: string): Snmp => text as Snmp

const keywords = ['access', 'com2sec', 'createUser', 'group', 'rouser', 'view'] as const
const texts = ['sysContact', 'sysLocation', 'sysName'] as const

const control = /[\p{Cc}\u2028\u2029]/u

/** A word without special meaning. */
export function word(text: string): Snmp {
  if (!/^[A-Za-z0-9.][A-Za-z0-9_.-]*$/.test(text)) throw new Error(`not a word for snmpd: ${JSON.stringify(text)}`)
  return safe(text)
}

/** snmpd reads a word into a buffer of 1,024 bytes at most, and cuts what is longer. */
const longestWord = 255

/** A text as one word. */
export function quote(text: string): Snmp {
  if (control.test(text)) throw new Error('snmpd cannot represent a control character')
  if (new TextEncoder().encode(text).length > longestWord) throw new Error('a word is too long for snmpd')
  return safe(`"${text.replaceAll(/["\\]/g, '\\$&')}"`)
}

/** A secret of the configuration as one word; it is filled in on the way to applyd. */
export const secret = (place: string, sealed: string): Snmp => safe(markOf({ form: 'snmp', place, sealed }))

/** Names of the view-based access control have at most 32 bytes (RFC 3415), and a hyphen would begin an option. */
export const canBeUser = (name: string): boolean =>
  name !== '' && !name.startsWith('-') && !control.test(name) && new TextEncoder().encode(name).length <= 32

export function userName(name: string): Snmp {
  if (!canBeUser(name)) throw new Error(`not a user for snmpd: ${JSON.stringify(name)}`)
  return quote(name)
}

export const source = ({ low, prefix }: Network): Snmp => safe(`${printAddress(low)}/${prefix}`)

export const directive = (keyword: (typeof keywords)[number], ...parts: readonly Snmp[]): Snmp =>
  safe([keyword, ...parts].join(' '))

/** Objects of the system group hold 255 bytes (RFC 3418). */
const longestText = 255

/**
 * snmpd takes the rest of the line as it is, without quotes. Only a hash at its beginning would be a comment, so it is left
 * out, and so is a text of which nothing remains.
 */
export function textLines(keyword: (typeof texts)[number], text: string): Snmp[] {
  if (control.test(text)) throw new Error('snmpd cannot represent a control character')
  const shown = cut(text.replace(/^[\s#]+/, '')).trimEnd()
  return shown === '' ? [] : [safe(`${keyword} ${shown}`)]
}

/** Whole characters only. */
function cut(text: string): string {
  let bytes = 0
  let shown = ''
  for (const character of text) {
    bytes += new TextEncoder().encode(character).length
    if (bytes > longestText) break
    shown += character
  }
  return shown
}

export const printLines = (lines: readonly Snmp[]): string => lines.map((line) => `${line}\n`).join('')
