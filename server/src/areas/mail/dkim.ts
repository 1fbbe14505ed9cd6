// The DNS records of DKIM: their names, their values, and the status that follows from what DNS shows.

import type { DkimKey } from './contract-filter.ts'

export const recordName = (domain: string): string => `ics._domainkey.${domain}.`

const recordOf = (publicKey: string): string => `v=DKIM1; k=rsa; p=${publicKey}`

/** As in a zone file: a TXT record consists of strings of at most 255 characters. */
export const recordValue = (publicKey: string): string =>
  (recordOf(publicKey).match(/.{1,255}/g) ?? []).map((part) => `"${part}"`).join(' ')

/** `texts` are the TXT records of the name, null when the lookup failed. */
export function recordStatus(texts: readonly string[] | null, publicKey: string): DkimKey['dkim_domain_status'] {
  if (texts === null) return 'error'
  if (texts.length === 0) return 'missing'
  return texts.some((text) => tagOf(text, 'p') === publicKey) ? 'set' : 'mismatch'
}

/** Spaces are allowed anywhere in a value (RFC 6376, section 3.2). */
const tagOf = (text: string, name: string): string | undefined =>
  text
    .split(';')
    .map((tag) => tag.replaceAll(/\s/g, ''))
    .find((tag) => tag.startsWith(`${name}=`))
    ?.slice(name.length + 1)
