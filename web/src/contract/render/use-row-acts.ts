// What a person can do to the rows of a list, by key, by menu and by button, and what still waits for an answer.

import { useState } from 'react'
import { type Editing, useEditing } from '../../api/editing.ts'
import type { DropTarget, GridKey } from '../../ui/grid/types.ts'
import type { Collection, Item } from '../define.ts'
import { anchorOf, idOf, type Spot, stepSpot } from '../plan.ts'
import type { Opener } from './opener.ts'
import type { RowActions } from './row-actions.tsx'
import type { ListChanges } from './use-list-changes.ts'

interface RowActsSource {
  readonly collection: Collection
  readonly opener: Opener
  readonly changes: ListChanges
  /** Of the page itself. */
  readonly actions: RowActions
}

export interface RowActs {
  readonly selection: ReadonlySet<string>
  readonly setSelection: (selection: ReadonlySet<string>) => void
  /** Rows whose new place is asked for. */
  readonly moving: readonly Item[] | null
  /** Rows whose removal is asked for. */
  readonly removing: readonly Item[] | null
  readonly mayAdd: Editing
  readonly mayRemove: Editing
  readonly mayMove: Editing
  readonly canAdd: boolean
  readonly canRemove: boolean
  readonly canMove: boolean
  readonly open: (row: Item, tab?: string) => void
  readonly openNew: (spot?: { readonly row: Item; readonly isAfter: boolean }) => void
  readonly copy: (row: Item) => void
  readonly isFree: (row: Item) => boolean
  readonly askMove: (rows: readonly Item[] | null) => void
  readonly move: (rows: readonly Item[], spot: Spot) => void
  readonly drop: (keys: readonly string[], target: DropTarget) => void
  readonly askRemove: (rows: readonly Item[]) => void
  readonly remove: (rows: readonly Item[]) => void
  readonly keepAll: () => void
  readonly onKey: (event: GridKey<Item>) => boolean
}

export function useRowActs(source: RowActsSource): RowActs {
  const { collection, opener, changes } = source
  const { create, remove, move } = collection.endpoints
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set())
  const [moving, setMoving] = useState<readonly Item[] | null>(null)
  const [removing, setRemoving] = useState<readonly Item[] | null>(null)
  const mayAdd = useEditing(create?.access ?? 'configure')
  const mayRemove = useEditing(remove?.access ?? 'configure')
  const mayMove = useEditing(move?.access ?? 'configure')
  const rowKey = (row: Item): string => idOf(collection, row)
  const isFree = (row: Item): boolean => (collection.isFixed?.(row) ?? null) === null
  const afterRemove = (): void => {
    setSelection(new Set())
    setRemoving(null)
    if (opener.id !== null) opener.open(null)
  }
  const acts: Omit<RowActs, 'onKey'> = {
    selection,
    setSelection,
    moving,
    removing,
    mayAdd,
    mayRemove,
    mayMove,
    canAdd: create !== undefined && mayAdd.isAllowed,
    canRemove: remove !== undefined && mayRemove.isAllowed,
    canMove: collection.isOrdered === true && move !== undefined && mayMove.isAllowed,
    open: (row, tab) => opener.open(rowKey(row), tab === undefined ? {} : { tab }),
    openNew: (spot) => opener.open('new', spot ? { [spot.isAfter ? 'after' : 'before']: rowKey(spot.row) } : {}),
    copy: (row) => (collection.endpoints.copy ? changes.copy(row) : opener.open('new', { from: rowKey(row) })),
    isFree,
    askMove: setMoving,
    move: (rows, spot) => {
      setMoving(null)
      changes.move(rows, spot)
    },
    drop: (keys, target) => {
      const anchor = changes.rows.find((row) => rowKey(row) === target.key)
      const dragged = changes.rows.filter((row) => keys.includes(rowKey(row)))
      if (anchor && !keys.includes(target.key))
        changes.move(dragged, { anchor: anchorOf(collection, anchor), isAfter: target.isAfter })
    },
    askRemove: (rows) => {
      const free = rows.filter(isFree)
      if (free.length === 0) return
      if (remove?.effect === 'action') setRemoving(free)
      else changes.remove(free, afterRemove)
    },
    remove: (rows) => changes.remove(rows, afterRemove),
    keepAll: () => setRemoving(null),
  }
  return { ...acts, onKey: (event) => onRowKey(event, acts, source) }
}

function onRowKey(
  { key, row, rows }: GridKey<Item>,
  acts: Omit<RowActs, 'onKey'>,
  { collection, changes, actions }: RowActsSource,
): boolean {
  const { canAdd, canRemove, canMove } = acts
  if ((key === 'o' || key === 'Shift O') && canAdd) {
    acts.openNew(collection.isOrdered && row ? { row, isAfter: key === 'o' } : undefined)
    return true
  }
  if (row === null) return false
  if (key === 'e') acts.open(row)
  else if (key === 'c' && canAdd) acts.copy(row)
  else if (key === 'u' && collection.usedBy) acts.open(row, 'used')
  else if (key === 'Delete' && canRemove) acts.askRemove(rows)
  else if (key === 'm' && canMove) acts.askMove(rows)
  else if ((key === 'Alt Up' || key === 'Alt Down') && canMove) {
    const spot = stepSpot(changes.rows, rows, key === 'Alt Down', collection.idField)
    if (spot) changes.move(rows, spot)
  } else return actions.onKey(key, rows)
  return true
}
