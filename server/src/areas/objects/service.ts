// What runs for objects, by name. How it is made is in runs.ts.

import { optionalService, service } from '../../core/area/service.ts'
import type { CountrySpans } from '../../domain/logs/hit-news.ts'
import type { AddressBook } from './runs/address-book.ts'

export interface DomainState {
  /** Unix seconds of the last good answer. */
  readonly resolvedAt: number | null
  readonly error: string | null
}

export interface CountriesState {
  readonly loaded: boolean
  readonly path: string
  readonly countries: number
  /** Unix seconds. */
  readonly buildTime: number | null
  readonly messages: readonly string[]
}

export interface Countries {
  status(): CountriesState
  codeOf(address: string): string
  spans(): CountrySpans | null
}

type Found = Promise<{ readonly address: string } | { readonly fault: string }>

/** The addresses of domains and countries, as rules use them. */
export const addressBookService = service<AddressBook>('address book')
/** How the names of domain objects were resolved. */
export const domainsService = optionalService<{ status(): ReadonlyMap<string, DomainState> }>('names of domains')
/** The country database. */
export const countriesService = optionalService<Countries>('countries')
/** The IPv4 addresses of a name, or a sentence that says why it has none. */
export const namesService = optionalService<{
  lookUp(name: string): Promise<{ readonly addresses: readonly string[] } | { readonly fault: string }>
}>('names')
/** The address of a name to which something is sent, or a sentence that says why it has none. */
export const targetsService = service<{
  lookUp(name: string): Found
  /** Of another machine: a name must not lead the gateway to its own services. */
  lookUpOther(name: string): Found
}>('targets')
