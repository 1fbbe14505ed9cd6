// The bytes of kept replies in segments. A segment that stays in a list when others change keeps its compressed form too: raw
// deflate that ends at a byte and refers to nothing before it, so that segments joined in any order are one gzip stream.

import { promisify } from 'node:util'
import { constants, crc32, deflateRaw, deflateRawSync } from 'node:zlib'
import { createSlices, inSlices } from '../workers/slices.ts'

const compress = promisify<Buffer, object, Buffer>(deflateRaw)

const fast = { level: 1, finishFlush: constants.Z_SYNC_FLUSH }

/** Kept for long, so it is copied out of the larger buffer that it was made in. */
function exactly(bytes: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}

export class Segment {
  readonly bytes: Buffer
  #deflated: Buffer | Promise<Buffer> | null = null
  #sum: Sum | null = null

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  /** Compressed once, by a thread, no matter who asks. */
  get deflated(): Buffer | Promise<Buffer> {
    if (this.#deflated) return this.#deflated
    const made = compress(this.bytes, fast).then(exactly)
    this.#deflated = made
    made.then(
      (deflated) => {
        this.#deflated = deflated
      },
      () => {
        this.#deflated = null
      },
    )
    return made
  }

  get isDeflated(): boolean {
    return this.#deflated !== null && !(this.#deflated instanceof Promise)
  }

  /** For one or two that changed: a tenth of a millisecond, where asking a thread takes longer. */
  deflateNow(): Buffer {
    if (this.#deflated === null || this.#deflated instanceof Promise) {
      this.#deflated = exactly(deflateRawSync(this.bytes, fast))
    }
    return this.#deflated
  }

  get sum(): Sum {
    this.#sum ??= { crc: crc32(this.bytes), shift: shiftBy(this.bytes.length) }
    return this.#sum
  }
}

interface Sum {
  readonly crc: number
  /** What the checksum of the bytes before is multiplied with. */
  readonly shift: number
}

/** Nothing about the file, fastest, no system. */
const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255])

/** One gzip stream of all segments; those that were compressed before are not again. */
export async function* gzipOf(segments: AsyncIterable<Segment> | Iterable<Segment>): AsyncGenerator<Buffer> {
  yield gzipHeader
  const state = { crc: 0, length: 0 }
  for await (const segment of segments) {
    const deflated = segment.deflated
    addTo(state, segment)
    yield deflated instanceof Promise ? await deflated : deflated
  }
  yield gzipEnd(state)
}

/** Bytes in the order in which they are sent, and how many in all. */
export interface Parts {
  readonly buffers: readonly Buffer[]
  readonly length: number
}

/** So much is compressed on the event loop at most for one reply. */
const mostAtOnce = 64 * 1024

function keptGzipOf(segments: readonly Segment[]): Parts | null {
  let missing = 0
  for (const { bytes, isDeflated } of segments) if (!isDeflated) missing += bytes.length
  if (missing > mostAtOnce) return null
  const state = { crc: 0, length: 0 }
  const buffers: Buffer[] = [gzipHeader]
  for (const segment of segments) {
    addTo(state, segment)
    buffers.push(segment.deflateNow())
  }
  buffers.push(gzipEnd(state))
  return { buffers, length: buffers.reduce((sum, { length }) => sum + length, 0) }
}

interface GzipState {
  crc: number
  length: number
}

function addTo(state: GzipState, { bytes, sum }: Segment): void {
  state.crc = (multiply(sum.shift, state.crc) ^ sum.crc) >>> 0
  state.length += bytes.length
}

/** An empty last block, the checksum and the length. */
function gzipEnd({ crc, length }: GzipState): Buffer {
  const end = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0])
  end.writeUInt32LE(crc, 2)
  end.writeUInt32LE(length % 2 ** 32, 6)
  return end
}

/** The polynomial of the CRC-32 of gzip, lowest power first. */
const polynomial = 0xedb88320

/** The product of two polynomials modulo that one, as zlib's crc32_combine has it. */
function multiply(one: number, other: number): number {
  let product = 0
  let shifted = other
  for (let bits = one | 0; bits !== 0; bits <<= 1) {
    if (bits < 0) product ^= shifted
    shifted = shifted & 1 ? (shifted >>> 1) ^ polynomial : shifted >>> 1
  }
  return product >>> 0
}

/** x to the power of two to the power of the index. */
const powers = [0x40000000]
for (let index = 1; index < 32; index++) powers.push(multiply(powers[index - 1] ?? 0, powers[index - 1] ?? 0))

/** x to the number of bits in so many bytes. */
function shiftBy(bytes: number): number {
  let product = 0x80000000
  for (let rest = bytes, index = 3; rest > 0; rest = Math.floor(rest / 2), index++) {
    if (rest % 2 === 1) product = multiply(powers[index % 32] ?? 0, product)
  }
  return product
}

/** Null is a step of work that has no segment yet. */
export type Making = Generator<Segment | null, void>

/** Up to this a reply is sent as a whole, with its length; of a longer one so much is made before it is sent. */
export const longestWhole = 1024 * 1024
/** Longer than this and a reply is not kept. */
const longestKept = 16 * 1024 * 1024

