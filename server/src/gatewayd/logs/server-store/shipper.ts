// Sends the records of the local store to the log server, in their order, each of them once. The local store is the queue: a
// server that is away only keeps the place where it is.
//
// What makes records arrive once: rows of one table and slice are stored as a whole or not at all, in the order of their
// places; after anything went wrong the largest place of each of them is read before more is sent; and the server runs one
// statement of a gateway at a time, so that it is read after the end of the statement that went wrong. Rows with the same place
// become one row in the end.

import { readFileSync } from 'node:fs'
import { createSlices } from '../../../core/workers/slices.ts'
import { logKindNames } from '../../../domain/logs/kinds.ts'
import type { LogStore } from '../../../domain/logs/store.ts'
import { writeDurably } from '../../../shared/files/durable-file.ts'
import { type SaidText, say } from '../../../shared/said.ts'
import * as sql from './clickhouse.ts'
import type { LogServerConnection } from './connection.ts'
import { RunWriter, runKey } from './rows.ts'
import { ensureTables, sliceSql, tableColumns, tableName } from './schema.ts'

export interface ShipperOptions {
  readonly server: LogServerConnection
  readonly local: LogStore
  readonly database: string
  readonly gateway: string
  /** Remembers how far records were sent. */
  readonly file: string
  /** What the place belongs to: with another server everything that is kept is sent. */
  readonly serverName: string
  /** Milliseconds between two attempts, and between news and sending; tests make them short. */
  readonly pauseMs?: number
}

export interface ShipperState {
  /** Why records do not reach the server at the moment. */
  readonly fault: SaidText | null
  readonly place: number
  /** Records that the server does not have yet. */
  readonly waiting: number
  /** Records that were removed from the gateway before the server could be reached. */
  readonly lost: number
}

/** How far records were sent. Places on the server are those of the local store and `base`, so that they rise for ever. */
interface Cursor {
  readonly server: string
  readonly base: number
  readonly place: number
  /** The local store began again with smaller places, and the base is not known yet. */
  readonly isNew: boolean
}

/** Records read from the local store at once, and sent in one request. */
const readAtOnce = 500
const sentAtOnce = 10_000
const maxBytesAtOnce = 8_000_000
const maxPauseMs = 30_000
/** How often the place is written down. It may be old: records that the server has are not sent again. */
const savedEveryMs = 30_000

export class Shipper {
  readonly #options: ShipperOptions
  readonly #pauseMs: number
  readonly #ended = new AbortController()
  readonly #running: Promise<void>
  readonly #unfollow: () => void
  #wake: () => void = () => {}
  #isHurried = false
  #hasNews = false
  #attempts = 0
  #cursor: Cursor
  #savedAt = 0
  #saved: Cursor
  /** The largest place of each table and slice on the server; null where more may be stored than we know of. */
  #stored: ReadonlyMap<string, number> | null = null
  #fault: SaidText | null = null
  #isStoreKnown = false
  #lost = 0
  /** The newest place of the local store that is known. */
  #newest = 0

