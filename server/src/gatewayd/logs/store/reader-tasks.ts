// What a worker thread can be asked about the log store.

import { Handed, type Tasks } from '../../../core/workers/tasks.ts'
import type {
  Bucket,
  BucketQuestion,
  Followed,
  Question,
  SumQuestion,
  Sums,
  TextPiece,
} from '../../../domain/logs/store.ts'
import type { Shown } from '../../../domain/logs/view.ts'
import type { Position } from './newest.ts'
import type { FoundPage, RowList, StoreReader } from './reader.ts'
import type { PlaceRange } from './shared-search.ts'

type Asked = Pick<Question, 'view' | 'scope' | 'hidden' | 'where'>
/** Columns of the CSV form; null: JSON. */
type Columns = readonly string[] | null

/** What a worker gets as workerData. */
export interface StoreWorkerData {
  /** The file, logs.db. */
  readonly logs: string
}

export interface StoreTasks extends Tasks {
  readonly findLogs: (input: { readonly question: Question; readonly within?: PlaceRange }) => FoundPage
  readonly shareLogs: (asked: Asked) => readonly PlaceRange[]
  readonly countLogs: (asked: Asked) => { readonly total: number; readonly upTo: number }
  readonly showLogs: (input: {
    readonly question: Pick<Question, 'view' | 'scope'>
    readonly rows: RowList
    readonly columns: Columns
  }) => Handed<TextPiece>
  readonly nextLogs: (input: {
    readonly asked: Asked
    readonly after: Position | null
    readonly upTo: number
    readonly offset: number
    readonly limit: number
    readonly columns: Columns
  }) => Handed<{ readonly piece: TextPiece; readonly next: Position | null }>
  readonly logBuckets: (question: BucketQuestion) => readonly Bucket[]
  readonly logSums: (question: SumQuestion) => Sums
  readonly logsAfter: (input: { readonly place: number; readonly limit: number }) => Followed
  readonly tailLogs: (input: { readonly asked: Asked; readonly place: number; readonly limit: number }) => {
    readonly rows: readonly string[]
    readonly place: number
    readonly lost: number
  }
}

/** Makes lines of CSV. */
export type CsvRows = (columns: readonly string[], rows: readonly Shown[]) => string

export function storeTasks(reader: StoreReader, csvRows: CsvRows): StoreTasks {
  const pieceOf = (
    rows: readonly Shown[],
    columns: Columns,
  ): TextPiece & { readonly bytes: Uint8Array<ArrayBuffer> } => {
    const text = columns ? csvRows(columns, rows) : rows.map((row) => JSON.stringify(row)).join(',')
    return { bytes: new TextEncoder().encode(text), rows: rows.length }
  }
  return {
    findLogs: ({ question, within }) => reader.find(question, within),
    shareLogs: (asked) => reader.share(asked),
    countLogs: (asked) => reader.count(asked),
    showLogs: ({ question, rows, columns }) => {
      const piece = pieceOf(reader.show(question, rows), columns)
      return new Handed(piece, [piece.bytes.buffer])
    },
    nextLogs: ({ asked, after, upTo, offset, limit, columns }) => {
      const { rows, next } = reader.next(asked, after, upTo, offset, limit)
      const piece = pieceOf(rows, columns)
      return new Handed({ piece, next }, [piece.bytes.buffer])
    },
    logBuckets: (question) => reader.buckets(question),
    logSums: (question) => reader.sums(question),
    logsAfter: ({ place, limit }) => reader.after(place, limit),
    tailLogs: ({ asked, place, limit }) => reader.tail(asked, place, limit),
  }
}
