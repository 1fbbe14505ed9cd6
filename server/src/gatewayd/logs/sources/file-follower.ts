// Follows a file that another process appends to, line by line: no line is lost or comes twice when the file is renamed,
// emptied behind a copy, or read on by the next start. How far it was read is stored together with the records. Reads
// without waiting, so it belongs into a thread.

import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { NewRecord } from '../../../domain/logs/record.ts'
import type { FollowedFile, Sink } from '../../../domain/logs/source.ts'

/** How far a file was read. */
interface Place {
  /** The inode. */
  readonly file: number
  readonly offset: number
  /** A hash of the bytes before the offset: a file that was emptied and has grown again is another one. */
  readonly tail: string
  /** At offset 0, where there are no bytes: what the older file was when this one began. */
  readonly before?: string
}

interface OpenFile {
  readonly descriptor: number
  readonly ino: number
  readonly size: number
  readonly modified: number
}

const chunkBytes = 256 * 1024
/** A longer one is taken in pieces. */
const longestLineBytes = 4 * 1024 * 1024
const tailBytes = 256
/** Our own limit of a log, twice, and some more. */
const defaultBacklogBytes = 32 * 1024 * 1024
const newline = 0x0a

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16)
const noTail = hashOf(Buffer.alloc(0))
const startOf = ({ ino }: OpenFile): Place => ({ file: ino, offset: 0, tail: noTail })

export class FileFollower {
  readonly #file: FollowedFile
  readonly #sink: Sink
  readonly #maxBacklogBytes: number
  #place: Place | null
  /** The end of the file that was renamed; its writer may add to it until it opens the new one. */
  #older: Place | null
  #lost = 0

  constructor(file: FollowedFile, sink: Sink) {
    this.#file = file
    this.#sink = sink
    this.#maxBacklogBytes = file.maxBacklogBytes ?? defaultBacklogBytes
    const [place, older] = placesOf(sink.marks().get(file.source))
    this.#place = place
    this.#older = older
  }

  /** Reads some of what has come; true when there may be more. */
  step(): boolean {
    if (this.#sink.hasRoom?.() === false) return false
    const current = openIfThere(this.#file.path)
    try {
      return this.#stepIn(current)
    } finally {
      if (current) closeSync(current.descriptor)
    }
  }

  #stepIn(current: OpenFile | null): boolean {
    const place = this.#place
    if (!place) {
      if (!current) return false
      this.#begin(current)
      return true
    }
    if (current && continues(current, place) && !this.#wasEmptied(place)) {
      if (this.#older) this.#withOlder((older) => this.#readRest(older))
      return this.#read(current, place)
    }
    const isSame = current?.ino === place.file
    const isMore = this.#withOlder((older) =>
      older.ino === place.file
        ? this.#followRenamed(older, current, place)
        : isSame
          ? this.#followCopy(older, current, place)
          : null,
    )
    if (isMore !== null) return isMore
    if (!current) return false
    // What it was is gone.
    this.#begin(current)
    return true
  }

  /** Noted at once: by the time there is a line, this file may have its other name. */
  #begin(file: OpenFile): void {
    this.#place = { ...startOf(file), before: this.#withOlder(signatureOf) ?? '' }
    this.#append([])
  }

