// The firewall log: follows the file that the reader of applyd appends to and keeps the newest records in a separate
// database. A flood must not overload the service: the excess is counted and not read.

import { type FileHandle, open } from 'node:fs/promises'
import type { Database } from '../../database/database.ts'
import type { Migration } from '../../database/migrations.ts'
import { type FirewallRecord, lostRecord, parseHit } from './firewall-log-line.ts'

/** The tables of log.db. A step is never edited once released. */
export const firewallLogMigrations: readonly Migration[] = [
  {
    title: 'hits and how far they were read',
    statements: [
      `CREATE TABLE hits (
        sequence INTEGER PRIMARY KEY, time INTEGER NOT NULL, table_name TEXT NOT NULL, rule_id TEXT NOT NULL,
        action TEXT NOT NULL, protocol TEXT NOT NULL, source_ip TEXT NOT NULL, source_port INTEGER,
        destination_ip TEXT NOT NULL, destination_port INTEGER, in_interface TEXT NOT NULL,
        out_interface TEXT NOT NULL, length INTEGER NOT NULL, lost INTEGER NOT NULL
      )`,
      `CREATE TABLE place (one INTEGER PRIMARY KEY CHECK (one = 1), file INTEGER NOT NULL, offset INTEGER NOT NULL)`,
    ],
  },
]

export interface FirewallLogParts {
  readonly database: Pick<Database, 'prepare' | 'transact'>
  /** Where the reader writes. It need not be there, and it may be emptied at any time. */
  readonly path: string
  readonly now: () => Date
  /** Called once for each failure that begins, such as a full disk. */
  readonly onFault: (error: unknown) => void
  readonly maxRecords?: number
  /** Bytes that may wait to be read; of more than that the oldest are only counted. */
  readonly maxBacklogBytes?: number
}

const defaultMaxRecords = 200_000
/** Three months (docs/behaviour/logs.md 3). */
const keptMilliseconds = 92 * 86_400_000
/** About seven thousand records. */
const defaultMaxBacklogBytes = 4 * 1024 * 1024
/** What is read, parsed and stored in one go; about five milliseconds. */
const chunkBytes = 256 * 1024
/** More than are stored in one go, so that it comes to an end. */
const removedAtOnce = 2_000
const pollMilliseconds = 250
const newline = 0x0a

interface Place {
  /** The inode: another one means another file. */
  readonly file: number
  readonly offset: number
}

export class FirewallLog {
  readonly #parts: FirewallLogParts
  readonly #maxRecords: number
  readonly #maxBacklogBytes: number
  #place: Place
  #isFailing = false
  #timer: NodeJS.Timeout | null = null
  #reading: Promise<void> | null = null

  constructor(parts: FirewallLogParts) {
    this.#parts = parts
    this.#maxRecords = parts.maxRecords ?? defaultMaxRecords
    this.#maxBacklogBytes = parts.maxBacklogBytes ?? defaultMaxBacklogBytes
    const known = parts.database.prepare('SELECT file, offset FROM place').get() as unknown as Place | undefined
    this.#place = known ?? { file: 0, offset: 0 }
  }

