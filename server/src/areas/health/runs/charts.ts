// Numbers over time for charts, in a separate SQLite file: 10 s for two hours, a minute for two days, ten minutes for two weeks
// and an hour for 90 days. A row holds all series of one step, so a look writes four short rows in one transaction. It is bounded
// by the number of rows and series; a damaged file is replaced.

import { rmSync } from 'node:fs'
import { Database, type Reserve } from '../../../core/database/database.ts'

const migrations = [
  {
    title: 'charts',
    statements: [
      `CREATE TABLE series (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, last INTEGER NOT NULL)`,
      // The place is the tier and the time of the step.
      `CREATE TABLE steps (place INTEGER PRIMARY KEY, data BLOB NOT NULL)`,
    ],
  },
]

export interface Tier {
  readonly stepSeconds: number
  readonly steps: number
}

const day = 86_400

/** Finest first. */
export const chartTiers: readonly Tier[] = [
  { stepSeconds: 10, steps: 720 },
  { stepSeconds: 60, steps: (2 * day) / 60 },
  { stepSeconds: 600, steps: (14 * day) / 600 },
  { stepSeconds: 3_600, steps: (90 * day) / 3_600 },
]

/** Room for the Unix seconds of a step below its tier. */
const placesOfTier = 2 ** 40
const entryBytes = 24
const maxSeries = 1_024
/** Numbers of a reply: more of them are shown in a coarser step. */
const maxPoints = 40_000
const stepsAtOnce = 32
/** A series that has been quiet for as long as anything is kept is forgotten. */
const forgetSeconds = 91 * day

export interface ChartPoint {
  readonly time: number
  readonly min: number
  readonly avg: number
  readonly max: number
}

export interface Chart {
  readonly stepSeconds: number
  readonly series: readonly { readonly name: string; readonly points: readonly ChartPoint[] }[]
}

export interface ChartQuery {
  /** Series whose names begin with this. */
  readonly prefix: string
  /** Unix seconds; `until` is not included. */
  readonly from: number
  readonly until: number
  /** Unix seconds. */
  readonly now: number
}

export class ChartStore {
  readonly #database: Database
  readonly #ids = new Map<string, number>()
  #fault: string | null = null

  constructor(path: string, reserve?: Reserve) {
    this.#database = open(path, reserve)
    const rows = this.#database.prepare<{ id: number; name: string }>('SELECT id, name FROM series').all()
    for (const { id, name } of rows) this.#ids.set(name, id)
  }

  /** Why the last numbers were not kept; null when they were. */
  get fault(): string | null {
    return this.#fault
  }

  /** Never throws: charts are the last thing that a full disk should stop. */
  add(time: number, values: ReadonlyMap<string, number>): void {
    try {
      this.#database.transact(() => {
        const found = this.#known(time, values)
        for (const [index, tier] of chartTiers.entries()) this.#addTo(index, tier, time, found)
      })
      this.#fault = null
    } catch (error) {
      this.#reload()
      this.#fault = (error as Error).message
    }
  }

  /** Values by the id of their series; new series get one while there is room. */
  #known(time: number, values: ReadonlyMap<string, number>): Map<number, number> {
    const found = new Map<number, number>()
    for (const [name, value] of values) {
      if (!Number.isFinite(value)) continue
      const id = this.#ids.get(name) ?? this.#addSeries(name, time)
      if (id !== null) found.set(id, value)
    }
    return found
  }

  #addSeries(name: string, time: number): number | null {
    if (this.#ids.size >= maxSeries && !this.#forgetQuiet(time)) return null
    const { lastInsertRowid } = this.#database.prepare('INSERT INTO series (name, last) VALUES (?, ?)').run(name, time)
    const id = Number(lastInsertRowid)
    this.#ids.set(name, id)
    return id
  }

  /** True when that made room. */
  #forgetQuiet(time: number): boolean {
    const quiet = this.#database
      .prepare<{
        id: number
        name: string
      }>('SELECT id, name FROM series WHERE last < ?')
      .all(time - forgetSeconds)
    for (const { id, name } of quiet) {
      this.#database.prepare('DELETE FROM series WHERE id = ?').run(id)
      this.#ids.delete(name)
    }
    return quiet.length > 0
  }

  #addTo(index: number, { stepSeconds, steps }: Tier, time: number, values: ReadonlyMap<number, number>): void {
    const place = index * placesOfTier + time - (time % stepSeconds)
    const row = this.#database.prepare('SELECT data FROM steps WHERE place = ?').get(place) as
      | { data: Uint8Array }
      | undefined
    const data = merged(row?.data, values)
    this.#database.prepare('INSERT OR REPLACE INTO steps (place, data) VALUES (?, ?)').run(place, data)
    if (row) return
    this.#trim(index, steps, place)
    // With every new hour: often enough to know which series are quiet.
    if (index === chartTiers.length - 1)
      for (const id of values.keys()) this.#database.prepare('UPDATE series SET last = ? WHERE id = ?').run(time, id)
  }

  /** Those furthest from now go first, so that a clock that was wrong for a while costs little. */
  #trim(index: number, steps: number, now: number): void {
    const [low, high] = [index * placesOfTier, (index + 1) * placesOfTier]
    const { count } = this.#database
      .prepare('SELECT count(*) AS count FROM steps WHERE place >= ? AND place < ?')
      .get(low, high) as { count: number }
    if (count <= steps) return
    this.#database
      .prepare(
        `DELETE FROM steps WHERE place IN (
          SELECT place FROM steps WHERE place >= ? AND place < ? ORDER BY abs(place - ?) DESC LIMIT ?)`,
      )
      .run(low, high, now, count - steps)
  }

  /** Others get their turn while it is read. */
  async read(query: ChartQuery, slices: () => Promise<void> | undefined): Promise<Chart> {
    const names = new Map(
      [...this.#ids].filter(([name]) => name.startsWith(query.prefix)).map(([name, id]) => [id, name]),
    )
    const index = tierFor(query, names.size)
    const { stepSeconds, steps } = chartTiers[index] as Tier
    const low = index * placesOfTier
    // Only the coarsest can still be too much: then several of its steps are one.
    const kept = Math.min(steps, Math.ceil((query.until - query.from) / stepSeconds))
    const shownSeconds = stepSeconds * Math.max(1, Math.ceil((kept * names.size) / maxPoints))
    const found = new Map<number, Gathered[]>()
    for (const { place, data } of this.#stepsBetween(
      low + query.from - (query.from % stepSeconds),
      Math.min(low + query.until, low + placesOfTier),
    )) {
      const time = place - low - ((place - low) % shownSeconds)
      for (const entry of entriesOf(data)) {
        if (!names.has(entry.id)) continue
        const points = found.get(entry.id) ?? []
        gather(points, time, entry)
        found.set(entry.id, points)
      }
      await slices()
    }
    const series = [...found].map(([id, points]) => ({ name: names.get(id) ?? '', points: points.map(pointOf) }))
    return { stepSeconds: shownSeconds, series: series.sort((a, b) => (a.name < b.name ? -1 : 1)) }
  }

  /** Some at a time: all steps of a tier with all series are tens of megabytes. */
  *#stepsBetween(from: number, end: number): Generator<{ readonly place: number; readonly data: Uint8Array }> {
    const next = this.#database.prepare(
      'SELECT place, data FROM steps WHERE place >= ? AND place < ? ORDER BY place LIMIT ?',
    )
    for (let first = from; ; ) {
      const rows = next.all(first, end, stepsAtOnce) as { place: number; data: Uint8Array }[]
      yield* rows
      const last = rows.at(-1)
      if (!last || rows.length < stepsAtOnce) return
      first = last.place + 1
    }
  }

  #reload(): void {
    this.#ids.clear()
    try {
      const rows = this.#database.prepare<{ id: number; name: string }>('SELECT id, name FROM series').all()
      for (const { id, name } of rows) this.#ids.set(name, id)
    } catch {
      // The disk does not even read; the next look tries again.
    }
  }

  close(): void {
    this.#database.close()
  }
}

