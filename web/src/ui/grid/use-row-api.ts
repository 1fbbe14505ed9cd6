// What the rows report: focus, clicks, checks, the end of an edit, and what a drag carries. It stays the same while the grid is shown.

import { useMemo } from 'react'
import { cellElement, isInteractive } from './cell-element.ts'
import type { LatestState } from './grid-state.ts'
import type { RowApi } from './row.tsx'
import { draggedKeys, extend, type SelectionState, toggle } from './selection.ts'

export function useRowApi<Row>(latest: LatestState<Row>, select: (next: SelectionState) => void): RowApi {
  return useMemo<RowApi>(() => {
    const moveTo = (row: number, column: number) => {
      const { list, focus } = latest.current
      focus.set({ key: list.keys[row] ?? null, row, column })
    }
    const selectBy = (row: number, event: { readonly shiftKey: boolean }) => {
      const { list, focus, selection } = latest.current
      const key = list.keys[row]
      if (key === undefined) return
      select(
        event.shiftKey ? extend(selection, list.keys, list.keys[focus.row] ?? key, key, true) : toggle(selection, key),
      )
    }
    return {
      onCellFocus: moveTo,
      onCellClick(row, column, event) {
        const { props, list } = latest.current
        moveTo(row, column)
        if (isInteractive(event.target, event.currentTarget)) return
        if (props.onSelection !== undefined && (event.ctrlKey || event.metaKey || event.shiftKey)) {
          event.preventDefault()
          selectBy(row, event)
          return
        }
        const value = list.rows[row]
        if (value !== undefined && props.columns[column]?.edit === undefined) props.onOpen?.(value)
      },
      onCellDoubleClick(row, column, event) {
        const { props, list, focus } = latest.current
        const key = list.keys[row]
        if (key === undefined || isInteractive(event.target, event.currentTarget)) return
        if (props.columns[column]?.edit !== undefined) focus.edit({ key, column })
      },
      onCheck(row, event) {
        const { focus, scroller } = latest.current
        // The keys that act on the selection work at once.
        focus.isWanted.current = true
        moveTo(row, 0)
        // The place may be the same as before while something else has the focus.
        cellElement(scroller.current, row, 0)?.focus({ preventScroll: true })
        selectBy(row, event)
      },
      onToggle(row) {
        const { props, list } = latest.current
        const value = list.rows[row]
        if (value !== undefined) props.isTree?.onToggle(value)
      },
      onEditEnd() {
        const { focus } = latest.current
        const hadFocus = document.activeElement?.closest('[data-editing]') !== null
        if (hadFocus) focus.isWanted.current = true
        focus.edit(null)
      },
      draggedKeys(row) {
        const { list, selection } = latest.current
        return draggedKeys(selection.keys, list.keys, list.keys[row] ?? '')
      },
    }
  }, [latest, select])
}
