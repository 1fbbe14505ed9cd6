// The one cell that is the tab stop of the grid, and the one that is edited. The focus goes with its row when that moves.

import type { Virtualizer } from '@tanstack/react-virtual'
import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { cellElement } from './cell-element.ts'
import type { GridPlace } from './keys.ts'
import type { GridRows } from './use-grid-rows.ts'

interface Focus extends GridPlace {
  readonly key: string | null
}

interface EditedCell {
  readonly key: string
  readonly column: number
}

export interface GridFocus {
  /** Where it is now; -1 is the head. */
  readonly row: number
  readonly column: number
  /** The entry of its row among rows and bands; -1 where there is none. */
  readonly entry: number
  readonly set: (focus: Focus) => void
  readonly editing: EditedCell | null
  readonly edit: (cell: EditedCell | null) => void
  /** Whether the cell takes the focus of the document once it is drawn. */
  readonly isWanted: RefObject<boolean>
}

export function useGridFocus<Row>(
  { rows, indexes, layout }: GridRows<Row>,
  activeKey: string | null | undefined,
): GridFocus {
  const [focus, set] = useState<Focus>({ key: null, row: 0, column: 0 })
  const [editing, edit] = useState<EditedCell | null>(null)
  const isWanted = useRef(false)
  const row = focus.row < 0 ? -1 : placeOf(focus, indexes, rows.length, activeKey)
  const entry = rows.length === 0 || row < 0 ? -1 : layout.entryOf(row)
  return { row, column: focus.column, entry, set, editing, edit, isWanted }
}

/** Where the focus is now: with its row when that moved, or else at the same place. */
function placeOf(
  focus: { readonly key: string | null; readonly row: number },
  indexes: ReadonlyMap<string, number>,
  count: number,
  activeKey: string | null | undefined,
): number {
  if (focus.key === null) return indexes.get(activeKey ?? '') ?? 0
  return indexes.get(focus.key) ?? Math.max(0, Math.min(count - 1, focus.row))
}

/** A row that moved with its keys stays in sight and keeps the focus. */
export function useFollowFocus(
  scroller: RefObject<HTMLDivElement | null>,
  { row, column, entry, editing, isWanted }: GridFocus,
  virtualizer: Virtualizer<HTMLDivElement, Element>,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a change of place matters
  useLayoutEffect(() => {
    const hasFocus = scroller.current?.contains(document.activeElement) ?? false
    if (!isWanted.current && !hasFocus) return
    // Before the first row there may be bands, which come into sight with it.
    if (row === 0) virtualizer.scrollToOffset(0)
    else if (entry >= 0) virtualizer.scrollToIndex(entry, { align: 'auto' })
    if (!isWanted.current) return
    isWanted.current = false
    cellElement(scroller.current, row, column)?.focus({ preventScroll: true })
    cellElement(scroller.current, row, column)?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [entry, row, column, editing])
}
