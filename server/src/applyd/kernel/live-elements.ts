// Elements of sets of hosts, which come and go without a plan: their keys as the kernel holds them, packed so that ten
// thousands of them go from one thread to another as bytes. Pure.

import { isIPv4 } from 'node:net'
import { deviceForm } from '../../engines/kit/tables.ts'

export type KeyPart = 'ipv4_addr' | 'ether_addr' | 'ifname'

/** `key` has a text for each part of the key. */
export interface LiveValue {
  readonly key: readonly string[]
  /** Null: it stays until it is removed. */
  readonly timeoutMs: number | null
  /** What is left of that; null: all of it. */
  readonly leftMs: number | null
}

/** Records of one length: key, timeout and what is left of it. */
export interface PackedElements {
  readonly parts: readonly KeyPart[]
  readonly bytes: Uint8Array
}

/** What a set gains and loses. */
export interface LiveSetChange {
  readonly set: string
  readonly add: PackedElements
  readonly remove: PackedElements
  /** All of `remove` are in the set, and none of `add` that is not in `remove`. Otherwise that is not known. */
  readonly isExact: boolean
}

/** `full`: these sets have no room, and nothing was changed. `stale`: the same, because another program changed something. */
export interface LiveChanged {
  readonly outcome: 'changed' | 'stale' | 'full' | 'nothing'
  readonly missing: readonly string[]
  readonly full: readonly string[]
}

const sizes: Readonly<Record<KeyPart, number>> = { ipv4_addr: 4, ether_addr: 6, ifname: 16 }
const timesLength = 16
const align = (length: number): number => (length + 3) & ~3

/** In a key of several parts each begins at a multiple of four. */
export const keyLength = (parts: readonly KeyPart[]): number =>
  parts.length === 1 && parts[0] ? sizes[parts[0]] : parts.reduce((sum, part) => sum + align(sizes[part]), 0)

const recordLength = (parts: readonly KeyPart[]): number => keyLength(parts) + timesLength

/** The parts of the key that the head of a set declares; null when there are others among them. */
export function keyPartsOf(head: string): readonly KeyPart[] | null {
  const words =
    /^\s*type ([^;:]+)/
      .exec(head)?.[1]
      ?.split('.')
      .map((word) => word.trim()) ?? []
  const parts = words.filter((word): word is KeyPart => Object.hasOwn(sizes, word))
  return parts.length > 0 && parts.length === words.length ? parts : null
}

export const countElements = ({ parts, bytes }: PackedElements): number => bytes.length / recordLength(parts)

export function packElements(parts: readonly KeyPart[], values: readonly LiveValue[]): PackedElements {
  const length = recordLength(parts)
  const bytes = Buffer.alloc(length * values.length)
  for (const [index, { key, timeoutMs, leftMs }] of values.entries()) {
    let at = index * length
    for (const [position, part] of parts.entries()) {
      writePart(bytes, at, part, key[position] ?? '')
      at += parts.length === 1 ? sizes[part] : align(sizes[part])
    }
    bytes.writeDoubleLE(timeoutMs ?? 0, at)
    bytes.writeDoubleLE(leftMs ?? 0, at + 8)
  }
  return { parts, bytes }
}

function writePart(bytes: Buffer, at: number, part: KeyPart, text: string): void {
  if (part === 'ifname') bytes.write(text, at, sizes.ifname - 1, 'latin1')
  else if (part === 'ether_addr') bytes.write(text.replaceAll(':', ''), at, sizes.ether_addr, 'hex')
  else for (const [index, number] of text.split('.').entries()) bytes.writeUInt8(Number(number), at + index)
}

export function unpackElement({ parts, bytes }: PackedElements, index: number): LiveValue {
  const length = recordLength(parts)
  const record = Buffer.from(bytes.buffer, bytes.byteOffset + index * length, length)
  const key: string[] = []
  let at = 0
  for (const part of parts) {
    key.push(readPart(record, at, part))
    at += parts.length === 1 ? sizes[part] : align(sizes[part])
  }
  return { key, timeoutMs: record.readDoubleLE(at) || null, leftMs: record.readDoubleLE(at + 8) || null }
}

function readPart(bytes: Buffer, at: number, part: KeyPart): string {
  const own = bytes.subarray(at, at + sizes[part])
  if (part === 'ipv4_addr') return own.join('.')
  if (part === 'ether_addr') return own.toString('hex').replaceAll(/(..)(?=.)/g, '$1:')
  const end = own.indexOf(0)
  return own.toString('latin1', 0, end === -1 ? own.length : end)
}

export function unpackElements(elements: PackedElements): LiveValue[] {
  return Array.from({ length: countElements(elements) }, (_, index) => unpackElement(elements, index))
}

/** More than this may come in several pieces. */
const inOnePiece = 100

/**
 * A dump continues by the number of elements it showed: when one of them expires in the meantime, it passes over another. So long sets
 * are read twice, and every element counts that either reading shows.
 */
export const isReadTwice = (elements: PackedElements): boolean => countElements(elements) > inOnePiece

/** Every element of both once; of an element in both, that of the second. */
export function joinElements(first: PackedElements, second: PackedElements): PackedElements {
  const [size, length] = [keyLength(first.parts), recordLength(first.parts)]
  if (hasSameKeys(first.bytes, second.bytes, size, length)) return second
  const records = new Map<string, Uint8Array>()
  for (const { bytes } of [first, second])
    for (let at = 0; at < bytes.length; at += length)
      records.set(
        Buffer.from(bytes.buffer, bytes.byteOffset + at, size).toString('latin1'),
        bytes.subarray(at, at + length),
      )
  return { parts: first.parts, bytes: Buffer.concat([...records.values()]) }
}

/** The same in the same order, as nearly always. */
function hasSameKeys(one: Uint8Array, other: Uint8Array, size: number, length: number): boolean {
  if (one.length !== other.length) return false
  for (let record = 0; record < one.length; record += length)
    for (let at = record; at < record + size; at += 1) if (one[at] !== other[at]) return false
  return true
}

const macForm = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/

/** Null for a name that could be more than a name; there are no such devices of ours. */
export function printKey(parts: readonly KeyPart[], key: readonly string[]): string | null {
  const words = parts.map((part, index) => {
    const text = key[index] ?? ''
    if (part === 'ifname') return deviceForm.test(text) ? `"${text}"` : null
    return (part === 'ipv4_addr' ? isIPv4(text) : macForm.test(text)) ? text : null
  })
  return words.includes(null) ? null : words.join(' . ')
}

/** As an element of a set in a script. */
export function printElement(parts: readonly KeyPart[], { key, timeoutMs, leftMs }: LiveValue): string | null {
  const words = printKey(parts, key)
  if (words === null || timeoutMs === null) return words
  const left = leftMs === null ? '' : ` expires ${Math.ceil(Math.min(leftMs, timeoutMs))}ms`
  return `${words} timeout ${Math.ceil(timeoutMs)}ms${left}`
}
