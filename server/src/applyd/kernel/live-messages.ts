// Changes and reading of sets of hosts as netlink messages. Every message has a bounded size, and none depends on how many
// elements a set holds. Pure.

import { attribute, flags, locate, message, tableOf, textAttribute } from '../../shared/netlink.ts'
import { countElements, type KeyPart, keyLength, type LiveSetChange, type PackedElements } from './live-elements.ts'

const numbers = {
  table: 1,
  set: 2,
  elements: 3,
  listElement: 1,
  key: 1,
  timeout: 4,
  expiration: 5,
  value: 1,
} as const
/** The length of an attribute has 16 bits. */
const elementsAtOnce = 800
const nested = 0x8000
const timesLength = 16

export interface LiveMessage {
  readonly set: string
  /** Only a set that does not exist makes the kernel miss something. */
  readonly isSafe: boolean
  readonly bytes: Buffer
}

/**
 * The kernel refuses a batch that removes a missing element, and leaves the time of an element that is added again. So what is
 * to be removed or set is first added: then it is there, whatever was before, and can be removed. All is one transaction.
 */
export function liveMessages(table: string, changes: readonly LiveSetChange[], firstSequence: number): LiveMessage[] {
  const { family, name } = tableOf(table)
  const found: LiveMessage[] = []
  for (const { set, add, remove, isExact } of changes) {
    const write = (elements: PackedElements, isAdded: boolean, hasTimes: boolean): void => {
      for (let at = 0; at < countElements(elements); at += elementsAtOnce) {
        const bytes = message(
          isAdded ? 'newSetElements' : 'deleteSetElements',
          family,
          isAdded ? flags.create : 0,
          firstSequence + found.length,
          textAttribute(numbers.table, name),
          textAttribute(numbers.set, set),
          listOf(elements, at, Math.min(at + elementsAtOnce, countElements(elements)), hasTimes),
        )
        found.push({ set, isSafe: isAdded, bytes })
      }
    }
    if (!isExact) for (const elements of [remove, add]) write(elements, true, false)
    for (const elements of isExact ? [remove] : [remove, add]) write(elements, false, false)
    write(add, true, true)
  }
  return found
}

/** Written in place: there may be ten thousands. */
function listOf({ parts, bytes }: PackedElements, from: number, to: number, hasTimes: boolean): Buffer {
  const size = keyLength(parts)
  const room = (size + 3) & ~3
  const length = size + timesLength
  const longest = 12 + room + (hasTimes ? 24 : 0)
  const list = Buffer.alloc(longest * (to - from))
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  let end = 0
  const head = (at: number, type: number, payload: number): void => {
    list.writeUInt16LE(4 + payload, at)
    list.writeUInt16LE(type, at + 2)
  }
  for (let index = from; index < to; index += 1) {
    const record = index * length
    const begin = end
    head(begin + 4, numbers.key | nested, 4 + room)
    head(begin + 8, numbers.value, size)
    source.copy(list, begin + 12, record, record + size)
    end = begin + 12 + room
    const times = hasTimes
      ? ([
          [numbers.timeout, record + size],
          [numbers.expiration, record + size + 8],
        ] as const)
      : []
    for (const [type, at] of times) {
      const milliseconds = source.readDoubleLE(at)
      if (milliseconds === 0) continue
      head(end, type, 8)
      list.writeBigUInt64BE(BigInt(Math.ceil(milliseconds)), end + 4)
      end += 12
    }
    head(begin, numbers.listElement | nested, end - begin - 4)
  }
  return attribute(numbers.elements, list.subarray(0, end), true)
}

export const setFilter = (table: string, set: string): readonly Buffer[] => [
  textAttribute(numbers.table, table),
  textAttribute(numbers.set, set),
]

/** Collects the elements of a dump. Keys of another length are not of this kind of set. */
export function createRecords(parts: readonly KeyPart[]) {
  const size = keyLength(parts)
  const length = size + timesLength
  let records = Buffer.alloc(length * 64)
  let end = 0

  /** In one pass, because there are many. */
  function addOne(body: Buffer, from: number, to: number): void {
    if (end === records.length) records = Buffer.concat([records, Buffer.alloc(records.length)])
    let isKey = false
    for (let at = from; at + 4 <= to; ) {
      const next = at + body.readUInt16LE(at)
      if (next < at + 4 || next > to) throw new Error('The kernel sent an element that is cut off.')
      const type = body.readUInt16LE(at + 2) & 0x3fff
      if (type === numbers.key) {
        // The value is all that a key holds.
        isKey = next - at - 8 === size
        if (isKey) body.copy(records, end, at + 8, next)
      } else if (type === numbers.timeout || type === numbers.expiration) {
        const milliseconds = body.readUInt32BE(at + 4) * 2 ** 32 + body.readUInt32BE(at + 8)
        records.writeDoubleLE(milliseconds, end + size + (type === numbers.timeout ? 0 : 8))
      }
      at = (next + 3) & ~3
    }
    if (isKey) end += length
    else records.fill(0, end, end + length)
  }

  /** One message of the dump. */
  function add(body: Buffer): void {
    const list = locate(body, numbers.elements, 0, body.length)
    for (let at = list?.[0] ?? 0; list && at + 4 <= list[1]; ) {
      const next = at + body.readUInt16LE(at)
      if (next < at + 4 || next > list[1]) throw new Error('The kernel sent an element that is cut off.')
      addOne(body, at + 4, next)
      at = (next + 3) & ~3
    }
  }

  /** Not shared with anything: the bytes go to another thread. */
  const bytes = (): Uint8Array => new Uint8Array(records.subarray(0, end))
  return { add, bytes }
}
