// A column of texts, in frames of some thousand: in lower case, because every search is, with what is needed to have the
// texts back. A search looks through the bytes of a whole frame at once.

import { DamagedPieceError, expand, squeeze } from './pieces.ts'

/** Texts never contain it. */
export const separator = '\u0000'
export const brandMark = Buffer.from('{brand}')

export interface PackedFrame {
  readonly bytes: Buffer
  /** Null: no text has a capital. */
  readonly capitals: Buffer | null
  /** The filter of three-byte sequences. */
  readonly grams: Buffer
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
  const length = Buffer.byteLength(whole)
  return length === whole.length ? packAscii(texts, whole) : packAny(texts, whole)
}

/** Where everything is ASCII, one pass over the bytes is enough for lower case, capitals and filter. */
function packAscii(texts: readonly string[], whole: string): PackedFrame {
  const bytes = startFrame(texts.length, whole.length, (at) => (texts[at] as string).length)
  const lower = bytes.subarray(bytes.length - whole.length)
  lower.write(whole, 'latin1')
  const capitals = new CapitalsWriter(whole.length)
  const seen = new GramsWriter()
  const isIn = seen.isIn
  let last = 0
  for (let at = 0; at < lower.length; at++) {
    let byte = lower[at] as number
    if (byte <= 0x5a && byte >= 0x41) {
      byte |= 0x20
      lower[at] = byte
      capitals.note(at)
    }
    last = ((last << 8) | byte) & 0xffffff
    isIn[gramOf(last)] = 1
  }
  noteBrand(bytes, lower)
  return { bytes: squeeze(bytes), capitals: capitals.isEmpty ? null : capitals.done({}), grams: seen.done() }
}

function packAny(texts: readonly string[], whole: string): PackedFrame {
  const wholeLower = whole.toLowerCase()
  const lower = Buffer.from(wholeLower)
  let start = 0
  const nextLength = (): number => {
    const end = lower.indexOf(0, start)
    const length = end - start
    start = end + 1
    return length
  }
  const bytes = startFrame(texts.length, lower.length, nextLength)
  bytes.set(lower, bytes.length - lower.length)
  noteBrand(bytes, lower)
  const capitals = wholeLower === whole ? null : packCapitals(texts, whole, lower)
  return { bytes: squeeze(bytes), capitals, grams: gramsIn(lower) }
}

/** A frame without its texts. */
function startFrame(records: number, textBytes: number, lengthOf: (at: number) => number): Buffer {
  const bytes = Buffer.allocUnsafe(headerBytes + 2 * records + textBytes)
  bytes.writeUInt32LE(records)
  for (let at = 0; at < records; at++) {
    const length = lengthOf(at)
    // In planes, which compress better.
    bytes[headerBytes + at] = length & 0xff
    bytes[headerBytes + records + at] = length >>> 8
  }
  return bytes
}

const noteBrand = (bytes: Buffer, lower: Buffer): number =>
  bytes.writeUInt32LE(lower.includes(brandMark) ? withBrand : 0, 4)

/** The texts of a frame that is not stored yet. */
export function textsOf({ bytes, capitals }: PackedFrame): string[] {
  const frame = unpackFrame(bytes)
  return readTexts(frame, capitals && unpackCapitals(capitals, frame))
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
class CapitalsWriter {
  readonly #distances: Buffer
  #count = 0
  #last = 0

  constructor(textBytes: number) {
    this.#distances = Buffer.allocUnsafe(textBytes + Math.ceil(textBytes / 255))
  }

  get isEmpty(): boolean {
    return this.#count === 0
  }

  note(position: number): void {
    let distance = position - this.#last
    for (; distance >= 255; distance -= 255) this.#distances[this.#count++] = 255
    this.#distances[this.#count++] = distance
    this.#last = position
  }

  /** What was noted until now, for `returnTo`. */
  mark(): readonly [count: number, last: number] {
    return [this.#count, this.#last]
  }

  returnTo([count, last]: readonly [count: number, last: number]): void {
    this.#count = count
    this.#last = last
  }

  done(others: Readonly<Record<number, string>>): Buffer {
    const rest = Buffer.from(JSON.stringify(others))
    const bytes = Buffer.allocUnsafe(4 + rest.length + this.#count)
    bytes.writeUInt32LE(rest.length)
    bytes.set(rest, 4)
    bytes.set(this.#distances.subarray(0, this.#count), 4 + rest.length)
    return squeeze(bytes)
  }
}

function packCapitals(texts: readonly string[], whole: string, lower: Buffer): Buffer {
  const original = Buffer.from(whole)
  const others: Record<number, string> = {}
  const capitals = new CapitalsWriter(lower.length)
  const note = (position: number): void => capitals.note(position)
  const begin = capitals.mark()
  if (!noteCapitals(original, lower, 0, note)) {
    capitals.returnTo(begin)
    let start = 0
    for (const [at, text] of texts.entries()) {
      const end = lower.indexOf(0, start)
      const mark = capitals.mark()
      if (!noteCapitals(Buffer.from(text), lower.subarray(start, end), start, note)) {
        capitals.returnTo(mark)
        others[at] = text
      }
      start = end + 1
    }
  }
  return capitals.done(others)
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

/** A byte for each bit while it is made: that is faster. */
class GramsWriter {
  readonly isIn = new Uint8Array(2 ** gramBits)

  done(): Buffer {
    const { isIn } = this
    const filter = Buffer.alloc(gramBytes)
    for (let at = 0; at < filter.length; at++) {
      let byte = 0
      for (let bit = 0; bit < 8; bit++) byte |= (isIn[at * 8 + bit] as number) << bit
      filter[at] = byte
    }
    return filter
  }
}

function gramsIn(lower: Buffer): Buffer {
  const grams = new GramsWriter()
  let last = 0
  for (let at = 0; at < lower.length; at++) {
    last = ((last << 8) | (lower[at] as number)) & 0xffffff
    grams.isIn[gramOf(last)] = 1
  }
  return grams.done()
}

/** False: no text of the frame contains the needle. */
export function mayContain(filter: Uint8Array, needle: Buffer): boolean {
  for (let at = 2; at < needle.length; at++) {
    const bit = gramOf(((needle[at - 2] as number) << 16) | ((needle[at - 1] as number) << 8) | (needle[at] as number))
    if (((filter[bit >>> 3] as number) & (1 << (bit & 7))) === 0) return false
  }
  return true
}

/** Where hits are closer than this, a call of the buffer for each of them costs more than a copy of all. */
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

/** As a string with a character for each byte, where a call costs a fraction. */
function markDense({ lower, starts }: Frame, needle: Buffer, found: Uint8Array, offset: number, from: number): void {
  const [text, wanted] = [lower.toString('latin1'), needle.toString('latin1')]
  let record = from
  for (let at = text.indexOf(wanted, starts[from]); at >= 0; at = text.indexOf(wanted, starts[record])) {
    while ((starts[record + 1] as number) <= at) record++
    found[offset + record++] = 1
  }
}