/** The finest tier that reaches back to the beginning and does not give too many numbers. */
function tierFor({ from, until, now }: ChartQuery, series: number): number {
  const index = chartTiers.findIndex(
    ({ stepSeconds, steps }) =>
      now - from <= stepSeconds * steps && ((until - from) / stepSeconds) * Math.max(1, series) <= maxPoints,
  )
  return index === -1 ? chartTiers.length - 1 : index
}

interface Entry {
  readonly id: number
  readonly count: number
  readonly sum: number
  readonly min: number
  readonly max: number
}

interface Gathered {
  readonly time: number
  count: number
  sum: number
  min: number
  max: number
}

function gather(points: Gathered[], time: number, { count, sum, min, max }: Entry): void {
  const last = points.at(-1)
  if (last?.time !== time) {
    points.push({ time, count, sum, min, max })
    return
  }
  last.count += count
  last.sum += sum
  last.min = Math.min(last.min, min)
  last.max = Math.max(last.max, max)
}

/** Digits that are kept of a fraction: least and most are stored in 32 bits. */
const shorten = (value: number): number => (Number.isInteger(value) ? value : Number(value.toPrecision(7)))

function pointOf({ time, count, sum, ...ends }: Gathered): ChartPoint {
  const [min, max] = [shorten(ends.min), shorten(ends.max)]
  return { time, min, avg: Math.min(max, Math.max(min, shorten(sum / count))), max }
}

function* entriesOf(data: Uint8Array): Generator<Entry> {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  for (let at = 0; at + entryBytes <= data.byteLength; at += entryBytes)
    yield {
      id: view.getUint32(at),
      count: view.getUint32(at + 4),
      sum: view.getFloat64(at + 8),
      min: view.getFloat32(at + 16),
      max: view.getFloat32(at + 20),
    }
}

function merged(stored: Uint8Array | undefined, values: ReadonlyMap<number, number>): Uint8Array {
  const entries = new Map<number, Entry>()
  for (const entry of stored ? entriesOf(stored) : []) entries.set(entry.id, entry)
  for (const [id, value] of values) {
    const { count = 0, sum = 0, min = value, max = value } = entries.get(id) ?? {}
    entries.set(id, { id, count: count + 1, sum: sum + value, min: Math.min(min, value), max: Math.max(max, value) })
  }
  const data = new Uint8Array(entries.size * entryBytes)
  const view = new DataView(data.buffer)
  let at = 0
  for (const { id, count, sum, min, max } of entries.values()) {
    view.setUint32(at, id)
    view.setUint32(at + 4, count)
    view.setFloat64(at + 8, sum)
    view.setFloat32(at + 16, min)
    view.setFloat32(at + 20, max)
    at += entryBytes
  }
  return data
}

/** Damaged charts must not keep the gateway from starting. */
function open(path: string, reserve: Reserve | undefined): Database {
  const kind = { migrations, isForgetful: true }
  try {
    return new Database(path, undefined, kind, reserve)
  } catch {
    for (const ending of ['', '-wal', '-shm']) rmSync(`${path}${ending}`, { force: true })
  }
  try {
    return new Database(path, undefined, kind, reserve)
  } catch {
    return new Database(':memory:', undefined, kind)
  }
}
