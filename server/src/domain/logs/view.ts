// A view of the log: which kinds it shows, and what its columns are made of. Views are data, so that every store can turn the
// conditions of a query into its own.

import type { Cell } from '../../core/contract/table-query.ts'
import { type LogKindName, noNumber } from './kinds.ts'
import type { KeptRecord } from './record.ts'

export type ViewColumn =
  /** `YYYYMMDDhhmmss` in the time zone of the question. */
  | { readonly from: 'stamp' }
  /** 0 to 999999. */
  | { readonly from: 'microseconds' }
  /** `2026-01-02T03:04:05.678Z` */
  | { readonly from: 'iso' }
  /** `<kind>.<place>` */
  | { readonly from: 'id' }
  /** The place, as a text. */
  | { readonly from: 'place' }
  | { readonly from: 'constant'; readonly cell: Cell }
  | {
      readonly from: 'column'
      /** Of the kind or of every record; `{brand}` in it is replaced by the name of the product. */
      readonly column: string
      /** Shown instead of these stored cells (numbers as texts); null is shown as null and compared as an empty text. */
      readonly words?: Readonly<Record<string, Cell | null>>
      /** Shown instead of all other cells. */
      readonly otherwise?: Cell
      /** The other cells are Unix seconds, shown as `YYYYMMDDhhmmss` in the time zone of the question. */
      readonly as?: 'stamp'
    }
  /** Seconds between two columns of Unix seconds; without an end until the time of the question. */
  | { readonly from: 'span'; readonly since: string; readonly until: string }

/** As it is stored. */
export const column = (name: string): ViewColumn => ({ from: 'column', column: name })
/** A number that is 0 where there is none. */
export const numberColumn = (name: string): ViewColumn => ({ from: 'column', column: name, words: { [noNumber]: 0 } })

export interface View {
  readonly kinds: readonly LogKindName[]
  readonly columns: Readonly<Record<string, ViewColumn>>
  /** Only records whose cell of a stored column is one of these. */
  readonly only?: { readonly column: string; readonly cells: readonly Cell[] }
}

/** What a view depends on beside its records. */
export interface ViewScope {
  readonly timeZone: string
  readonly brand: string
  /** Unix seconds of the question, for what is not over. */
  readonly now?: number
}

/** Stored columns that a column of a view is made of. */
export function storedNames(shown: ViewColumn): readonly string[] {
  if (shown.from === 'column') return [shown.column]
  return shown.from === 'span' ? [shown.since, shown.until] : []
}

/** Seconds of a span, from its stored cells. */
export const spanOf = (since: number, until: number, { now = since }: ViewScope): number =>
  (until === noNumber ? now : until) - since

export type Shown = Readonly<Record<string, Cell | null>>

/** What makes the cells of one column, for stores that have whole records in their hands. */
export type ShowRecord = (record: KeptRecord) => Shown
