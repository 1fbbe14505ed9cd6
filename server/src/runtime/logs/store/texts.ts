// A column of texts, in frames of some thousand: in lower case, because every search is, with what is needed to have the
// texts back. A search looks through the bytes of a whole frame at once.

import { DamagedPieceError, expand, squeeze } from './pieces.ts'

/** Texts never contain it. */
export const separator = '\u0000'
const brandText = '{brand}'
export const brandMark = Buffer.from(brandText)

export interface PackedFrame {
  /** The texts in lower case, for a filter over them. */
  readonly lower: Buffer
  readonly bytes: Buffer
  /** Null: no text has a capital. */
  readonly capitals: Buffer | null
}

/** What a search needs of a frame. */
export interface Frame {
  readonly records: number
  /** UTF-8 in lower case, each text with a zero byte at its end. */
  readonly lower: Buffer
  /** Where each text begins, and where the last one ends. */
  readonly starts: Uint32Array
  /** Whether a text may have the mark of the brand in it, which is shown as something else. */
  readonly hasBrand: boolean
}

const headerBytes = 8
const withBrand = 1

export function packFrame(texts: readonly string[]): PackedFrame {
  const whole = texts.join(separator) + separator
  const wholeLower = whole.toLowerCase()
  const lower = Buffer.from(wholeLower)
  const records = texts.length
  const bytes = Buffer.allocUnsafe(headerBytes + 2 * records + lower.length)
  bytes.writeUInt32LE(records)
  bytes.writeUInt32LE(wholeLower.includes(brandText) ? withBrand : 0, 4)
  let start = 0
  for (let at = 0; at < records; at++) {
    const end = lower.indexOf(0, start)
    const length = end - start
    // In planes, which compress better.
    bytes[headerBytes + at] = length & 0xff
    bytes[headerBytes + records + at] = length >>> 8
    start = end + 1
  }
  bytes.set(lower, headerBytes + 2 * records)
  return { lower, bytes: squeeze(bytes), capitals: wholeLower === whole ? null : packCapitals(texts, whole, lower) }
}

export function unpackFrame(piece: Uint8Array): Frame {
  const bytes = expand(piece)
  if (bytes.length < headerBytes) throw new DamagedPieceError('a frame has no header')
  const records = bytes.readUInt32LE()
  if (headerBytes + 3 * records > bytes.length) throw new DamagedPieceError('a frame has too many records')
  const starts = new Uint32Array(records + 1)
  let start = 0
  for (let at = 0; at < records; at++) {
    starts[at] = start
    start += ((bytes[headerBytes + at] as number) | ((bytes[headerBytes + records + at] as number) << 8)) + 1
  }
  starts[records] = start
  const lower = bytes.subarray(headerBytes + 2 * records)
  if (lower.length !== start) throw new DamagedPieceError('a frame has another size')
  return { records, lower, starts, hasBrand: (bytes.readUInt32LE(4) & withBrand) !== 0 }
}

export const emptyFrame = (records: number): Frame => ({
  records,
  lower: Buffer.alloc(records),
  starts: Uint32Array.from({ length: records + 1 }, (_, at) => at),
  hasBrand: false,
})

/**
 * Where capitals of ASCII are, as distances, and the texts that differ from their lower case in more than those. A distance of
 * 255 or more is that many bytes of 255 and the rest.
 */
function packCapitals(texts: readonly string[], whole: string, lower: Buffer): Buffer {
  const original = Buffer.from(whole)
  const others: Record<number, string> = {}
  const distances: number[] = []
  let last = 0
  const note = (position: number): void => {
    let distance = position - last
    for (; distance >= 255; distance -= 255) distances.push(255)
    distances.push(distance)
    last = position
  }
  if (!noteCapitals(original, lower, 0, note)) {
    distances.length = 0
    last = 0
    let start = 0
    for (const [at, text] of texts.entries()) {
      const one = Buffer.from(text)
      const end = lower.indexOf(0, start)
      const mark = [distances.length, last] as const
      if (!noteCapitals(one, lower.subarray(start, end), start, note)) {
        ;[distances.length, last] = mark
        others[at] = text
      }
      start = end + 1
    }
  }
  const rest = Buffer.from(JSON.stringify(others))
  const bytes = Buffer.allocUnsafe(4 + rest.length + distances.length)
  bytes.writeUInt32LE(rest.length)
  bytes.set(rest, 4)
  bytes.set(distances, 4 + rest.length)
  return squeeze(bytes)
}

/** False when the texts differ in anything else than capitals of ASCII. */
function noteCapitals(original: Buffer, lower: Buffer, offset: number, note: (position: number) => void): boolean {
  if (original.length !== lower.length) return false
  for (let at = 0; at < lower.length; at++) {
    const one = original[at] as number
    if (one === lower[at]) continue
    if (one < 0x41 || one > 0x5a || lower[at] !== (one | 0x20)) return false
    note(offset + at)
  }
  return true
}

/** The texts as they were. */
export function readTexts(frame: Frame, capitals: Capitals | null): string[] {
  if (!capitals) return split(frame.lower)
  const bytes = Buffer.from(frame.lower)
  for (const position of capitals.positions) bytes[position] = (bytes[position] as number) & 0xdf
  const texts = split(bytes)
  for (const [at, text] of Object.entries(capitals.others)) texts[Number(at)] = text
  return texts
}