  start(): void {
    const poll = async (): Promise<void> => {
      await this.refresh()
      if (this.#timer !== null) this.#timer = setTimeout(poll, pollMilliseconds).unref()
    }
    this.#timer = setTimeout(poll, 0).unref()
  }

  /** Resolves when nothing is being read any more; the database may then be closed. */
  async stop(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    await this.#reading
  }

  /** Reads what has come since the last time. */
  refresh(): Promise<void> {
    this.#reading ??= this.#readNews().finally(() => {
      this.#reading = null
    })
    return this.#reading
  }

  /** Oldest first, after the record with this number; for those who follow it in steps. */
  pageAfter(sequence: number, limit: number): (FirewallRecord & { readonly sequence: number })[] {
    return this.#parts.database
      .prepare(
        `SELECT sequence, time, table_name AS "table", rule_id, action, protocol, source_ip, source_port, destination_ip,
           destination_port, in_interface, out_interface, length, lost
         FROM hits WHERE sequence > ? ORDER BY sequence LIMIT ?`,
      )
      .all(sequence, limit) as unknown as (FirewallRecord & { readonly sequence: number })[]
  }

  /** The number of the oldest record that is still kept; 0 when there are no records. */
  get oldest(): number {
    const row = this.#parts.database.prepare('SELECT min(sequence) AS oldest FROM hits').get()
    return Number(row?.oldest ?? 0)
  }

  async #readNews(): Promise<void> {
    try {
      await using file = await openIfThere(this.#parts.path)
      if (file) await this.#follow(file)
      this.#isFailing = false
    } catch (error) {
      // The place has not moved: the same is read again the next time.
      if (!this.#isFailing) this.#parts.onFault(error)
      this.#isFailing = true
    }
  }

  async #follow(file: FileHandle): Promise<void> {
    const { ino, size } = await file.stat()
    const isSame = ino === this.#place.file && size >= this.#place.offset
    // Otherwise it was emptied or replaced, and all of its content is new.
    let offset = isSame ? this.#place.offset : 0
    let lost = 0
    const buffer = Buffer.allocUnsafe(chunkBytes)
    // Every turn waits for the file once, so that others get theirs.
    while (offset < size) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(chunkBytes, size - offset), offset)
      const chunk = wholeLines(buffer.subarray(0, bytesRead))
      // The rest of a line has not been written yet.
      if (chunk.length === 0) break
      const isTooMuch = size - offset > this.#maxBacklogBytes
      offset += chunk.length
      if (isTooMuch) lost += countLines(chunk)
      else {
        this.#store(chunk, lost, { file: ino, offset })
        lost = 0
      }
    }
    if (lost > 0) this.#store(Buffer.alloc(0), lost, { file: ino, offset })
  }

  #store(chunk: Buffer, lostBefore: number, place: Place): void {
    const now = this.#parts.now().getTime()
    const lines = chunk
      .toString('latin1')
      .split('\n')
      .filter((line) => line !== '')
    const records = lines.flatMap((line) => parseHit(line, now) ?? [])
    const lost = lostBefore + lines.length - records.length
    const { database } = this.#parts
    database.transact(() => {
      for (const record of lost > 0 ? [lostRecord(lost, now), ...records] : records) this.#insert(record)
      database
        .prepare(
          `DELETE FROM hits WHERE sequence IN (
             SELECT sequence FROM hits WHERE sequence <= (SELECT max(sequence) FROM hits) - ? ORDER BY sequence LIMIT ?
           )`,
        )
        .run(this.#maxRecords, removedAtOnce)
      database
        .prepare(
          'DELETE FROM hits WHERE sequence IN (SELECT sequence FROM hits ORDER BY sequence LIMIT ?) AND time < ?',
        )
        .run(removedAtOnce, now - keptMilliseconds)
      database
        .prepare(
          'INSERT INTO place (one, file, offset) VALUES (1, ?, ?) ON CONFLICT DO UPDATE SET file = ?, offset = ?',
        )
        .run(place.file, place.offset, place.file, place.offset)
    })
    this.#place = place
  }

  #insert(record: FirewallRecord): void {
    this.#parts.database
      .prepare(
        `INSERT INTO hits (time, table_name, rule_id, action, protocol, source_ip, source_port, destination_ip,
           destination_port, in_interface, out_interface, length, lost)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        record.time,
        record.table,
        record.rule_id,
        record.action,
        record.protocol,
        record.source_ip,
        record.source_port,
        record.destination_ip,
        record.destination_port,
        record.in_interface,
        record.out_interface,
        record.length,
        record.lost,
      )
  }
}

/** Null while no rule has ever logged. */
async function openIfThere(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Up to the last end of a line. A chunk without any was not written by our reader: all of it counts as one bad line. */
function wholeLines(chunk: Buffer): Buffer {
  const end = chunk.lastIndexOf(newline)
  if (end < 0 && chunk.length === chunkBytes) return chunk
  return chunk.subarray(0, end + 1)
}

function countLines(chunk: Buffer): number {
  let count = 0
  for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) count++
  return count
}
