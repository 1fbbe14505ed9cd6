// Addresses whose path and query are a secret: many receivers know their sender by them alone. Shown is the server, stored is the
// whole address, sealed. Who sends back what is shown keeps what is stored.

import { say } from '../../shared/said.ts'
import { invalid } from '../contract/error.ts'
import { hiddenPath } from '../contract/fields.ts'
import type { Sealed, Unsealed } from './secret.ts'

export interface StoredAddress {
  /** As it is shown. */
  readonly url: string
  /** Null when there is none. */
  readonly address: Sealed | null
}

export interface AddressTools {
  readonly seal: (clear: string) => Sealed
  readonly reveal: (sealed: Sealed) => string
}

/** Scheme and server, without the name of a user. */
export function shownAddress(url: string): string {
  const [, scheme = '', server = ''] = /^([a-z]+:\/\/)(?:[^/?#@]*@)?([^/?#]*)/i.exec(url) ?? []
  return url === '' ? '' : `${scheme}${server}${hiddenPath}`
}

/** What is stored of an address that was sent; nothing of one that stays. */
export function addressFields(
  given: string | undefined,
  stored: StoredAddress | null,
  field: string,
  { seal, reveal }: AddressTools,
): Partial<StoredAddress> {
  if (given === undefined) return {}
  if (given === '') return { url: '', address: null }
  if (given.endsWith(hiddenPath)) {
    if (stored?.address && stored.url === given) return {}
    throw invalid(field, say`Must be the whole address: the part after the server is not known.`)
  }
  if (stored?.address && reveal(stored.address) === given) return {}
  return { url: shownAddress(given), address: seal(given) }
}

/** An upgrade step of fields that had the whole address in `url`. */
export const hideAddress = <T extends object>(
  old: T,
): T & { readonly url: string; readonly address: Unsealed | null } => {
  const url = 'url' in old && typeof old.url === 'string' ? old.url : ''
  return { ...old, url: shownAddress(url), address: url === '' ? null : { unsealed: url } }
}
