// Reads the lists of an uploaded archive (tar, plain or compressed with gzip) as a stream. Nothing is unpacked to the disk, so
// no name of an archive becomes a path; links are passed over. Numbers, sizes and the unpacked whole have limits.

import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { say } from '../../../shared/said.ts'
import { ListsRefused } from './refused.ts'

const block = 512
const maxEntries = 100_000
const maxNameBytes = 4_096
const maxHeaderBytes = 64 * 1024
/** Of everything in it: far above public lists, and what a bomb may cost. */
export const maxUnpackedBytes = 2 * 1024 * 1024 * 1024

/** Takes the content of a file; null passes it over. */
export interface ContentSink {
  write(bytes: Buffer): void
  end(): void
}

export type OpenEntry = (name: string) => ContentSink | null

const refused = (why: string): ListsRefused => new ListsRefused(say`The archive cannot be used: ${why}.`)

export interface ArchiveOptions {
  /** Bytes of the archive, as it is read. */
  readonly onRead?: (bytes: number) => void
  readonly maxBytes?: number
}

/** Rejects with ListsRefused when it is not an archive, is cut off or breaks a limit. */
export async function readArchive(path: string, open: OpenEntry, options: ArchiveOptions = {}): Promise<void> {
  const start = await firstBytes(path)
  const isZipped = start[0] === 0x1f && start[1] === 0x8b
  if (!isZipped && start.subarray(257, 262).toString('latin1') !== 'ustar')
    throw refused(say`it is neither a tar archive nor one compressed with gzip`)
  const reader = new ListArchive(open, options.maxBytes ?? maxUnpackedBytes)
  const file = createReadStream(path, { highWaterMark: 256 * 1024 })
  const bytes = isZipped ? file.pipe(createGunzip({ chunkSize: 256 * 1024 })) : file
  if (isZipped) file.once('error', (error) => bytes.destroy(error))
  // Last: a stream that is listened to begins to flow.
  file.on('data', (chunk) => options.onRead?.(chunk.length))
  try {
    for await (const chunk of bytes) reader.write(chunk as Buffer)
    reader.end()
  } catch (error) {
    throw isZlibFault(error) ? refused(say`its compressed data is damaged or incomplete`) : error
  } finally {
    file.destroy()
    bytes.destroy()
  }
}

const isZlibFault = (error: unknown): boolean => {
  const code = (error as NodeJS.ErrnoException).code
  return typeof code === 'string' && code.startsWith('Z_')
}

async function firstBytes(path: string): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const chunk of createReadStream(path, { end: block - 1 })) parts.push(chunk as Buffer)
  return Buffer.concat(parts)
}

type Part = 'header' | 'content' | 'extension' | 'padding' | 'tail'

class ListArchive {
  readonly #open: OpenEntry
  #bytesLeft: number
  #entries = 0
  #part: Part = 'header'
  readonly #header = Buffer.alloc(block)
  #filled = 0
  #left = 0
  #padding = 0
  #sink: ContentSink | null = null
  /** A name that does not fit a header comes before it, as a file of its own. */
  #extension: { readonly type: string; readonly parts: Buffer[] } | null = null
  #longName: string | null = null

  constructor(open: OpenEntry, maxBytes: number) {
    this.#open = open
    this.#bytesLeft = maxBytes
  }

