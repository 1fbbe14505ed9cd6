// An address book in shared memory: a country database has hundreds of thousands of networks, which no message to a worker
// should copy. It is packed in slices, and an entry that did not change is not encoded again.

import type { AddressBook } from '../plan/facts.ts'
import { createSlices } from './slices.ts'

export interface PackedBook {
  /** One for each line; ids have no line breaks. */
  readonly ids: string
  /** Where each entry ends. */
  readonly ends: Uint32Array
  /** All entries, one address or network a line. */
  readonly bytes: Uint8Array
}

const packed = new WeakMap<AddressBook, Promise<PackedBook>>()
const encoded = new WeakMap<readonly string[], Buffer>()

/** The same for the same book. */
export function packBook(book: AddressBook): Promise<PackedBook> {
  const known = packed.get(book)
  if (known) return known
  const made = pack(book)
  packed.set(book, made)
  return made
}

async function pack(book: AddressBook): Promise<PackedBook> {
  const slices = createSlices()
  const entries: Buffer[] = []
  let size = 0
  for (const addresses of book.values()) {
    await slices()
    const entry = encoded.get(addresses) ?? Buffer.from(addresses.join('\n'), 'latin1')
    encoded.set(addresses, entry)
    entries.push(entry)
    size += entry.length
  }
  const bytes = new Uint8Array(new SharedArrayBuffer(size))
  const ends = new Uint32Array(new SharedArrayBuffer(4 * entries.length))
  let end = 0
  for (const [at, entry] of entries.entries()) {
    await slices()
    bytes.set(entry, end)
    end += entry.length
    ends[at] = end
  }
  return { ids: [...book.keys()].join('\n'), ends, bytes }
}

const unread: readonly string[] = []

/** Entries become text when they are first asked for by `get`; most countries never are. */
class UnpackedBook extends Map<string, readonly string[]> {
  readonly #read: (id: string) => readonly string[]

  constructor(ids: readonly string[], read: (id: string) => readonly string[]) {
    super()
    this.#read = read
    for (const id of ids) this.set(id, unread)
  }

  override get(id: string): readonly string[] | undefined {
    const known = super.get(id)
    if (known !== unread) return known
    const entry = this.#read(id)
    this.set(id, entry)
    return entry
  }
}

export function unpackBook({ ids, ends, bytes }: PackedBook): AddressBook {
  const all = ids === '' ? [] : ids.split('\n')
  const places = new Map(all.map((id, at) => [id, at]))
  return new UnpackedBook(all, (id) => {
    const at = places.get(id) ?? 0
    const [begin, end] = [ends[at - 1] ?? 0, ends[at] ?? 0]
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + begin, end - begin).toString('latin1')
    return text === '' ? [] : text.split('\n')
  })
}
