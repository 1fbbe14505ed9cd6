// Pieces of a block as they are on the disk: compressed bytes, and numbers that mostly rise by little.

import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/** A piece that does not hold what its block says. */
export class DamagedPieceError extends Error {}

const headerBytes = 4
const storedAsIs = 0x80000000
/** Less than this gains nothing. */
const leastCompressed = 48
const level = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
/** More than any piece has. */
const maxPieceBytes = 512 * 1024 * 1024

export function squeeze(bytes: Uint8Array): Buffer {
  const isPlain = bytes.length < leastCompressed
  const body = isPlain ? bytes : zstdCompressSync(bytes, level)
  const piece = Buffer.allocUnsafe(headerBytes + body.length)
  piece.writeUInt32LE((isPlain ? bytes.length | storedAsIs : bytes.length) >>> 0)
  piece.set(body, headerBytes)
  return piece
}

/** In memory of its own that begins at a multiple of 8 bytes. */
export function expand(piece: Uint8Array): Buffer {
  if (piece.length < headerBytes) throw new DamagedPieceError('a piece has no header')
  const header = new DataView(piece.buffer, piece.byteOffset, headerBytes).getUint32(0, true)
  const body = piece.subarray(headerBytes)
  if (header & storedAsIs) return aligned(body)
  if (header > maxPieceBytes) throw new DamagedPieceError('a piece has no size')
  try {
    // In one go: more room than there is would be cleared for nothing, less would be copied together.
    const bytes = zstdDecompressSync(body, { chunkSize: Math.max(64, header), maxOutputLength: Math.max(64, header) })
    if (bytes.length === header) return bytes.byteOffset % 8 === 0 ? bytes : aligned(bytes)
  } catch (cause) {
    throw new DamagedPieceError('a piece cannot be decompressed', { cause })
  }
  throw new DamagedPieceError('a piece has another size')
}

function aligned(bytes: Uint8Array): Buffer {
  const copy = new Uint8Array(bytes.length)
  copy.set(bytes)
  return Buffer.from(copy.buffer)
}

const planes = 4
const asDifferences = 1
const asNumbers = 2

/** As differences in planes of bytes where they fit, which compress well. */
export function packNumbers(values: Float64Array): Buffer {
  const { length } = values
  const bytes = new Uint8Array(9 + planes * length)
  const view = new DataView(bytes.buffer)
  let last = values[0] ?? 0
  view.setFloat64(1, last, true)
  for (let at = 0; at < length; at++) {
    const value = values[at] as number
    const difference = value - last
    if (!(Math.abs(difference) < 0x40000000) || !Number.isInteger(difference)) return packPlain(values)
    const folded = ((difference << 1) ^ (difference >> 31)) >>> 0
    bytes[9 + at] = folded & 0xff
    bytes[9 + length + at] = (folded >>> 8) & 0xff
    bytes[9 + 2 * length + at] = (folded >>> 16) & 0xff
    bytes[9 + 3 * length + at] = folded >>> 24
    last = value
  }
  bytes[0] = asDifferences
  return squeeze(bytes)
}

function packPlain(values: Float64Array): Buffer {
  const bytes = new Uint8Array(8 + 8 * values.length)
  bytes[0] = asNumbers
  bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), 8)
  return squeeze(bytes)
}

export function unpackNumbers(piece: Uint8Array): Float64Array {
  const bytes = expand(piece)
  if (bytes[0] === asNumbers) return new Float64Array(bytes.buffer, bytes.byteOffset + 8, (bytes.length - 8) / 8)
  if (bytes[0] !== asDifferences) throw new DamagedPieceError('numbers in an unknown form')
  const length = (bytes.length - 9) / planes
  const values = new Float64Array(length)
  let last = bytes.readDoubleLE(1)
  const [one, two, three] = [9 + length, 9 + 2 * length, 9 + 3 * length]
  for (let at = 0; at < length; at++) {
    const folded =
      (bytes[9 + at] as number) |
      ((bytes[one + at] as number) << 8) |
      ((bytes[two + at] as number) << 16) |
      ((bytes[three + at] as number) << 24)
    last += (folded >>> 1) ^ -(folded & 1)
    values[at] = last
  }
  return values
}
