// A log store that keeps everything in memory and answers by looking at every record: what the real ones are compared with.

import { csvRows } from '../../src/core/area/csv.ts'
import { type Condition, comparison, queryOf, type Row } from '../../src/core/contract/table-query.ts'
import type { KeptRecord, NewRecord } from '../../src/domain/logs/record.ts'
import { showerOf, storedCell } from '../../src/domain/logs/show.ts'
import type {
  Bucket,
  BucketQuestion,
  FoundRows,
  LogStore,
  Mark,
  Question,
  StoreState,
  SumQuestion,
  Sums,
} from '../../src/domain/logs/store.ts'
import type { Shown, View } from '../../src/domain/logs/view.ts'

interface ShownRecord {
  readonly record: KeptRecord
  readonly row: Shown
}

export class NaiveLogStore implements LogStore {
  readonly #views: Readonly<Record<string, View>>
  readonly #records: KeptRecord[] = []
  readonly #marks = new Map<string, string>()
  readonly #listeners = new Set<(place: number) => void>()

  constructor(views: Readonly<Record<string, View>>) {
    this.#views = views
  }

  append(records: readonly NewRecord[], mark?: Mark): void {
    for (const record of records) this.#records.push({ ...record, place: this.#records.length + 1 })
    if (mark) this.#marks.set(mark.source, mark.position)
    for (const listener of this.#listeners) listener(this.#records.length)
  }

  flush = (): Promise<void> => Promise.resolve()
  marks = (): Promise<ReadonlyMap<string, string>> => Promise.resolve(new Map(this.#marks))

  find({ order, offset, limit, ...question }: Question): Promise<FoundRows> {
    const found = this.#matching(question).sort(newestFirst)
    const compare = comparison(order)
    if (order.length > 0) found.sort((a, b) => compare(a.row as Row, b.row as Row))
    const rows = found.slice(offset, offset + limit).map(({ row }) => row)
    const texts = async function* (columns: readonly string[] | null) {
      const text = columns ? csvRows(columns, rows) : rows.map((row) => JSON.stringify(row)).join(',')
      if (rows.length > 0) yield { bytes: new TextEncoder().encode(text), rows: rows.length }
    }
    return Promise.resolve({ total: found.length, texts })
  }

  buckets({ from, until, width, by, ...question }: BucketQuestion): Promise<readonly Bucket[]> {
    const counts = new Map<number, Record<string, number>>()
    for (const { record, row } of this.#matching(question)) {
      const seconds = Math.floor(record.time / 1_000_000)
      if (seconds < from || seconds >= until) continue
      const start = from + Math.floor((seconds - from) / width) * width
      const value = by === null ? '' : String(row[by] ?? '')
      const bucket = counts.get(start) ?? {}
      bucket[value] = (bucket[value] ?? 0) + 1
      counts.set(start, bucket)
    }
    return Promise.resolve([...counts].sort(([a], [b]) => a - b).map(([start, one]) => ({ from: start, counts: one })))
  }

  sums({ bounds, by, ends, sums, order, limit, ...question }: SumQuestion): Promise<Sums> {
    const found = this.#matching(question)
    const rows = bounds.slice(1).flatMap((until, at) => {
      const from = bounds[at] as number
      const own = found.filter(({ record: { time } }) => time >= from * 1e6 && time < until * 1e6)
      const valuesOf = (row: Shown): string[] => {
        const value = by === null ? '' : String(row[by] ?? '')
        return ends === null || value === '' ? [value] : [...new Set(value.split(ends).slice(0, -1))]
      }
      const values = [...new Set(own.flatMap(({ row }) => valuesOf(row)))]
      const summed = values.map((value) => {
        const those = own.filter(({ row }) => valuesOf(row).includes(value))
        const sumOf = (name: string): number => those.reduce((sum, { row }) => sum + (Number(row[name] ?? 0) || 0), 0)
        return { at, value, records: those.length, sums: sums.map(sumOf) }
      })
      const key = (row: (typeof summed)[number]): number =>
        order === 'records' ? row.records : (row.sums[sums.indexOf(order)] ?? 0)
      return summed.sort((a, b) => key(b) - key(a) || (a.value < b.value ? -1 : 1)).slice(0, limit)
    })
    return Promise.resolve({ rows, isComplete: true })
  }

  after(place: number, limit: number) {
    const records = this.#records.slice(place, place + limit)
    return Promise.resolve({ records, place: records.at(-1)?.place ?? place, lost: 0 })
  }

  tail(
    question: { view: string; scope: Question['scope']; hidden: Question['hidden']; where: Condition },
    place: number,
    limit: number,
  ) {
    const found = this.#matching(question).filter(({ record }) => record.place > place)
    const rows = found.slice(0, limit)
    const last = found.length > limit ? rows.at(-1)?.record.place : this.#records.length
    return Promise.resolve({ rows: rows.map(({ row }) => JSON.stringify(row)), place: last ?? place, lost: 0 })
  }

  onNews(listener: (place: number) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  setLimits(): void {}

  state = (): Promise<StoreState> =>
    Promise.resolve({ kinds: [], bytes: 0, maxBytes: 0, fault: null, lost: 0, place: this.#records.length })

  close = (): Promise<void> => Promise.resolve()

  #matching({
    view: name,
    scope,
    hidden,
    where,
  }: Pick<Question, 'view' | 'scope' | 'hidden' | 'where'>): ShownRecord[] {
    const view = this.#views[name]
    if (!view) throw new Error(`There is no view ${name}.`)
    const { only, kinds } = view
    const show = showerOf(view, scope)
    const { matches } = queryOf(where, [])
    return this.#records
      .filter((record) => kinds.includes(record.kind) && !hidden.includes(record.kind))
      .filter((record) => !only || only.cells.includes(storedCell(record, only.column)))
      .map((record) => ({ record, row: show(record) }))
      .filter(({ row }) => matches(row as Row))
  }
}

const newestFirst = (a: ShownRecord, b: ShownRecord): number =>
  b.record.time - a.record.time || b.record.place - a.record.place
