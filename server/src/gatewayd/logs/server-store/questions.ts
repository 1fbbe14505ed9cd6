// Answers questions from the log server. Records of the default order are read in stretches of time, whose counts are known
// before, so that neither side ever holds a whole result; other orders have their places found first.

import { maxRows } from '../../../core/contract/table-query.ts'
import { createSlices } from '../../../core/workers/slices.ts'
import { columnsOf, type LogKindName } from '../../../domain/logs/kinds.ts'
import { showerOf, shownCell } from '../../../domain/logs/show.ts'
import type {
  Asker,
  Bucket,
  BucketQuestion,
  FoundRows,
  Question,
  SumQuestion,
  Sums,
  TextPiece,
} from '../../../domain/logs/store.ts'
import type { Shown, View } from '../../../domain/logs/view.ts'
import { storedForm } from './cells.ts'
import * as sql from './clickhouse.ts'
import type { LogServerConnection } from './connection.ts'
import { Selection } from './selection.ts'
import { readSums, sumsQuery } from './sums.ts'

const hour = 3_600_000_000
/** Rows of one request to the server, unless a single hour has more. */
const rowsAtOnce = 20_000
/** Rows that are found by their places at once. */
const placesAtOnce = 500
/** Rows turned into text in one go. */
const shownAtOnce = 200

export interface QuestionsOptions {
  readonly server: LogServerConnection
  readonly views: Readonly<Record<string, View>>
  readonly database: string
  readonly gateway: string
  readonly csv: CsvWriter
}

/** Lines of CSV without a header. */
export type CsvWriter = (columns: readonly string[], rows: readonly Shown[]) => string

/** Records from one hour to another, newest first: how many there are, and which of them are wanted. */
interface Stretch {
  readonly from: number
  readonly until: number
  readonly skip: number
  readonly take: number
}

export class LogServerQuestions {
  readonly #options: QuestionsOptions

  constructor(options: QuestionsOptions) {
    this.#options = options
  }

