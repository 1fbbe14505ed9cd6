// Reads files of a zip archive, for which the whole archive is in memory. Nothing is unpacked to the disk; links and folders are passed
// over, and the numbers in the archive are never believed.

import { crc32, createInflateRaw } from 'node:zlib'
import type { ContentSink, OpenEntry } from '../../../domain/web-filter/categories/list-archive.ts'
import { ListsRefused } from '../../../domain/web-filter/categories/refused.ts'
import { say } from '../../../shared/said.ts'

const refused = (why: string): ListsRefused => new ListsRefused(say`The archive cannot be used: ${why}.`)

const endMark = 0x06054b50
const entryMark = 0x02014b50
const localMark = 0x04034b50
const endBytes = 22
const maxCommentBytes = 65_535
const maxNameBytes = 4_096
const symbolicLink = 0xa000

export const isZip = (start: Buffer): boolean =>
  start.length >= 4 && (start.readUInt32LE(0) === localMark || start.readUInt32LE(0) === endMark)

export interface ZipLimits {
  readonly maxEntries: number
  /** Of everything that is unpacked. */
  readonly maxBytes: number
}

interface Entry {
  readonly name: string
  readonly method: number
  readonly checksum: number
  readonly packedBytes: number
  readonly at: number
}

export async function readZip(bytes: Buffer, open: OpenEntry, limits: ZipLimits): Promise<void> {
  const budget = { left: limits.maxBytes }
  for (const entry of entriesOf(bytes, limits.maxEntries)) {
    const sink = open(entry.name)
    if (sink) await unpack(bytes, entry, sink, budget)
  }
}

function* entriesOf(bytes: Buffer, maxEntries: number): Generator<Entry> {
  const end = endOf(bytes)
  const count = bytes.readUInt16LE(end + 10)
  // 65,535 stands for a larger number elsewhere, which no archive of rules needs.
  if (count > maxEntries || count === 0xffff) throw refused(say`it has too many files`)
  let at = bytes.readUInt32LE(end + 16)
  for (let index = 0; index < count; index++) {
    if (at + 46 > end || bytes.readUInt32LE(at) !== entryMark) throw refused(say`its list of files is damaged`)
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((place) => bytes.readUInt16LE(at + place))
    const next = at + 46 + (nameBytes ?? 0) + (extraBytes ?? 0) + (commentBytes ?? 0)
    if (next > end) throw refused(say`its list of files is damaged`)
    const name = bytes.toString('utf8', at + 46, at + 46 + (nameBytes ?? 0))
    const isLink = ((bytes.readUInt32LE(at + 38) >>> 16) & 0xf000) === symbolicLink
    const plain = plainName(name)
    if (plain !== '' && !name.endsWith('/') && !isLink) {
      if ((bytes.readUInt16LE(at + 8) & 1) === 1) throw refused(say`a file in it is encrypted`)
      yield {
        name: plain,
        method: bytes.readUInt16LE(at + 10),
        checksum: bytes.readUInt32LE(at + 16),
        packedBytes: bytes.readUInt32LE(at + 20),
        at: bytes.readUInt32LE(at + 42),
      }
    }
    at = next
  }
}

/** The last place that looks like the end record and reaches to the end of the file. */
function endOf(bytes: Buffer): number {
  const lowest = Math.max(0, bytes.length - endBytes - maxCommentBytes)
  for (let at = bytes.length - endBytes; at >= lowest; at--)
    if (bytes.readUInt32LE(at) === endMark && at + endBytes + bytes.readUInt16LE(at + 20) === bytes.length) return at
  throw refused(say`it is incomplete`)
}

function plainName(name: string): string {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.')
  if (name.startsWith('/') || name.includes('\\') || parts.includes('..'))
    throw refused(say`a file in it has a name outside the archive`)
  if (Buffer.byteLength(name) > maxNameBytes || name.includes('\0')) throw refused(say`a name in it is not allowed`)
  return parts.join('/')
}

async function unpack(bytes: Buffer, entry: Entry, sink: ContentSink, budget: { left: number }): Promise<void> {
  const { at, packedBytes, method } = entry
  if (at + 30 > bytes.length || bytes.readUInt32LE(at) !== localMark) throw refused(say`a file in it is damaged`)
  const from = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28)
  if (from + packedBytes > bytes.length) throw refused(say`it is incomplete`)
  if (method !== 0 && method !== 8) throw refused(say`a file in it is compressed in a way that is not known`)
  const packed = bytes.subarray(from, from + packedBytes)
  let sum = 0
  for await (const chunk of method === 0 ? [packed] : inflated(packed)) {
    budget.left -= chunk.length
    if (budget.left < 0) throw refused(say`it is too large when unpacked`)
    sum = crc32(chunk, sum)
    sink.write(chunk)
  }
  if (sum !== entry.checksum) throw refused(say`a checksum in it does not match`)
  sink.end()
}

async function* inflated(packed: Buffer): AsyncGenerator<Buffer> {
  const stream = createInflateRaw({ chunkSize: 256 * 1024 })
  stream.end(packed)
  try {
    for await (const chunk of stream) yield chunk as Buffer
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    throw code.startsWith('Z_') ? refused(say`its compressed data is damaged or incomplete`) : error
  } finally {
    stream.destroy()
  }
}