  write(chunk: Buffer): void {
    this.#bytesLeft -= chunk.length
    if (this.#bytesLeft < 0) throw refused(say`it is too large when unpacked`)
    let at = 0
    while (at < chunk.length && this.#part !== 'tail') at += this.#take(chunk, at)
  }

  end(): void {
    // Some programs write no empty block at the end.
    if (this.#part !== 'tail' && (this.#part !== 'header' || this.#filled > 0)) throw refused(say`it is incomplete`)
  }

  /** Gives the number of bytes it took. */
  #take(chunk: Buffer, at: number): number {
    if (this.#part === 'header') return this.#takeHeader(chunk, at)
    const piece = chunk.subarray(at, at + this.#left)
    this.#left -= piece.length
    if (this.#part === 'content') this.#sink?.write(piece)
    if (this.#part === 'extension') this.#extension?.parts.push(Buffer.from(piece))
    if (this.#left === 0) this.#endPart()
    return piece.length
  }

  #endPart(): void {
    if (this.#part === 'content') this.#sink?.end()
    if (this.#part === 'extension') this.#readExtension()
    const isPadded = this.#part === 'padding'
    this.#sink = null
    this.#left = isPadded ? 0 : this.#padding
    this.#part = this.#left > 0 ? 'padding' : 'header'
  }

  #takeHeader(chunk: Buffer, at: number): number {
    const taken = chunk.copy(this.#header, this.#filled, at, at + block - this.#filled)
    this.#filled += taken
    if (this.#filled < block) return taken
    this.#filled = 0
    if (this.#header.every((byte) => byte === 0)) this.#part = 'tail'
    else this.#begin(this.#header)
    return taken
  }

  #begin(header: Buffer): void {
    if (octalAt(header, 148, 8) !== checksumOf(header)) throw refused(say`a checksum in it does not match`)
    if (++this.#entries > maxEntries) throw refused(say`it has too many files`)
    const size = octalAt(header, 124, 12)
    const type = String.fromCharCode(header[156] as number)
    this.#left = size
    this.#padding = (block - (size % block)) % block
    if (type === 'L' || type === 'K' || type === 'x' || type === 'g') {
      if (size > maxHeaderBytes) throw refused(say`a name in it is too long`)
      this.#extension = { type, parts: [] }
      this.#part = 'extension'
    } else {
      const name = this.#longName ?? shortName(header)
      this.#longName = null
      this.#sink = this.#opened(type, name)
      this.#part = 'content'
    }
    if (size === 0) this.#endPart()
  }

  #opened(type: string, name: string): ContentSink | null {
    const isFile = type === '0' || type === '\0'
    if (!isFile && !'12567'.includes(type)) throw refused(say`it has something other than files, folders and links`)
    const parts = name.split('/').filter((part) => part !== '' && part !== '.')
    if (name.startsWith('/') || parts.includes('..')) throw refused(say`a file in it has a name outside the archive`)
    if (Buffer.byteLength(name) > maxNameBytes || name.includes('\0')) throw refused(say`a name in it is not allowed`)
    return isFile ? this.#open(parts.join('/')) : null
  }

  #readExtension(): void {
    const { type, parts } = this.#extension ?? { type: '', parts: [] }
    this.#extension = null
    const bytes = Buffer.concat(parts)
    if (type === 'L') this.#longName = bytes.toString('utf8').split('\0')[0] ?? ''
    if (type === 'x') this.#longName = paxPath(bytes) ?? this.#longName
  }
}

const shortName = (header: Buffer): string => {
  const prefix = header.toString('latin1', 257, 262) === 'ustar' ? textAt(header, 345, 155) : ''
  // GNU archives have times where others have a prefix.
  const isGnu = header.toString('latin1', 257, 265) === 'ustar  \0'
  const name = textAt(header, 0, 100)
  return prefix === '' || isGnu ? name : `${prefix}/${name}`
}

/** Records are `<length> <key>=<value>\n`. A size in them is not needed: files of lists are below 8 GB. */
function paxPath(bytes: Buffer): string | null {
  let path: string | null = null
  for (let at = 0; at < bytes.length; ) {
    const blank = bytes.indexOf(0x20, at)
    const length = blank === -1 ? 0 : Number(bytes.toString('latin1', at, Math.min(blank, at + 8)))
    if (!Number.isInteger(length) || length < 5 || at + length > bytes.length)
      throw refused(say`a header in it is damaged`)
    const record = bytes.toString('utf8', blank + 1, at + length - 1)
    if (record.startsWith('path=')) path = record.slice(5)
    if (record.startsWith('size=')) throw refused(say`a file in it is too large`)
    at += length
  }
  return path
}

const textAt = (header: Buffer, at: number, length: number): string =>
  header.toString('utf8', at, at + length).split('\0')[0] ?? ''

/** The sum of all bytes, with those of the checksum itself taken as blanks. */
function checksumOf(header: Buffer): number {
  let sum = 8 * 32
  for (let at = 0; at < block; at++) if (at < 148 || at >= 156) sum += header[at] as number
  return sum
}

function octalAt(header: Buffer, at: number, length: number): number {
  const digits = /^ *([0-7]{1,11})[\0 ]*$/.exec(header.toString('latin1', at, at + length))?.[1]
  if (digits === undefined) throw refused(say`a number in it cannot be read`)
  return Number.parseInt(digits, 8)
}