/** One of them. */
export function readText({ lower, starts }: Frame, capitals: Capitals | null, at: number): string {
  const other = capitals?.others[at]
  if (other !== undefined) return other
  const [start, end] = [starts[at] as number, (starts[at + 1] as number) - 1]
  if (!capitals) return lower.toString('utf8', start, end)
  const bytes = Buffer.from(lower.subarray(start, end))
  const { positions } = capitals
  for (let index = firstFrom(positions, start); index < positions.length; index++) {
    const position = positions[index] as number
    if (position >= end) break
    bytes[position - start] = (bytes[position - start] as number) & 0xdf
  }
  return bytes.toString()
}

function firstFrom(positions: Uint32Array, position: number): number {
  let [low, high] = [0, positions.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((positions[middle] as number) >= position) high = middle
    else low = middle + 1
  }
  return low
}

function split(bytes: Buffer): string[] {
  const texts = bytes.toString().split(separator)
  texts.pop()
  return texts
}

export interface Capitals {
  /** In the bytes of the frame. */
  readonly positions: Uint32Array
  /** Texts that are not made of their lower case, by their index. */
  readonly others: Readonly<Record<number, string>>
}

export function unpackCapitals(piece: Uint8Array, { lower }: Frame): Capitals {
  const bytes = expand(piece)
  const length = bytes.readUInt32LE()
  const distances = bytes.subarray(4 + length)
  const positions = new Uint32Array(distances.length)
  let count = 0
  let position = 0
  for (let at = 0; at < distances.length; at++) {
    const distance = distances[at] as number
    position += distance
    if (distance !== 255) positions[count++] = position
  }
  if (position >= lower.length) throw new DamagedPieceError('a capital is outside of its frame')
  try {
    const others = JSON.parse(bytes.toString('utf8', 4, 4 + length)) as Record<number, string>
    return { positions: positions.subarray(0, count), others }
  } catch (cause) {
    throw new DamagedPieceError('capitals cannot be read', { cause })
  }
}

/** Bits of the filter of a frame: one for each three bytes that follow each other somewhere in it. */
const gramBits = 14
export const gramBytes = 2 ** gramBits / 8

const gramOf = (bytes: number): number => Math.imul(bytes, 0x9e3779b1) >>> (32 - gramBits)

export function addGrams(lower: Buffer, filter: Uint8Array): void {
  let last = ((lower[0] ?? 0) << 8) | (lower[1] ?? 0)
  for (let at = 2; at < lower.length; at++) {
    last = ((last << 8) | (lower[at] as number)) & 0xffffff
    const bit = gramOf(last)
    filter[bit >>> 3] = (filter[bit >>> 3] as number) | (1 << (bit & 7))
  }
}

/** False: no text of the frame contains the needle. */
export function mayContain(filter: Uint8Array, needle: Buffer): boolean {
  for (let at = 2; at < needle.length; at++) {
    const bit = gramOf(((needle[at - 2] as number) << 16) | ((needle[at - 1] as number) << 8) | (needle[at] as number))
    if (((filter[bit >>> 3] as number) & (1 << (bit & 7))) === 0) return false
  }
  return true
}

/** Where hits are closer than this, bytes are compared one by one: a call for each hit would cost more. */
const denseBytes = 400
const triedHits = 16

/** Marks the texts of a frame that contain the needle, which is in lower case, in `found`, from `offset` on. */
export function markContaining(frame: Frame, needle: Buffer, found: Uint8Array, offset: number): void {
  const { lower, starts, records } = frame
  if (needle.length === 0) {
    found.fill(1, offset, offset + records)
    return
  }
  let record = 0
  let hits = 0
  for (let at = lower.indexOf(needle); at >= 0; ) {
    if (++hits > triedHits && at < hits * denseBytes) {
      markDense(frame, needle, found, offset, record)
      return
    }
    record = recordAt(starts, at, record)
    found[offset + record] = 1
    at = lower.indexOf(needle, starts[++record] as number)
  }
}

/** The last text that begins at or before the position; those before `low` are known to end before it. */
function recordAt(starts: Uint32Array, position: number, low: number): number {
  let high = starts.length - 1
  // Most often it is near.
  for (let step = 1; low + step < high; step *= 2) {
    if ((starts[low + step] as number) <= position) continue
    high = low + step
    break
  }
  let first = low
  while (high - first > 1) {
    const middle = (first + high) >>> 1
    if ((starts[middle] as number) <= position) first = middle
    else high = middle
  }
  return first
}

function markDense(frame: Frame, needle: Buffer, found: Uint8Array, offset: number, from: number): void {
  const { lower, starts, records } = frame
  const last = needle.length - 1
  const lastByte = needle[last] as number
  // How far the needle can be moved when this byte is under its last one.
  const steps = new Uint32Array(256).fill(last + 1)
  for (let at = 0; at < last; at++) steps[needle[at] as number] = last - at
  for (let record = from; record < records; record++) {
    const end = (starts[record + 1] as number) - 1
    for (let at = (starts[record] as number) + last; at < end; ) {
      const byte = lower[at] as number
      if (byte === lastByte) {
        let left = last
        while (left > 0 && lower[at - last + left - 1] === needle[left - 1]) left--
        if (left === 0) {
          found[offset + record] = 1
          break
        }
      }
      at += steps[byte] as number
    }
  }
}
