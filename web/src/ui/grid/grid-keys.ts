// The keyboard of the grid: a key that keys.ts understands is carried out here.

import type { KeyboardEvent } from 'react'
import { letterOf } from '../letter-key.ts'
import { cellElement, enterCell } from './cell-element.ts'
import type { GridState } from './grid-state.ts'
import { actOfKey, type GridAct, type GridPlace } from './keys.ts'
import { canSort, nextSort } from './rows.ts'
import { extend, nothing, type SelectionState, toggle, toggleAll } from './selection.ts'

interface KeyTools<Row> {
  readonly state: GridState<Row>
  readonly select: (next: SelectionState) => void
  /** Rows that one page of the screen holds. */
  readonly page: number
  /** The head can be reached with the arrow. */
  readonly hasHeadStop: boolean
}

/** Letters are the same keys in any layout. */
const keyOf = (event: KeyboardEvent): string => letterOf(event) || event.key

export function onGridKey<Row>(event: KeyboardEvent, tools: KeyTools<Row>): void {
  if (event.nativeEvent.isComposing || !(event.target instanceof HTMLElement)) return
  const { props, list, focus, scroller } = tools.state
  const isOnCell = event.target.matches('[data-cell],[data-head]')
  if (!isOnCell) {
    if (event.key !== 'Escape' || event.target.closest('[data-cell]') === null) return
    focus.isWanted.current = true
    focus.edit(null)
    if (focus.editing === null) cellElement(scroller.current, focus.row, focus.column)?.focus()
    event.preventDefault()
    event.stopPropagation()
    return
  }
  const row = list.rows[focus.row]
  const act = actOfKey(
    { key: keyOf(event), ctrl: event.ctrlKey || event.metaKey, shift: event.shiftKey, alt: event.altKey },
    { row: focus.row, column: focus.column },
    { rows: list.rows.length, columns: props.columns.length, page: tools.page, hasHead: tools.hasHeadStop },
    props.isTree === undefined || row === undefined ? null : { isOpen: props.isTree.isOpen(row) },
  )
  if (act === null || !perform(act, tools)) return
  event.preventDefault()
  event.stopPropagation()
}

/** True: the key was used. */
function perform<Row>(act: GridAct, tools: KeyTools<Row>): boolean {
  const { props, list, focus, selection, scroller } = tools.state
  const { select } = tools
  const isSelectable = props.onSelection !== undefined
  const row = list.rows[focus.row]
  const key = list.keys[focus.row]
  switch (act.kind) {
    case 'go':
      go(act.place, act.isExtending, tools)
      return true
    case 'select':
      if (isSelectable && key !== undefined) select(toggle(selection, key))
      return true
    case 'select-all':
      if (isSelectable) select(toggleAll(selection, list.keys))
      return isSelectable
    case 'clear':
      if (!isSelectable || selection.keys.size === 0) return false
      select(nothing)
      return true
    case 'open':
      return open(tools.state)
    case 'edit':
      if (row === undefined || key === undefined) return false
      if (props.columns[focus.column]?.edit !== undefined) focus.edit({ key, column: focus.column })
      else enterCell(scroller.current, focus.row, focus.column)
      return true
    case 'toggle':
      if (row !== undefined) props.isTree?.onToggle(row)
      return true
    case 'page-key':
      return givePage(act.key, tools.state)
  }
}

function go<Row>(place: GridPlace, isExtending: boolean, { state, select }: KeyTools<Row>): void {
  const { props, list, focus, selection } = state
  const moveTo = (next: GridPlace): void => {
    focus.isWanted.current = true
    focus.set({ key: list.keys[next.row] ?? null, ...next })
  }
  const row = list.rows[focus.row]
  // At the edge of a tree the way leads up to the parent.
  if (props.isTree !== undefined && place.row === focus.row && place.column === focus.column && row !== undefined) {
    const parent = parentOf(list.rows, focus.row, props.isTree.depth)
    if (parent !== null && focus.column === 0) moveTo({ row: parent, column: 0 })
    return
  }
  const key = list.keys[place.row]
  if (isExtending && props.onSelection !== undefined && key !== undefined) {
    select(extend(selection, list.keys, list.keys[focus.row] ?? key, key))
  }
  moveTo(place)
}

function parentOf<Row>(rows: readonly Row[], index: number, depth: (row: Row) => number): number | null {
  const row = rows[index]
  if (row === undefined) return null
  const own = depth(row)
  for (let before = index - 1; before >= 0; before--) {
    const other = rows[before]
    if (other !== undefined && depth(other) < own) return before
  }
  return null
}

/** A title is sorted by, a row is opened. */
function open<Row>({ props, list, focus }: GridState<Row>): boolean {
  if (focus.row < 0) {
    const head = props.columns[focus.column]
    if (head !== undefined && canSort(head)) props.onSort?.(nextSort(list.sort, head.id))
    return true
  }
  const row = list.rows[focus.row]
  if (row === undefined || props.onOpen === undefined) return false
  props.onOpen(row)
  return true
}

/** Keys that the grid does not use belong to the page: for the selected rows, or else the one with the focus. */
function givePage<Row>(key: string, { props, list, focus, selection }: GridState<Row>): boolean {
  if (props.onKey === undefined || focus.row < 0) return false
  const row = list.rows[focus.row]
  const picked = list.keys.flatMap((one, index) => (selection.keys.has(one) ? [list.rows[index] as Row] : []))
  const subjects = picked.length > 0 ? picked : row === undefined ? [] : [row]
  return props.onKey({ key, row: row ?? null, rows: subjects }) === true
}
