// Reads a list file in pieces, as they come from a disk or out of an archive: each line becomes a hash, is a comment, or is
// refused and counted. No line and no file is held whole.

import { isPlainKey, parseLine } from './entry.ts'
import type { SipHash } from './siphash.ts'

const newline = 0x0a
const maxLineBytes = 4_096

export interface LineCounts {
  entries: number
  refused: number
}

/** Takes the hash of an entry, which is in the hasher. */
export type TakeEntry = () => void

export class LineReader {
  readonly #hash: SipHash
  readonly #take: TakeEntry
  readonly counts: LineCounts = { entries: 0, refused: 0 }
  readonly #carry = Buffer.alloc(maxLineBytes)
  #carried = 0
  /** Within a line that is longer than any may be. */
  #isOverlong = false

  constructor(hash: SipHash, take: TakeEntry) {
    this.#hash = hash
    this.#take = take
  }

  write(bytes: Buffer): void {
    let begin = 0
    for (;;) {
      const end = bytes.indexOf(newline, begin)
      if (end === -1) break
      this.#endLine(bytes, begin, end)
      begin = end + 1
    }
    this.#keep(bytes, begin)
  }

  /** The last line may have no end. */
  end(): void {
    if (this.#carried > 0 || this.#isOverlong) this.#endLine(this.#carry, 0, 0)
  }

  #keep(bytes: Buffer, begin: number): void {
    const length = bytes.length - begin
    if (this.#isOverlong || this.#carried + length > maxLineBytes) {
      this.#isOverlong = true
      this.#carried = 0
    } else this.#carried += bytes.copy(this.#carry, this.#carried, begin)
  }

  #endLine(bytes: Buffer, begin: number, end: number): void {
    if (this.#carried === 0 && !this.#isOverlong) {
      this.#read(bytes, begin, end)
      return
    }
    if (end > begin) this.#keep(bytes.subarray(0, end), begin)
    const isRefused = this.#isOverlong
    const length = this.#carried
    this.#isOverlong = false
    this.#carried = 0
    if (isRefused) this.counts.refused++
    else this.#read(this.#carry, 0, length)
  }

  #read(bytes: Buffer, begin: number, lineEnd: number): void {
    let end = lineEnd
    while (end > begin && (bytes[end - 1] as number) <= 0x20) end--
    if (end === begin) return
    if (isPlainKey(bytes, begin, end)) this.#add(bytes, begin, end)
    else {
      const parsed = end - begin > maxLineBytes ? 'refused' : parseLine(bytes.toString('utf8', begin, end))
      if (parsed === 'refused') this.counts.refused++
      if (typeof parsed !== 'string') this.#add(parsed, 0, parsed.length)
    }
  }

  #add(bytes: Buffer, begin: number, end: number): void {
    this.#hash.run(bytes, begin, end)
    this.counts.entries++
    this.#take()
  }
}
