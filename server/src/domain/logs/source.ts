// A file whose lines become records, and where they go. Which files there are is up to who knows the machine; following them is
// the same for all.

import type { NewRecord } from './record.ts'
import type { Mark } from './store.ts'

/** Where records go. */
export interface Sink {
  append(records: readonly NewRecord[], mark?: Mark): void
  /** How far each source was read, as of the last start. */
  marks(): ReadonlyMap<string, string>
  /** False while records cannot be kept: who can wait should. */
  hasRoom?(): boolean
}

export interface FollowedFile {
  readonly path: string
  /** The name of its mark. */
  readonly source: string
  /** Whole lines, each with its end; `modified`: when the file was last written, in Unix milliseconds. */
  readonly records: (lines: Buffer, modified: number) => readonly NewRecord[]
  /** Says that so many lines were not read, because there were more than may wait. */
  readonly lost: (lines: number) => NewRecord
  readonly maxBacklogBytes?: number
}

/** The priority of a level, as services name it. */
const priorities: Readonly<Record<string, number>> = {
  fatal: 2,
  error: 3,
  warning: 4,
  notice: 5,
  info: 6,
  debug: 7,
}

export const [warningPriority, infoPriority] = [4, 6] as const

export const priorityOf = (level: string): number =>
  Object.hasOwn(priorities, level) ? (priorities[level] ?? infoPriority) : infoPriority