  constructor(options: ShipperOptions) {
    this.#options = options
    this.#pauseMs = options.pauseMs ?? 1_000
    this.#cursor = readCursor(options.file, options.serverName)
    this.#saved = this.#cursor
    this.#unfollow = options.local.onNews((place) => {
      this.#newest = place
      this.#hasNews = true
      this.#wake()
    })
    this.#running = this.#run()
  }

  state(): ShipperState {
    const { place } = this.#cursor
    return { fault: this.#fault, place, waiting: Math.max(0, this.#newest - place), lost: this.#lost }
  }

  /** Resolves when records up to this place are on the server, or an attempt to send them failed. */
  async reach(place: number): Promise<void> {
    const before = this.#attempts
    while (this.#cursor.place < place && !this.#ended.signal.aborted) {
      if (this.#fault !== null && this.#attempts > before) return
      this.#isHurried = true
      this.#wake()
      await new Promise<void>((resolve) => this.#reached.add(resolve))
    }
  }
  readonly #reached = new Set<() => void>()

  async close(): Promise<void> {
    this.#ended.abort()
    this.#unfollow()
    this.#wake()
    await this.#running
    this.#saveIfPossible()
  }

  async #run(): Promise<void> {
    let pauseMs = this.#pauseMs
    while (!this.#ended.signal.aborted) {
      let isMore = false
      this.#hasNews = false
      try {
        await this.#noticeNewStore()
        isMore = await this.#send()
        this.#fault = null
        pauseMs = this.#pauseMs
      } catch (error) {
        this.#stored = null
        if (this.#ended.signal.aborted) break
        this.#fault = say`${(error as Error).message} Records are kept on the gateway and sent later.`
        pauseMs = Math.min(pauseMs * 2, maxPauseMs)
      }
      this.#attempts++
      const waiting = [...this.#reached]
      this.#reached.clear()
      for (const resolve of waiting) resolve()
      if (!isMore) await this.#pause(this.#fault === null ? null : pauseMs)
    }
    for (const resolve of this.#reached) resolve()
  }

  /** Without a fault: until there is news, and a little longer, so that few large requests are sent. */
  async #pause(faultMs: number | null): Promise<void> {
    if (this.#ended.signal.aborted || this.#isHurried) {
      this.#isHurried = false
      if (faultMs === null) return
    }
    if (faultMs !== null || !this.#hasNews) await this.#sleep(faultMs)
    if (faultMs === null && !this.#isHurried && !this.#ended.signal.aborted) await this.#sleep(this.#pauseMs)
    this.#isHurried = false
  }

  /** Until the time is over. News end only a sleep without a time, haste ends all. */
  #sleep(milliseconds: number | null): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        if (timer) clearTimeout(timer)
        this.#wake = () => {}
        resolve()
      }
      const timer = milliseconds === null ? null : setTimeout(end, milliseconds)
      this.#wake = () => {
        if (milliseconds === null || this.#isHurried || this.#ended.signal.aborted) end()
      }
    })
  }

  /** A damaged store was replaced. Noticed at once: later the new one may have as many records as the old one had. */
  async #noticeNewStore(): Promise<void> {
    if (this.#isStoreKnown) return
    const place = await this.#newestPlace()
    this.#newest = Math.max(this.#newest, place)
    if (this.#cursor.place > place) {
      this.#cursor = { ...this.#cursor, base: 0, place: 0, isNew: true }
      this.#save()
    }
    this.#isStoreKnown = true
  }

  /** A store that could not be opened yet says nothing about its records: it must not be taken for an empty one. */
  async #newestPlace(): Promise<number> {
    const { place, fault } = await this.#options.local.state()
    if (place === 0 && fault !== null) throw new Error(fault)
    return place
  }

  /** One request for each table. True when there may be more to send. */
  async #send(): Promise<boolean> {
    const { local, gateway } = this.#options
    const stored = this.#stored ?? (await this.#begin())
    this.#stored = null
    const { base, place: from } = this.#cursor
    // What is not on the disk yet may be lost, and its places be used again.
    const { place: durable } = await local.state()
    const runs = new RunWriter(gateway, stored)
    const slices = createSlices()
    let [place, read, lost] = [from, 0, 0]
    while (place < durable && read < sentAtOnce && runs.bytes < maxBytesAtOnce) {
      const followed = await local.after(place, readAtOnce)
      const records = followed.records.filter((record) => record.place <= durable)
      for (const record of records) {
        await slices()
        runs.add(record, record.place + base)
      }
      lost += followed.lost
      read += records.length
      if (followed.place === place) break
      place = Math.min(followed.place, durable)
    }
    const sent = new Map(stored)
    for (const { kind, key, writer, last } of runs.runs()) {
      const { server, database } = this.#options
      const columns = tableColumns(kind).map(({ name }) => name)
      const statement = sql.insert(sql.path(database, tableName(kind)), columns)
      await server.run({ sql: statement, rows: writer.take(), signal: this.#ended.signal, id: this.#id })
      sent.set(key, last)
    }
    this.#stored = sent
    this.#lost += lost
    if (place !== from) this.#cursor = { ...this.#cursor, place }
    if (performance.now() - this.#savedAt > savedEveryMs) this.#saveIfPossible()
    return place < durable && place > from
  }

  /** Learns what the server has of this gateway. */
  async #begin(): Promise<ReadonlyMap<string, number>> {
    const { server, database, gateway, serverName } = this.#options
    const { signal } = this.#ended
    await ensureTables(server, database, signal)
    const places = new Map<string, number>()
    for (const kind of logKindNames) {
      const query = sql.select({
        what: { slice: sql.call('toInt64', sliceSql), last: sql.call('max', sql.name('place')) },
        from: sql.path(database, tableName(kind)),
        where: sql.compare(sql.name('gateway'), '=', sql.text(gateway)),
        group: ['slice'],
      })
      for (const [slice, last] of await server.all(query, ['number', 'number'], signal, this.#id)) {
        places.set(runKey(kind, Number(slice)), Number(last))
      }
    }
    const largest = Math.max(0, ...places.values())
    const newest = await this.#newestPlace()
    const { base, place, isNew } = this.#cursor
    if (largest === 0) this.#cursor = { server: serverName, base: 0, place: 0, isNew: false }
    else if (isNew || Math.max(place, largest - base) > newest) {
      this.#cursor = { server: serverName, base: largest, place: 0, isNew: false }
      // Before anything is sent with it: a base that was forgotten would be another one the next time.
      this.#save()
    }
    return places
  }

  /** The server runs one statement of a gateway with this id at a time. */
  get #id(): string {
    return `portcullis-records-of-${this.#options.gateway}`
  }

  /** On a disk that takes nothing the place stays old; the server knows what it has. */
  #saveIfPossible(): void {
    try {
      this.#save()
    } catch {}
  }

  #save(): void {
    this.#savedAt = performance.now()
    if (this.#saved === this.#cursor) return
    writeDurably(this.#options.file, JSON.stringify(this.#cursor))
    this.#saved = this.#cursor
  }
}

function readCursor(file: string, server: string): Cursor {
  const none = { server, base: 0, place: 0, isNew: false }
  try {
    const { server: of, base, place, isNew } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Cursor>
    if (of !== server || !Number.isSafeInteger(base) || !Number.isSafeInteger(place)) return none
    return { server, base: Number(base), place: Number(place), isNew: isNew === true }
  } catch {
    return none
  }
}
