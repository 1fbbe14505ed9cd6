// The rows in the order in which they are shown, and where each of them and each band is.

import { useMemo } from 'react'
import { type Layout, layoutOf } from './layout.ts'
import { sortRows } from './rows.ts'
import type { Band, GridProps, Sort } from './types.ts'

export interface GridRows<Row> {
  readonly sort: Sort | null
  readonly rows: readonly Row[]
  readonly keys: readonly string[]
  /** By key: the place of the row. */
  readonly indexes: ReadonlyMap<string, number>
  readonly bands: readonly Band[]
  readonly layout: Layout
}

const noBands: readonly [] = []

export function useGridRows<Row>(props: GridProps<Row>): GridRows<Row> {
  const { rowKey, columns, bands = noBands } = props
  const sort = props.sort ?? null
  const rows = useMemo(() => sortRows(props.rows, columns, sort), [props.rows, columns, sort])
  const keys = useMemo(() => rows.map(rowKey), [rows, rowKey])
  const indexes = useMemo(() => new Map(keys.map((key, index) => [key, index])), [keys])
  const layout = useMemo(
    () =>
      layoutOf(
        rows.length,
        bands.map((band) => band.beforeIndex),
      ),
    [rows.length, bands],
  )
  return { sort, rows, keys, indexes, bands, layout }
}
