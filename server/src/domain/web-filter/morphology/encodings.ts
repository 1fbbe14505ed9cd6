// Undoes the content encoding of a page in pieces, off the event loop, up to a limit: what is beyond it is not decoded, so a
// small body that unpacks to gigabytes costs no more than any other.

import { once } from 'node:events'
import type { Transform } from 'node:stream'
import {
  createBrotliCompress,
  createBrotliDecompress,
  createDeflate,
  createGunzip,
  createGzip,
  createInflate,
  createInflateRaw,
  createZstdCompress,
  createZstdDecompress,
} from 'node:zlib'

const chunkSize = 16 * 1024
/** More encodings on top of each other are not used by any server. */
export const maxEncodings = 2

export type Coding = 'gzip' | 'deflate' | 'br' | 'zstd'

/** In lower case, as the header has them: the outermost is the last. */
export const codingNames = (header: string | null): readonly string[] =>
  (header ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
    .map((name) => (name === 'x-gzip' ? 'gzip' : name))

/** From the outermost to the innermost; null when one is not known. */
export function readCodings(header: string | null): readonly Coding[] | null {
  const names = codingNames(header)
  const isKnown = (name: string): name is Coding => ['gzip', 'deflate', 'br', 'zstd'].includes(name)
  return names.length <= maxEncodings && names.every(isKnown) ? names.filter(isKnown).reverse() : null
}

/** Some servers send deflate without the header that the standard asks for, which has two bytes. */
const headerBytes = 2
const hasZlibHeader = (first: Uint8Array): boolean =>
  ((first[0] ?? 0) & 0x0f) === 8 && (((first[0] ?? 0) << 8) | (first[1] ?? 0)) % 31 === 0

function decoderOf(coding: Coding, first: Uint8Array): Transform {
  if (coding === 'gzip') return createGunzip({ chunkSize })
  if (coding === 'br') return createBrotliDecompress({ chunkSize })
  if (coding === 'zstd') return createZstdDecompress({ chunkSize })
  return hasZlibHeader(first) ? createInflate({ chunkSize }) : createInflateRaw({ chunkSize })
}

export class BodyDecoder {
  readonly #codings: readonly Coding[]
  readonly #onBytes: (bytes: Uint8Array) => void
  readonly #maxBytes: number
  #streams: Transform[] | null = null
  /** Of a body that comes byte by byte. */
  #first: Uint8Array = new Uint8Array()
  #bytes = 0
  #isOver = false
  #isDamaged = false

  constructor(codings: readonly Coding[], maxBytes: number, onBytes: (bytes: Uint8Array) => void) {
    this.#codings = codings
    this.#maxBytes = maxBytes
    this.#onBytes = onBytes
  }

  /** Nothing more is decoded: the limit is reached, or the data is damaged. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** What was read is not in these encodings; one that only ends too early is not damaged. */
  get isDamaged(): boolean {
    return this.#isDamaged
  }

  /** Settles when what these bytes hold was given on. */
  async push(bytes: Uint8Array): Promise<void> {
    if (this.#isOver || bytes.length === 0) return
    if (this.#codings.length === 0) {
      this.#give(bytes)
      return
    }
    if (this.#streams !== null) return this.#write(bytes)
    this.#first = Buffer.concat([this.#first, bytes])
    if (this.#first.length >= headerBytes) await this.#begin()
  }

  async end(): Promise<void> {
    if (this.#streams === null && this.#first.length > 0) await this.#begin()
    const [first] = this.#streams ?? []
    const last = this.#streams?.at(-1)
    if (first === undefined || last === undefined || this.#isOver) return
    const done = once(last, 'close').catch(() => [])
    first.end()
    await done
  }

  close(): void {
    this.#isOver = true
    for (const stream of this.#streams ?? []) stream.destroy()
  }

  async #begin(): Promise<void> {
    this.#streams = this.#open(this.#first)
    await this.#write(this.#first)
  }

  #open(first: Uint8Array): Transform[] {
    // Only the outermost is seen here; what is inside of it is taken with its header.
    const streams = this.#codings.map((coding, index) => decoderOf(coding, index === 0 ? first : Buffer.of(0x78, 0x9c)))
    for (const [index, stream] of streams.entries()) {
      stream.on('error', (error: NodeJS.ErrnoException) => {
        if (!this.#isOver && error.code !== 'Z_BUF_ERROR') this.#isDamaged = true
        this.close()
      })
      const next = streams[index + 1]
      if (next === undefined) stream.on('data', (bytes: Buffer) => this.#give(bytes))
      else stream.pipe(next)
    }
    return streams
  }

  async #write(bytes: Uint8Array): Promise<void> {
    const [first] = this.#streams ?? []
    if (first === undefined || first.destroyed) return
    await new Promise<void>((resolve) => {
      first.write(bytes, () => resolve())
      first.once('close', () => resolve())
    })
    first.removeAllListeners('close')
  }

  #give(bytes: Uint8Array): void {
    if (this.#isOver) return
    const rest = this.#maxBytes - this.#bytes
    this.#bytes += bytes.length
    this.#onBytes(bytes.length > rest ? bytes.subarray(0, rest) : bytes)
    if (bytes.length >= rest) this.close()
  }
}

/** A short text in the encodings of the reply that it replaces. */
export async function encodeBody(text: Uint8Array, codings: readonly Coding[]): Promise<Buffer> {
  let bytes = Buffer.from(text)
  for (const coding of [...codings].reverse()) {
    const makers = { gzip: createGzip, deflate: createDeflate, br: createBrotliCompress, zstd: createZstdCompress }
    const stream = makers[coding]()
    stream.end(bytes)
    bytes = Buffer.concat(await stream.toArray())
  }
  return bytes
}