  /** A file of which nothing was read looks the same when it has been emptied; only its copy shows that. */
  #wasEmptied({ offset, before }: Place): boolean {
    if (offset > 0) return false
    return (
      this.#withOlder(
        (older) => signatureOf(older) !== before && !(this.#older !== null && continues(older, this.#older)),
      ) ?? false
    )
  }

  #withOlder<T>(work: (older: OpenFile) => T): T | null {
    const older = openIfThere(`${this.#file.path}.1`)
    try {
      return older && work(older)
    } finally {
      if (older) closeSync(older.descriptor)
    }
  }

  /** The writer may still add to the file under its other name. */
  #readRest(older: OpenFile): void {
    if (this.#older && continues(older, this.#older)) {
      const read = this.#readLines(older, this.#older, noBytes)
      if (read)
        this.#hand(read.lines, older.modified, () => {
          this.#older = read.place
        })
    } else this.#older = null
  }

  #followRenamed(older: OpenFile, current: OpenFile | null, place: Place): boolean | null {
    if (!continues(older, place)) return null
    if (this.#read(older, place)) return true
    if (!current) return false
    this.#older = this.#place
    this.#begin(current)
    return true
  }

  /** The file was copied and emptied: what was not read is in the copy, and a line may begin there and end here. */
  #followCopy(copy: OpenFile, current: OpenFile | null, place: Place): boolean | null {
    if (!current || !continues({ ...copy, ino: place.file }, place)) return null
    if (this.#read({ ...copy, ino: place.file }, place)) return true
    const begun = readAt(copy, this.#place?.offset ?? 0, copy.size)
    const read = this.#readLines(current, startOf(current), begun)
    if (!read) {
      if (begun.length === 0) this.#begin(current)
      return false
    }
    this.#hand(read.lines, current.modified, () => {
      this.#place = read.place
    })
    return read.place.offset < current.size
  }

  /** True when there is more than was read. */
  #read(file: OpenFile, place: Place): boolean {
    const read = this.#readLines(file, place, noBytes)
    if (!read) return false
    const isTooMuch = file.size - place.offset > this.#maxBacklogBytes
    if (isTooMuch) {
      this.#lost += countLines(read.lines)
      this.#place = read.place
    } else
      this.#hand(read.lines, file.modified, () => {
        this.#place = read.place
      })
    return read.place.offset < file.size
  }

  #hand(lines: Buffer, modified: number, moveOn: () => void): void {
    const { records, lost } = this.#file
    const lostBefore = this.#lost > 0 ? [lost(this.#lost)] : []
    const made = records(lines, modified)
    moveOn()
    this.#lost = 0
    this.#append([...lostBefore, ...made])
  }

  #append(records: readonly NewRecord[]): void {
    const { source } = this.#file
    this.#sink.append(records, { source, position: JSON.stringify([this.#place, this.#older]) })
  }

  /** Whole lines after a place, the first of which has begun with other bytes; null while there is none. */
  #readLines(file: OpenFile, place: Place, begun: Buffer): { readonly lines: Buffer; readonly place: Place } | null {
    const read = (most: number): Buffer => readAt(file, place.offset, Math.min(file.size, place.offset + most))
    const first = read(chunkBytes)
    const bytes = first.length === chunkBytes && !first.includes(newline) ? read(longestLineBytes) : first
    const end = bytes.lastIndexOf(newline) + 1
    const taken = end === 0 && bytes.length === longestLineBytes ? bytes : bytes.subarray(0, end)
    if (taken.length === 0) return null
    const offset = place.offset + taken.length
    const before = taken.length >= tailBytes ? noBytes : readAt(file, Math.max(0, offset - tailBytes), place.offset)
    const tail = hashOf(Buffer.concat([before, taken]).subarray(-tailBytes))
    return {
      lines: begun.length > 0 ? Buffer.concat([begun, taken]) : taken,
      place: { file: place.file, offset, tail },
    }
  }
}

const signatureOf = ({ ino, size, modified }: OpenFile): string => `${ino} ${size} ${modified}`

const noBytes = Buffer.alloc(0)

/** Whether the bytes before a place are still those that were read. */
function continues(file: OpenFile, { file: ino, offset, tail }: Place): boolean {
  if (file.ino !== ino || file.size < offset) return false
  return hashOf(readAt(file, Math.max(0, offset - tailBytes), offset)) === tail
}

function readAt({ descriptor }: OpenFile, from: number, until: number): Buffer {
  const buffer = Buffer.allocUnsafe(Math.max(0, until - from))
  let length = 0
  while (length < buffer.length) {
    const read = readSync(descriptor, buffer, length, buffer.length - length, from + length)
    // It was emptied in this moment; the next step finds out.
    if (read === 0) break
    length += read
  }
  return buffer.subarray(0, length)
}

/** Null for a file that is not there, or not ours to read. */
function openIfThere(path: string): OpenFile | null {
  try {
    const descriptor = openSync(path, 'r')
    const { ino, size, mtimeMs } = fstatSync(descriptor)
    return { descriptor, ino, size, modified: mtimeMs }
  } catch (error) {
    if (['ENOENT', 'EACCES', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null
    throw error
  }
}

function countLines(chunk: Buffer): number {
  let count = 0
  for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) count++
  return count
}

const isPlace = (value: unknown): value is Place =>
  typeof value === 'object' &&
  value !== null &&
  ['file', 'offset'].every((name) => Number.isInteger((value as Record<string, unknown>)[name])) &&
  typeof (value as Record<string, unknown>).tail === 'string'

/** A mark that cannot be read is not one: the file is read from its start. */
function placesOf(position: string | undefined): readonly [place: Place | null, older: Place | null] {
  if (position === undefined) return [null, null]
  try {
    const [place, older] = JSON.parse(position) as readonly unknown[]
    return [isPlace(place) ? place : null, isPlace(older) ? older : null]
  } catch {
    return [null, null]
  }
}
