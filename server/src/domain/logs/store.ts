// The log store: takes records, keeps them within its limits and answers questions about them. The store of one gateway is
// local; that of many is a server database.

import type { Condition, SortItem } from '../../core/contract/table-query.ts'
import type { SaidText } from '../../shared/said.ts'
import type { LogKindName } from './kinds.ts'
import type { KeptRecord, NewRecord } from './record.ts'
import type { ViewScope } from './view.ts'

export interface Question {
  /** A name of the list of views. */
  readonly view: string
  readonly scope: ViewScope
  /** Kinds of the view that are left out: not every role may read all. */
  readonly hidden: readonly LogKindName[]
  /** Over the columns of the view. */
  readonly where: Condition
  /** Empty: newest first, by time and then by place. */
  readonly order: readonly SortItem[]
  readonly offset: number
  readonly limit: number
}

/** Who asks, and until when the answer is of use. */
export interface Asker {
  readonly owner: string
  readonly signal: AbortSignal
}

export interface TextPiece {
  readonly bytes: Uint8Array
  readonly rows: number
}

export interface FoundRows {
  /** Rows there are without limit and offset. */
  readonly total: number
  /** JSON objects between commas, or lines of CSV without their header, in pieces; never all at once. */
  texts(columns: readonly string[] | null): AsyncIterable<TextPiece>
}

export interface Bucket {
  /** Unix seconds at which it begins. */
  readonly from: number
  /** By the value of the column that was asked for; '' without one. */
  readonly counts: Readonly<Record<string, number>>
}

export interface BucketQuestion extends Omit<Question, 'order' | 'offset' | 'limit'> {
  /** Unix seconds, the second one not included. */
  readonly from: number
  readonly until: number
  /** Seconds of each bucket. */
  readonly width: number
  /** A column of the view with few different values, such as `priority` or `action`. */
  readonly by: string | null
}

/** Sums of columns over the records of each stretch of time, by the values of a column. */
export interface SumQuestion extends Omit<Question, 'order' | 'offset' | 'limit'> {
  /** Unix seconds, rising: each one begins a stretch, which the next one ends. At least two. */
  readonly bounds: readonly number[]
  /** A column of the view; null: all records of a stretch together. */
  readonly by: string | null
  /** Cells of that column are lists, with this character behind each entry: a record is summed for every one of them. */
  readonly ends: string | null
  /** Columns of the view that hold numbers. */
  readonly sums: readonly string[]
  /** The largest come first, of this: a column of `sums`, or `records`. */
  readonly order: string
  /** Values of each stretch at most. */
  readonly limit: number
}

export interface SumRow {
  /** Which stretch, from 0 on. */
  readonly at: number
  readonly value: string
  readonly records: number
  /** In the order that was asked for. */
  readonly sums: readonly number[]
}

export interface Sums {
  /** By stretch, then the largest first; equal ones by their value. */
  readonly rows: readonly SumRow[]
  /** False: there were so many different values that those with little were left out on the way. */
  readonly isComplete: boolean
}

/** How far the records of a source were read: stored together with them, so that none is lost or comes twice. */
export interface Mark {
  readonly source: string
  readonly position: string
}

export interface Followed {
  /** In the order of their places. */
  readonly records: readonly KeptRecord[]
  /** All up to here was looked at. */
  readonly place: number
  /** How many after the place that was asked for are no longer kept. */
  readonly lost: number
}

export interface KindState {
  readonly kind: LogKindName
  readonly records: number
  readonly bytes: number
  /** Unix seconds; null without records. */
  readonly oldest: number | null
}

export interface StoreState {
  readonly kinds: readonly KindState[]
  readonly bytes: number
  readonly maxBytes: number
  /** Why nothing is kept at the moment, in the administrator's words; null while records are kept. */
  readonly fault: SaidText | null
  /** What an administrator should know of the past, such as a damaged file that was set aside. */
  readonly notice?: SaidText
  /** Records that were not kept since the start. */
  readonly lost: number
  /** The place of the newest record that is on the disk. */
  readonly place: number
}

/** Records on their way to the thread that writes. */
export interface LogQueue {
  readonly waiting: number
  /** More than these are not taken. */
  readonly limit: number
  /** Those that were not taken since the start. */
  readonly lost: number
}

/** How a log server takes the records of this gateway. */
export interface LogServerReport {
  /** Its host and port; empty when it is not known. */
  readonly name: string
  /** Why records do not reach it at the moment; null when they do. */
  readonly fault: SaidText | null
  /** Records that it does not have yet. */
  readonly waiting: number
  /** Records that were removed from the gateway before they could be sent. */
  readonly lost: number
}

export interface LogLimits {
  /** By kind; those that are absent are as declared. */
  readonly days: Readonly<Partial<Record<LogKindName, number>>>
  readonly maxBytes: number
}

export interface LogStore {
  /** Takes records at once and keeps them within a second. Never throws and never waits: what there is no room for is counted. */
  append(records: readonly NewRecord[], mark?: Mark): void
  /** Resolves when everything taken before can be found and is on the disk, or is known not to be kept. */
  flush(): Promise<void>
  marks(): Promise<ReadonlyMap<string, string>>
  find(question: Question, asker: Asker): Promise<FoundRows>
  buckets(question: BucketQuestion, asker: Asker): Promise<readonly Bucket[]>
  sums(question: SumQuestion, asker: Asker): Promise<Sums>
  /** Records after a place, all kinds; for those who follow the log: the forwarder, copies on a server. */
  after(place: number, limit: number): Promise<Followed>
  /** The same as a view shows them, for a live tail; rows that do not match are looked at and left out. */
  tail(
    question: Pick<Question, 'view' | 'scope' | 'hidden' | 'where'>,
    place: number,
    limit: number,
    /** Who listens; absent: the gateway itself. */
    asker?: Asker,
  ): Promise<{ readonly rows: readonly string[]; readonly place: number; readonly lost: number }>
  /** Called when new records can be found, at most a few times a second. Returns what ends it. */
  onNews(listener: (place: number) => void): () => void
  setLimits(limits: LogLimits): void
  /** Absent where records do not wait. */
  readonly queue?: LogQueue | undefined
  state(): Promise<StoreState>
  close(): Promise<void>
}

export interface ForwardingState {
  /** False for UDP until the first datagram could be sent. */
  readonly isConnected: boolean
  /** Everything up to here is with the collector. */
  readonly place: number
  readonly lost: number
  /** Since the start of the thread: records that were delivered, and how many of them were sent again after a break. */
  readonly delivered: number
  readonly repeated: number
  /** Unix microseconds of the oldest record that waits, when it is known; null when none waits. */
  readonly oldest: number | null
  /** What is wrong now, as a sentence. */
  readonly fault: SaidText | null
}

export interface ForwardingReport extends ForwardingState {
  /** Records that the collector does not have yet. */
  readonly waiting: number
}