/** Of all replies together, beside the segments that they are made of. */
const mostJoined = 2 * 1024 * 1024

/** The bytes of replies in one piece each, as a connection takes them; those that were asked for last. */
class JoinedBytes {
  readonly #kept = new Map<LongReply, Buffer>()
  readonly #most: number
  #length = 0

  constructor(most: number) {
    this.#most = most
  }

  of(reply: LongReply, segments: readonly Segment[]): Buffer {
    const known = this.#kept.get(reply)
    // Again at the end: those at the beginning make room.
    if (known) this.#kept.delete(reply)
    const joined = known ?? Buffer.concat(segments.map(({ bytes }) => bytes))
    this.#kept.set(reply, joined)
    if (!known) this.#makeRoom(joined.length)
    return joined
  }

  #makeRoom(added: number): void {
    this.#length += added
    for (const [reply, { length }] of this.#kept) {
      if (this.#length <= this.#most) return
      this.#kept.delete(reply)
      this.#length -= length
    }
  }

  /** How many bytes are kept. */
  get length(): number {
    return this.#length
  }
}

export const joinedBytes = new JoinedBytes(mostJoined)

/**
 * A reply in segments that is kept. It is sent while it is made: who asks in the meantime gets what is there and waits for the rest,
 * which is made once.
 */
export class LongReply {
  readonly #make: () => Making
  readonly #segments: Segment[] = []
  #length = 0
  #state: 'growing' | 'whole' | 'too long' | 'failed' = 'growing'
  #failure: unknown = null
  /** Made when someone waits. */
  #grown: PromiseWithResolvers<void> | null = null
  #gzip: Parts | null = null

  /** Begins with the work of one slice; what that throws is thrown here. One that is known to be too long is only made as it is read. */
  constructor(make: () => Making, isTooLong = false) {
    this.#make = make
    if (isTooLong) this.#state = 'too long'
    const rest = isTooLong ? null : inSlices(this.#gather(make()))
    if (rest instanceof Promise) {
      rest.catch((error: unknown) => {
        this.#failure = error
        this.#state = 'failed'
        this.#noteGrowth()
      })
    }
  }

  *#gather(making: Making): Generator<void, void> {
    for (const segment of making) {
      if (segment) {
        this.#segments.push(segment)
        this.#length += segment.bytes.length
        this.#noteGrowth()
        if (this.#length > longestKept) {
          this.#state = 'too long'
          return
        }
      }
      yield
    }
    this.#state = 'whole'
    this.#noteGrowth()
  }

  #noteGrowth(): void {
    this.#grown?.resolve()
    this.#grown = null
  }

  #growth(): Promise<void> {
    this.#grown ??= Promise.withResolvers<void>()
    return this.#grown.promise
  }

  /** Null when it can be sent; otherwise resolves then. */
  get ready(): Promise<LongReply> | null {
    return this.#state === 'growing' && this.#length <= longestWhole ? this.#becomeReady() : null
  }

  async #becomeReady(): Promise<LongReply> {
    while (this.#state === 'growing' && this.#length <= longestWhole) await this.#growth()
    if (this.#state === 'failed') throw this.#failure
    return this
  }

  /** Null while it is made, and when it is too long to be kept. */
  get whole(): Parts | null {
    if (this.#state !== 'whole') return null
    const isJoined = this.#length <= longestWhole
    return {
      buffers: isJoined ? [joinedBytes.of(this, this.#segments)] : this.#segments.map(({ bytes }) => bytes),
      length: this.#length,
    }
  }

  /** The whole as one gzip stream; null unless all segments but those around a change are compressed already. */
  get wholeGzip(): Parts | null {
    if (this.#state === 'whole') this.#gzip ??= keptGzipOf(this.#segments)
    return this.#gzip
  }

  /** For those who ask later: itself, one that holds nothing, or null when it has to be made again. */
  get next(): LongReply | null {
    if (this.#state === 'failed') return null
    return this.#state === 'too long' && this.#length > 0 ? new LongReply(this.#make, true) : this
  }

  /** From the beginning, as they are made; what is too long to be kept is made again for each reader. */
  async *read(): AsyncGenerator<Segment> {
    for (let at = 0; ; at++) {
      while (at >= this.#segments.length && this.#state === 'growing') await this.#growth()
      const segment = this.#segments[at]
      if (!segment) break
      yield segment
    }
    if (this.#state === 'failed') throw this.#failure
    if (this.#state === 'too long') yield* this.#readRest()
  }

  async *#readRest(): AsyncGenerator<Segment> {
    const slices = createSlices()
    let left = this.#length
    for (const segment of this.#make()) {
      await slices()
      if (!segment) continue
      const { bytes } = segment
      if (bytes.length > left) yield left === 0 ? segment : new Segment(bytes.subarray(left))
      left = Math.max(0, left - bytes.length)
    }
  }
}

/** For bytes that do not change while the gateway runs: they are compressed once. */
export const keptBytes = (bytes: Buffer): LongReply =>
  new LongReply(function* () {
    yield new Segment(bytes)
  })
