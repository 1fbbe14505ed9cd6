// What the grid knows while it is drawn. Handlers that must not change with it, so that no row is drawn again, read the latest.

import { type RefObject, useCallback, useLayoutEffect, useRef } from 'react'
import type { SelectionState } from './selection.ts'
import type { GridProps } from './types.ts'
import type { GridFocus } from './use-grid-focus.ts'
import type { GridRows } from './use-grid-rows.ts'

export interface GridState<Row> {
  readonly props: GridProps<Row>
  readonly list: GridRows<Row>
  readonly focus: GridFocus
  readonly selection: SelectionState
  readonly scroller: RefObject<HTMLDivElement | null>
}

export type LatestState<Row> = RefObject<GridState<Row>>

export function useLatestState<Row>(state: GridState<Row>): LatestState<Row> {
  const latest = useRef(state)
  useLayoutEffect(() => {
    latest.current = state
  })
  return latest
}

/** The page keeps which rows are selected, the grid where a range began. */
export function useSelect<Row>(
  latest: LatestState<Row>,
  setAnchor: (anchor: string | null) => void,
): (next: SelectionState) => void {
  return useCallback(
    (next) => {
      setAnchor(next.anchor)
      latest.current.props.onSelection?.(next.keys)
    },
    [latest, setAnchor],
  )
}
