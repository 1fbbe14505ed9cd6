// Typed writer for unbound: clauses of its configuration and records of a zone. Names and addresses of a fixed alphabet,
// fixed words and quoted texts; nothing an administrator wrote can become syntax.

declare const isUnbound: unique symbol
/** Text of unbound's language that is known to be safe because only this file makes it. */
export type Unbound = string & { readonly [isUnbound]: true }

const safe = (text: string): Unbound => text as Unbound

function demand(form: RegExp, text: string, what: string): Unbound {
  if (!form.test(text)) throw new Error(`not ${what} for unbound: ${JSON.stringify(text)}`)
  return safe(text)
}

/** Of a directive, clause or type of record, and values that are words such as `yes`. */
export const word = (text: string): Unbound => demand(/^[A-Za-z][A-Za-z0-9-]{0,40}$/, text, 'a word')

/** A domain name with its final dot, quoted. */
export const quoteName = (text: string): Unbound => safe(`"${domainName(text)}"`)

const domainName = (text: string): Unbound =>
  demand(/^(?:\.|(?:[A-Za-z0-9_*](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\.)+)$/, text, 'a domain name')

/** An IPv4 or IPv6 address, or a network of them. */
export const address = (text: string): Unbound => demand(/^[0-9a-f.:]{2,45}(?:\/\d{1,3})?$/, text, 'an address')

/** A path below unbound's own folder, quoted. */
export const quotePath = (text: string): Unbound =>
  safe(`"${demand(/^[a-z0-9][a-z0-9-]*(?:[./][a-z0-9][a-z0-9-]*)*$/, text, 'a path')}"`)

/** A path of the machine, quoted. */
export const quoteAbsolutePath = (text: string): Unbound =>
  safe(`"${demand(/^\/[^"\\\p{Cc}]{0,4000}$/u, text, 'an absolute path')}"`)

/** Several words in one pair of quotes, or none; also a key record. */
export const quoteWords = (text: string): Unbound =>
  safe(`"${demand(/^[A-Za-z0-9.+/=_\t -]{0,4000}$/, text, 'plain words')}"`)

export function number(value: number): Unbound {
  if (!Number.isInteger(value) || value < 0) throw new Error(`not a number for unbound: ${value}`)
  return safe(`${value}`)
}

export const megabytes = (value: number): Unbound => safe(`${number(value)}m`)

export const directive = (key: string, ...values: readonly Unbound[]): Unbound =>
  safe(`  ${word(key)}: ${values.join(' ')}`)

export const clause = (name: string, directives: readonly Unbound[]): Unbound =>
  safe(`${word(name)}:\n${directives.map((line) => `${line}\n`).join('')}`)

/** Parts of a record's data: names, numbers and addresses are written as they are, texts are quoted. */
export const plainData = (text: string): Unbound => demand(/^[A-Za-z0-9_.:*+\\-]{1,255}$/, text, 'plain data')

/** The text in the spelling of zone files, where a backslash escapes what follows it. */
export const quoteText = (text: string): Unbound =>
  safe(`"${demand(/^(?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*$/, text, 'a text')}"`)

export function zoneRecord(owner: string, ttl: number, type: string, data: readonly Unbound[]): Unbound {
  if (!Number.isInteger(ttl) || ttl < 0 || ttl > 2 ** 31 - 1) throw new Error(`not a time for unbound: ${ttl}`)
  return safe(`${domainName(owner)} ${ttl} IN ${word(type)} ${data.join(' ')}`)
}
