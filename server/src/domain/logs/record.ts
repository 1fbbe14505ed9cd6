// One record of the log, as sources write it and as the store keeps it.

import type { Cell } from '../../core/contract/table-query.ts'
import type { LogKindName } from './kinds.ts'

export interface NewRecord {
  readonly kind: LogKindName
  /** Unix microseconds. */
  readonly time: number
  /** 0 emergency ... 7 debug. */
  readonly priority: number
  /** `{brand}` stands for the name of the product. */
  readonly unit: string
  readonly syslogId: string
  /** One line without control characters. */
  readonly message: string
  /** The other columns of its kind; one that is absent is empty or `noNumber`. */
  readonly fields: Readonly<Record<string, Cell>>
}

export interface KeptRecord extends NewRecord {
  /** Rising in the order in which records came, over all kinds, without ever being used twice. */
  readonly place: number
}

/** Characters of a message; a query looks through every one. */
export const maxMessage = 4_000

/** Unix microseconds of the year 2200; much later ones are not exact numbers any more. */
const latestTime = 7_258_118_400_000_000

/** A record as it can be kept: one of an impossible time is of the time when it came. `now` in Unix milliseconds. */
export const storable = (record: NewRecord, now: () => number): NewRecord =>
  record.time >= 0 && record.time < latestTime ? record : { ...record, time: now() * 1000 }