  async find(question: Question, { signal }: Asker): Promise<FoundRows> {
    const { view, selection } = this.#select(question)
    if (selection.kinds.length === 0) return { total: 0, texts: noTexts }
    const { total, newest, hours } = await this.#count(selection, signal)
    const show = showerOf(view, question.scope)
    const read = selection.reader()
    const rows =
      question.order.length === 0
        ? (): AsyncIterable<sql.ReadRow[]> => this.#newestFirst(selection, stretchesOf(hours, question), newest, signal)
        : (): AsyncIterable<sql.ReadRow[]> => this.#ordered(selection, question, newest, signal)
    return {
      total,
      texts: (columns) =>
        textsOf(
          rows(),
          (shown) => (columns ? this.#options.csv(columns, shown) : jsonOf(shown)),
          (row) => show(read(row)),
        ),
    }
  }

  async buckets(question: BucketQuestion, { signal }: Asker): Promise<readonly Bucket[]> {
    const { view, selection } = this.#select(question)
    const { from, until, width, by, scope } = question
    const column = by === null ? null : (view.columns[by] ?? null)
    const time = sql.name('time')
    const seconds = sql.call('intDiv', time, sql.number(1_000_000))
    const bucket = sql.call('intDiv', sql.call('minus', seconds, sql.number(from)), sql.number(width))
    // A cell of a stored column is shown here: there are few different ones.
    const isStored = column?.from === 'column'
    const cellOf = (kind: LogKindName): sql.Sql => {
      if (by === null) return sql.text('')
      if (!isStored) return sql.call('toString', selection.cells(kind, by).shown)
      return storedForm(kind, column.column) === null ? sql.text('') : sql.call('toString', sql.name(column.column))
    }
    if (selection.kinds.length === 0) return []
    const what = (kind: LogKindName) => ({
      log_bucket: sql.call('toInt64', bucket),
      log_kind: selection.kindNumber(kind),
      log_value: cellOf(kind),
      log_records: sql.call('toInt64', sql.call('count')),
    })
    const within = [
      sql.compare(time, '>=', sql.number(from * 1_000_000)),
      sql.compare(time, '<', sql.number(until * 1_000_000)),
    ]
    const table = selection.union(what, within, ['log_bucket', 'log_kind', 'log_value'])
    const query = sql.select({
      what: Object.fromEntries(
        ['log_bucket', 'log_kind', 'log_value', 'log_records'].map((name) => [name, sql.name(name)]),
      ),
      from: table,
      order: [['log_bucket', 'asc']],
    })
    const buckets = new Map<number, Record<string, number>>()
    const rows = await this.#options.server.all(query, ['number', 'number', 'text', 'number'], signal)
    for (const [at, kindNumber, value, records] of rows) {
      const kind = selection.kinds[Number(kindNumber)]
      const start = from + Number(at) * width
      const stored = isStored && kind ? typed(kind, column.column, String(value)) : String(value)
      const shown = isStored ? String(shownCell(column, stored, scope) ?? '') : stored
      const counts = buckets.get(start) ?? {}
      counts[shown] = (counts[shown] ?? 0) + Number(records)
      buckets.set(start, counts)
    }
    return [...buckets].map(([start, counts]) => ({ from: start, counts }))
  }

  async sums(question: SumQuestion, { signal }: Asker): Promise<Sums> {
    const { selection } = this.#select(question)
    if (selection.kinds.length === 0) return { rows: [], isComplete: true }
    const { query, forms } = sumsQuery(selection, question)
    return readSums(question, await this.#options.server.all(query, forms, signal))
  }

  #select(question: Pick<Question, 'view' | 'scope' | 'hidden' | 'where'>) {
    const { views, database, gateway } = this.#options
    const view = views[question.view]
    if (!view) throw new Error(`There is no view ${question.view}.`)
    return { view, selection: new Selection({ view, database, gateway }, question) }
  }

  /** Records by the hour; later ones are left out of the answer, so that its pages fit together. */
  async #count(selection: Selection, signal: AbortSignal) {
    const what = () => ({
      log_hour: sql.call('toInt64', sql.call('intDiv', sql.name('time'), sql.number(hour))),
      log_records: sql.call('toInt64', sql.call('count')),
      log_newest: sql.call('max', sql.name('place')),
    })
    const query = sql.select({
      what: Object.fromEntries(['log_hour', 'log_records', 'log_newest'].map((name) => [name, sql.name(name)])),
      from: selection.union(what, [], ['log_hour']),
    })
    const hours = new Map<number, number>()
    let [total, newest] = [0, 0]
    for (const [at, records, last] of await this.#options.server.all(query, ['number', 'number', 'number'], signal)) {
      hours.set(Number(at), (hours.get(Number(at)) ?? 0) + Number(records))
      total += Number(records)
      newest = Math.max(newest, Number(last))
    }
    return { total, newest, hours }
  }

