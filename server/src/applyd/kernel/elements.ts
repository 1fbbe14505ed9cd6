// Changes of the elements of address sets as netlink messages: what nft would send, without fetching every element of
// every interval set first. Pure.

import { isIPv4 } from 'node:net'
import { attribute, flags, message, nested, numberAttribute, tableOf, textAttribute } from '../../shared/netlink.ts'
import type { ElementChange } from './address-set.ts'

/** An interval is its first address and the first one after it. Nothing is after the last address. */
type Key = { readonly address: number; readonly isEnd: boolean }

const numbers = { table: 1, set: 2, elements: 3, listElement: 1, key: 1, value: 1, flags: 3 } as const
const intervalEnd = 1
/** The length of an attribute has 16 bits. */
const keysAtOnce = 1500

/** Null when an element is written in a form that only nft understands. */
export function elementMessages(changes: readonly ElementChange[], firstSequence: number): readonly Buffer[] | null {
  const removals = changes.filter(({ verb }) => verb === 'delete')
  const additions = changes.filter(({ verb }) => verb === 'add')
  const plain: Buffer[] = []
  for (const change of [...removals, ...additions]) {
    const keys = keysOf(change)
    if (keys === null) return null
    const { family, name } = tableOf(change.table)
    for (let at = 0; at < keys.length; at += keysAtOnce) {
      const part = keys.slice(at, at + keysAtOnce).map(writeKey)
      const isAdded = change.verb === 'add'
      plain.push(
        message(
          isAdded ? 'newSetElements' : 'deleteSetElements',
          family,
          isAdded ? flags.create : 0,
          firstSequence + plain.length,
          textAttribute(numbers.table, name),
          textAttribute(numbers.set, change.set),
          nested(numbers.elements, ...part),
        ),
      )
    }
  }
  return plain
}

function writeKey({ address, isEnd }: Key): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(address)
  const key = nested(numbers.key, attribute(numbers.value, bytes))
  return nested(numbers.listElement, ...(isEnd ? [numberAttribute(numbers.flags, intervalEnd)] : []), key)
}

function keysOf({ kind, elements }: ElementChange): Key[] | null {
  const keys: Key[] = []
  for (const element of elements) {
    const range = parseRange(element)
    if (range === null || (kind === 'hash' && range.first !== range.last)) return null
    keys.push({ address: range.first, isEnd: false })
    if (kind === 'interval' && range.last < 0xffffffff) keys.push({ address: range.last + 1, isEnd: true })
  }
  return keys
}

const form = /^([\d.]+)(?:\/(\d{1,2})|-([\d.]+))?$/

function parseRange(text: string): { first: number; last: number } | null {
  const [, from = '', prefix, to] = text.match(form) ?? []
  if (!isIPv4(from) || (to !== undefined && !isIPv4(to)) || Number(prefix ?? 0) > 32) return null
  const first = toNumber(from)
  const last = to ? toNumber(to) : prefix ? first + 2 ** (32 - Number(prefix)) - 1 : first
  const isAligned = !prefix || first % 2 ** (32 - Number(prefix)) === 0
  return isAligned && first <= last ? { first, last } : null
}

const toNumber = (text: string): number => text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
