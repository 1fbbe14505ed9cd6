// Typed writer for squid.conf: fixed words, numbers, addresses, names of a fixed alphabet and paths of applyd. Nothing an
// administrator wrote can become syntax. No imports: applyd uses it too.

declare const isSquid: unique symbol
/** Text of Squid's language that is known to be safe because only this file makes it. */
export type Squid = string & { readonly [isSquid]: true }

const safe = (text: string): Squid => text as Squid

function demand(form: RegExp, text: string, what: string): Squid {
  if (!form.test(text)) throw new Error(`not ${what} for Squid: ${JSON.stringify(text)}`)
  return safe(text)
}

/** A word of Squid's own or of ours: names of directives, options, ACLs, formats. */
export const word = (text: string): Squid =>
  demand(/^[A-Za-z0-9!%_.:@^-][A-Za-z0-9%_.,:;=@{}<>*+'/-]{0,200}$/, text, 'a word')

/** Several fixed words, as they are in the code. */
export const words = (text: string): readonly Squid[] => text.split(' ').map(word)

export function number(value: number): Squid {
  if (!Number.isInteger(value) || value < 0) throw new Error(`not a number for Squid: ${value}`)
  return safe(String(value))
}

/** An IPv4 or IPv6 address, or a network of them. */
export const address = (text: string): Squid => demand(/^[0-9a-f.:]{2,45}(?:\/\d{1,3})?$/, text, 'an address')

/** A domain, which stands for its subdomains too. */
export const domain = (text: string): Squid =>
  safe(`.${demand(/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,20}[a-z0-9-]{2,63}$/, text, 'a domain')}`)

/** A path of the machine; spaces and quotes would need quoting, which differs between directives. */
export const path = (text: string): Squid => demand(/^\/[A-Za-z0-9_./+@-]{1,1000}$/, text, 'a path')

/** An option with a path, such as `cafile=/etc/ssl`. */
export const pathOption = (name: string, text: string): Squid =>
  safe(`${demand(/^[a-z-]{1,40}$/, name, 'an option')}=${path(text)}`)

/** A regular expression of ours, as one word. */
export const pattern = (text: string): Squid => demand(/^[!$&(-Z[-z|]{1,200}$/, text, 'a pattern')

/** A format of the log, which is the rest of its line. */
export const format = (text: string): Squid => demand(/^[\x20-\x7e]{1,4000}$/, text, 'a format')

export const directive = (name: string, ...values: readonly Squid[]): Squid =>
  safe([demand(/^[a-z][a-z0-9_]{1,60}$/, name, 'a directive'), ...values].join(' '))

export const lines = (all: readonly Squid[]): string => all.map((line) => `${line}\n`).join('')

/** A key in PEM form, as it is in the file of the authority: of its alphabet, so that it is nothing else. */
export const printPem = (text: string): string => demand(/^[A-Za-z0-9+/=\r\n -]{1,20000}$/, text, 'PEM')