  async *#newestFirst(
    selection: Selection,
    stretches: Iterable<Stretch>,
    newest: number,
    signal: AbortSignal,
  ): AsyncGenerator<sql.ReadRow[], void> {
    const names = Object.keys(selection.whole(selection.kinds[0] ?? 'system'))
    for (const { from, until, skip, take } of stretches) {
      const within = [
        sql.compare(sql.name('time'), '>=', sql.number(from * hour)),
        sql.compare(sql.name('time'), '<', sql.number(until * hour)),
        sql.compare(sql.name('place'), '<=', sql.number(newest)),
      ]
      const query = sql.select({
        what: Object.fromEntries(names.map((name) => [name, sql.name(name)])),
        from: selection.union(selection.whole, within),
        order: [
          ['time', 'desc'],
          ['place', 'desc'],
        ],
        offset: skip,
        limit: take,
      })
      yield* this.#options.server.rows(query, selection.wholeForms, signal)
    }
  }

  async *#ordered(
    selection: Selection,
    { order, offset, limit }: Question,
    newest: number,
    signal: AbortSignal,
  ): AsyncGenerator<sql.ReadRow[], void> {
    const { server } = this.#options
    const sorts = order.map(({ field, direction }, at) => ({
      name: `sort_${at}`,
      direction,
      of: selection.sortable(field),
    }))
    const known = sql.compare(sql.name('place'), '<=', sql.number(newest))
    const keys = selection.union(
      (kind) => ({
        place: sql.name('place'),
        time: sql.name('time'),
        ...Object.fromEntries(sorts.map(({ name, of }) => [name, of(kind)])),
      }),
      [known],
    )
    const found = await server.all(
      sql.select({
        what: { place: sql.name('place'), time: sql.name('time') },
        from: keys,
        order: [...sorts.map(({ name, direction }) => [name, direction] as const), ['time', 'desc'], ['place', 'desc']],
        offset,
        limit: Math.min(limit, maxRows),
      }),
      ['number', 'number'],
      signal,
    )
    for (let at = 0; at < found.length; at += placesAtOnce) {
      const some = found.slice(at, at + placesAtOnce)
      const whole = selection.union(selection.whole, [
        sql.isOneOf(
          sql.name('time'),
          some.map(([, time]) => sql.number(Number(time))),
        ),
        sql.isOneOf(
          sql.name('place'),
          some.map(([place]) => sql.number(Number(place))),
        ),
      ])
      const names = Object.keys(selection.whole(selection.kinds[0] ?? 'system'))
      const query = sql.select({ what: Object.fromEntries(names.map((name) => [name, sql.name(name)])), from: whole })
      const rows = new Map((await server.all(query, selection.wholeForms, signal)).map((row) => [row[1], row]))
      yield some.flatMap(([place]) => [rows.get(place ?? 0) ?? []]).filter((row) => row.length > 0)
    }
  }
}

/** Stretches of whole hours, newest first, without those that the offset skips. */
function* stretchesOf(
  hours: ReadonlyMap<number, number>,
  { offset, limit }: Pick<Question, 'offset' | 'limit'>,
): Generator<Stretch, void> {
  const sorted = [...hours].sort(([a], [b]) => b - a)
  let [skip, left] = [offset, limit]
  let open: { readonly until: number; from: number; readonly skip: number; rows: number } | null = null
  const end = (): Stretch | null => {
    if (!open) return null
    const { from, until, skip: skipped, rows } = open
    const take = Math.min(rows - skipped, left)
    left -= take
    open = null
    return { from, until, skip: skipped, take }
  }
  for (const [at, rows] of sorted) {
    if (left <= 0) return
    if (!open && skip >= rows) {
      skip -= rows
      continue
    }
    if (open && (open.rows + rows > rowsAtOnce || open.rows - open.skip >= left)) {
      const stretch = end()
      if (stretch) yield stretch
      if (left <= 0) return
    }
    if (open) {
      open.from = at
      open.rows += rows
    } else {
      open = { until: at + 1, from: at, skip, rows }
      skip = 0
    }
  }
  const last = end()
  if (last) yield last
}

async function* noTexts(): AsyncGenerator<TextPiece, void> {}

const jsonOf = (shown: readonly Shown[]): string => shown.map((row) => JSON.stringify(row)).join(',')

async function* textsOf(
  pieces: AsyncIterable<sql.ReadRow[]>,
  write: (shown: readonly Shown[]) => string,
  show: (row: sql.ReadRow) => Shown,
): AsyncGenerator<TextPiece, void> {
  const slices = createSlices()
  for await (const rows of pieces) {
    for (let at = 0; at < rows.length; at += shownAtOnce) {
      await slices()
      const shown = rows.slice(at, at + shownAtOnce).map(show)
      yield { bytes: Buffer.from(write(shown)), rows: shown.length }
    }
  }
}

const typed = (kind: LogKindName, column: string, text: string): string | number =>
  columnsOf(kind).find(({ name }) => name === column)?.form === 'number' ? Number(text) : text
