// The messages between the log store of the event loop and the thread that writes, and what others may start in that thread.

import type { NewRecord } from '../../../domain/logs/record.ts'
import type { LogLimits, Mark, StoreState } from '../../../domain/logs/store.ts'
import type { AgingState } from '../../../shared/time/aging.ts'
import type { SentRecords } from './sent-records.ts'
import type { StoreSizes } from './writer.ts'

/** What the thread gets as workerData. */
export interface WriterData {
  readonly path: string
  readonly limits: LogLimits
  /** The file that keeps room on the disk for the configuration (core/database/disk-reserve.ts). */
  readonly reservePath: string | null
  /** What is known of the time by which records become too old. */
  readonly aging: AgingState | null
  readonly sizes?: Partial<StoreSizes>
  /** For each follower what it starts with. */
  readonly followers: Readonly<Record<string, unknown>>
}

export type ToWriter =
  | { readonly is: 'append'; readonly sent: SentRecords; readonly marks: readonly Mark[] }
  | { readonly is: 'ask'; readonly id: number; readonly what: 'flush' | 'marks' | 'state' | 'close' }
  | { readonly is: 'limits'; readonly limits: LogLimits }
  | { readonly is: 'lost'; readonly records: number }
  /** A query found something that cannot be right. */
  | { readonly is: 'verify' }
  | { readonly is: 'tell'; readonly follower: string; readonly message: unknown }

export type FromWriter =
  /** So many of the records that were sent have been taken. */
  | { readonly is: 'taken'; readonly records: number }
  | { readonly is: 'news'; readonly place: number }
  | { readonly is: 'answer'; readonly id: number; readonly answer: WriterAnswer }
  | { readonly is: 'told'; readonly follower: string; readonly message: unknown }

export type WriterAnswer = StoreState | ReadonlyMap<string, string> | null

/** Where followers put what they read. */
export interface Sink {
  append(records: readonly NewRecord[], mark?: Mark): void
  /** How far each source was read, with what is not on the disk yet. */
  marks(): ReadonlyMap<string, string>
  /** False while the disk takes nothing: who can wait should, because records that are appended may be lost. */
  hasRoom(): boolean
}

/** What reads a source in the thread that writes. */
export interface Follower {
  /** A message of the event loop. */
  take?(message: unknown): void
  /** Resolves when it has put in what was there before. */
  refresh?(): Promise<void>
  stop(): void | Promise<void>
}

/** `start`: what the event loop gave for it. `post` sends a message to the event loop. */
export type StartFollower = (sink: Sink, post: (message: unknown) => void, start: unknown) => Follower
