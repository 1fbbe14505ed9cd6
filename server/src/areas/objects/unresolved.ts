// Which domains and countries have no known addresses: DNS does not know the name, or no country database is read. Objects
// that are often empty by nature (a user who is not signed in, a device profile that no device holds) are not among them.

import { findIn } from '../../core/model/item-index.ts'
import type { Config } from '../../core/model/slots.ts'
import type { AddressBook, Facts } from '../../core/plan/facts.ts'
import { addressLists, countryLists, domains } from './config.ts'
import { titleOf } from './known.ts'

const none: readonly string[] = []

/** The names of those among the objects, also in lists, in the administrator's words: `ads.example.com`, `Germany`. */
export function unresolvedNames(config: Config, facts: Facts, ids: readonly string[]): readonly string[] {
  const book = facts.addressBook
  let found: string[] | null = null
  for (const id of ids) {
    const names = namesIn(config, facts, book, id)
    if (names.length > 0) found = [...(found ?? []), ...names]
  }
  return found === null ? none : [...new Set(found)]
}

function namesIn(config: Config, facts: Facts, book: AddressBook, id: string): readonly string[] {
  if (id.startsWith('domain.')) return isKnown(book, id) ? none : [findIn(config, domains, id)?.value ?? id]
  // With a database, a country without networks simply has none.
  if (id.startsWith('iplist.')) return isKnown(book, id) || hasCountries(book) ? none : [titleOf(config, id)]
  if (id.startsWith('address_list.')) return namesOfList(config, facts, findIn(config, addressLists, id)?.values)
  if (id.startsWith('list_of_iplists.')) return namesOfList(config, facts, findIn(config, countryLists, id)?.values)
  return none
}

const isKnown = (book: AddressBook, id: string): boolean => (book.get(id)?.length ?? 0) > 0

const withCountries = new WeakMap<AddressBook, boolean>()

export function hasCountries(book: AddressBook): boolean {
  const known = withCountries.get(book)
  if (known !== undefined) return known
  const found = book.keys().some((id) => id.startsWith('iplist.'))
  withCountries.set(book, found)
  return found
}

interface Remembered {
  readonly book: AddressBook
  readonly inputs: readonly unknown[]
  readonly names: readonly string[]
}
const remembered = new WeakMap<readonly string[], Remembered>()

/** Thousands of rules may name the same long list, so each is looked through once. */
function namesOfList(config: Config, facts: Facts, values: readonly string[] | undefined): readonly string[] {
  if (values === undefined) return none
  const inputs = [domains, addressLists, countryLists].map(({ key }) => config[key])
  const known = remembered.get(values)
  if (known?.book === facts.addressBook && inputs.every((input, at) => input === known.inputs[at])) return known.names
  const names = unresolvedNames(config, facts, values)
  remembered.set(values, { book: facts.addressBook, inputs, names })
  return names
}
