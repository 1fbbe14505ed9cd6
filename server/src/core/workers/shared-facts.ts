// Facts on their way to a worker: the address book in shared memory, and a number by which the worker knows facts that it has
// already, so that what it resolved with them stays valid.

import type { Facts } from '../plan/facts.ts'
import { type PackedBook, packBook, unpackBook } from './shared-book.ts'

export interface PackedFacts {
  readonly id: number
  readonly facts: Omit<Facts, 'addressBook'>
  readonly book: PackedBook
}

const ids = new WeakMap<Facts, number>()
let lastId = 0

export async function packFacts(all: Facts): Promise<PackedFacts> {
  const id = ids.get(all) ?? ++lastId
  ids.set(all, id)
  const { addressBook, ...facts } = all
  return { id, facts, book: await packBook(addressBook) }
}

/** For the side of the worker: the very same value for the same facts. */
export function createFactsReceiver(): (packed: PackedFacts) => Facts {
  let last: { readonly id: number; readonly facts: Facts } | null = null
  return ({ id, facts, book }) => {
    if (last?.id !== id) last = { id, facts: { ...facts, addressBook: unpackBook(book) } }
    return last.facts
  }
}
