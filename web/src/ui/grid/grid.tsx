// The grid: up to 10,000 rows of one height, of which only the window is in the document. It carries the ARIA roles, the one
// tab stop, the keyboard, selection, sorting, dragging and editing of cells; what the rows are is the matter of the page.
// biome-ignore-all lint/a11y/useSemanticElements: a virtual grid cannot be a table; it carries the roles itself
// biome-ignore-all lint/a11y/useFocusableInteractive: only the cell with the tab stop takes the focus
// biome-ignore-all lint/a11y/noStaticElementInteractions: its role is grid or treegrid
// biome-ignore-all lint/a11y/useAriaPropsSupportedByRole: as above

import { dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { t } from '../../words.ts'
import { cx } from '../cx.ts'
import { letterOf } from '../letter-key.ts'
import styles from './grid.module.css'
import { Head } from './head.tsx'
import { actOfKey, type GridAct, type GridPlace } from './keys.ts'
import { layoutOf, overscanOf } from './layout.ts'
import { dragKind, type RowApi, RowView } from './row.tsx'
import { useRowHeight } from './row-height.ts'
import { canSort, nextSort, sortRows } from './rows.ts'
import { draggedKeys, extend, nothing, type SelectionState, toggle, toggleAll } from './selection.ts'
import type { DropTarget, GridProps } from './types.ts'
import { trackOf, useColumns } from './widths.ts'

export type { Band, Column, DropTarget, GridKey, GridProps, RowClass, Sort, Tree } from './types.ts'

const headHeight = 32

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a page that is not yet divided into components
export function Grid<Row>(props: GridProps<Row>) {
  const { label, rowKey, columns, selection, onSelection, onOpen, onKey, onDrop, onSort, isTree } = props
  const sort = props.sort ?? null
  const rows = useMemo(() => sortRows(props.rows, columns, sort), [props.rows, columns, sort])
  const keys = useMemo(() => rows.map(rowKey), [rows, rowKey])
  const indexes = useMemo(() => new Map(keys.map((key, index) => [key, index])), [keys])
  const bands = props.bands ?? noBands
  const layout = useMemo(
    () =>
      layoutOf(
        rows.length,
        bands.map((band) => band.beforeIndex),
      ),
    [rows.length, bands],
  )
  const rowHeight = useRowHeight()
  const scroller = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLDivElement>(null)

  const [focus, setFocus] = useState<{ readonly key: string | null } & GridPlace>({ key: null, row: 0, column: 0 })
  const [editing, setEditing] = useState<{ readonly key: string; readonly column: number } | null>(null)
  const [anchor, setAnchor] = useState<string | null>(null)
  const [drop, setDrop] = useState<DropTarget | null>(null)
  const [view, setView] = useState({ width: 1000, height: 600 })
  const wantsFocus = useRef(false)

  const isSelectable = onSelection !== undefined
  const isDraggable = onDrop !== undefined
  const hasLead = isSelectable || isDraggable
  const { widths, stickyLefts, setWidth, template, leastWidth } = useColumns(
    columns,
    leadWidth(isSelectable, isDraggable),
  )
  const chosen = selection ?? nothing.keys
  const focusRow = focus.row < 0 ? -1 : placeOf(focus, indexes, rows.length, props.activeKey)
  const hasHeadStop = onSort !== undefined && columns.some(canSort)

  const focusEntry = rows.length === 0 || focusRow < 0 ? -1 : layout.entryOf(focusRow)
  const rangeExtractor = useCallback(
    (range: Range) => {
      const window = defaultRangeExtractor(range)
      if (focusEntry < 0 || focusEntry >= range.count) return window
      return [...new Set([...window, focusEntry])].toSorted((a, b) => a - b)
    },
    [focusEntry],
  )
  const virtualizer = useVirtualizer({
    count: layout.count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: overscanOf(view.height, rowHeight),
    scrollMargin: headHeight,
    scrollPaddingStart: headHeight,
    rangeExtractor,
    initialRect: { width: 1000, height: 600 },
    useFlushSync: false,
  })

  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return
    const watcher = new ResizeObserver(() => setView({ width: element.clientWidth, height: element.clientHeight }))
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: another height makes the virtualizer measure all rows again
  useLayoutEffect(() => virtualizer.measure(), [rowHeight])

  // A row that moved with its keys stays in sight and keeps the focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a change of place matters
  useLayoutEffect(() => {
    const hasFocus = scroller.current?.contains(document.activeElement) ?? false
    if (!wantsFocus.current && !hasFocus) return
    // Before the first row there may be bands, which come into sight with it.
    if (focusRow === 0) virtualizer.scrollToOffset(0)
    else if (focusEntry >= 0) virtualizer.scrollToIndex(focusEntry, { align: 'auto' })
    if (!wantsFocus.current) return
    wantsFocus.current = false
    cellElement(scroller.current, focusRow, focus.column)?.focus({ preventScroll: true })
    cellElement(scroller.current, focusRow, focus.column)?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [focusEntry, focusRow, focus.column, editing])

  const latest = useRef({ props, rows, keys, indexes, anchor, chosen, focusRow })
  useLayoutEffect(() => {
    latest.current = { props, rows, keys, indexes, anchor, chosen, focusRow }
  })

  const select = useCallback((next: SelectionState) => {
    setAnchor(next.anchor)
    latest.current.props.onSelection?.(next.keys)
  }, [])

  const api = useMemo<RowApi>(() => {
    const moveTo = (row: number, column: number) => {
      setFocus({ key: latest.current.keys[row] ?? null, row, column })
    }
    const selectBy = (row: number, event: { readonly shiftKey: boolean }) => {
      const now = latest.current
      const key = now.keys[row]
      if (key === undefined) return
      const state = { keys: now.chosen, anchor: now.anchor }
      select(event.shiftKey ? extend(state, now.keys, now.keys[now.focusRow] ?? key, key, true) : toggle(state, key))
    }
    return {
      onCellFocus: moveTo,
      onCellClick(row, column, event) {
        const now = latest.current
        moveTo(row, column)
        if (isInteractive(event.target, event.currentTarget)) return
        if (now.props.onSelection !== undefined && (event.ctrlKey || event.metaKey || event.shiftKey)) {
          event.preventDefault()
          selectBy(row, event)
          return
        }
        const value = now.rows[row]
        if (value !== undefined && now.props.columns[column]?.edit === undefined) now.props.onOpen?.(value)
      },
      onCellDoubleClick(row, column, event) {
        const key = latest.current.keys[row]
        if (key === undefined || isInteractive(event.target, event.currentTarget)) return
        if (latest.current.props.columns[column]?.edit !== undefined) setEditing({ key, column })
      },
      onCheck(row, event) {
        // The keys that act on the selection work at once.
        wantsFocus.current = true
        moveTo(row, 0)
        // The place may be the same as before while something else has the focus.
        cellElement(scroller.current, row, 0)?.focus({ preventScroll: true })
        selectBy(row, event)
      },
      onToggle(row) {
        const value = latest.current.rows[row]
        if (value !== undefined) latest.current.props.isTree?.onToggle(value)
      },
      onEditEnd() {
        const hadFocus = document.activeElement?.closest('[data-editing]') !== null
        if (hadFocus) wantsFocus.current = true
        setEditing(null)
      },
      draggedKeys: (row) => draggedKeys(latest.current.chosen, latest.current.keys, latest.current.keys[row] ?? ''),
    }
  }, [select])

  useEffect(() => {
    const element = body.current
    if (!isDraggable || element === null) return
    const targetAt = (clientY: number): DropTarget | null => {
      const y = clientY - element.getBoundingClientRect().top
      const count = latest.current.rows.length
      if (count === 0) return null
      const entry = Math.max(0, Math.min(layout.count - 1, Math.floor(y / rowHeight)))
      const found = layout.at(entry)
      if ('band' in found) return null
      const key = latest.current.keys[found.row]
      return key === undefined ? null : { key, isAfter: y - entry * rowHeight > rowHeight / 2 }
    }
    return dropTargetForElements({
      element,
      canDrop: ({ source }) => source.data.kind === dragKind && element.contains(source.element),
      onDrag: ({ location }) => {
        const next = targetAt(location.current.input.clientY)
        setDrop((now) => (now?.key === next?.key && now?.isAfter === next?.isAfter ? now : next))
      },
      onDragLeave: () => setDrop(null),
      onDrop: ({ source, location }) => {
        setDrop(null)
        const target = targetAt(location.current.input.clientY)
        const dragged = source.data.keys as readonly string[]
        if (target !== null && !dragged.includes(target.key)) latest.current.props.onDrop?.(dragged, target)
      },
    })
  }, [isDraggable, layout, rowHeight])

  const go = (place: GridPlace, isExtending: boolean) => {
    const key = keys[place.row] ?? null
    if (isExtending && isSelectable && key !== null) {
      select(extend({ keys: chosen, anchor }, keys, keys[focusRow] ?? key, key))
    }
    wantsFocus.current = true
    setFocus({ key, ...place })
  }

  const perform = (act: GridAct): boolean => {
    const row = rows[focusRow]
    const key = keys[focusRow]
    switch (act.kind) {
      case 'go':
        if (
          isTree !== undefined &&
          act.place.row === focusRow &&
          act.place.column === focus.column &&
          row !== undefined
        ) {
          const parent = parentOf(rows, focusRow, isTree.depth)
          if (parent !== null && focus.column === 0) go({ row: parent, column: 0 }, false)
          return true
        }
        go(act.place, act.isExtending)
        return true
      case 'select':
        if (isSelectable && key !== undefined) select(toggle({ keys: chosen, anchor }, key))
        return true
      case 'select-all':
        if (isSelectable) select(toggleAll({ keys: chosen, anchor }, keys))
        return isSelectable
      case 'clear':
        if (!isSelectable || chosen.size === 0) return false
        select(nothing)
        return true
      case 'open': {
        const head = columns[focus.column]
        if (focusRow < 0) {
          if (head !== undefined && canSort(head)) onSort?.(nextSort(sort, head.id))
          return true
        }
        if (row === undefined || onOpen === undefined) return false
        onOpen(row)
        return true
      }
      case 'edit':
        if (row === undefined || key === undefined) return false
        if (columns[focus.column]?.edit !== undefined) setEditing({ key, column: focus.column })
        else enterCell(scroller.current, focusRow, focus.column)
        return true
      case 'toggle':
        if (row !== undefined) isTree?.onToggle(row)
        return true
      case 'page-key': {
        if (onKey === undefined || focusRow < 0) return false
        const picked = keys.flatMap((one, index) => (chosen.has(one) ? [rows[index] as Row] : []))
        const subjects = picked.length > 0 ? picked : row === undefined ? [] : [row]
        return onKey({ key: act.key, row: row ?? null, rows: subjects }) === true
      }
    }
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || !(event.target instanceof HTMLElement)) return
    const isOnCell = event.target.matches('[data-cell],[data-head]')
    if (!isOnCell) {
      if (event.key !== 'Escape' || event.target.closest('[data-cell]') === null) return
      wantsFocus.current = true
      setEditing(null)
      if (editing === null) cellElement(scroller.current, focusRow, focus.column)?.focus()
      event.preventDefault()
      event.stopPropagation()
      return
    }
    const row = rows[focusRow]
    const act = actOfKey(
      { key: keyOf(event), ctrl: event.ctrlKey || event.metaKey, shift: event.shiftKey, alt: event.altKey },
      { row: focusRow, column: focus.column },
      {
        rows: rows.length,
        columns: columns.length,
        page: Math.floor((view.height - headHeight) / rowHeight),
        hasHead: hasHeadStop,
      },
      isTree === undefined || row === undefined ? null : { isOpen: isTree.isOpen(row) },
    )
    if (act === null || !perform(act)) return
    event.preventDefault()
    event.stopPropagation()
  }

  const isEmpty = rows.length === 0 && bands.length === 0
  const dropEntry = drop === null ? null : layout.entryOf(indexes.get(drop.key) ?? 0) + (drop.isAfter ? 1 : 0)
  const height = props.height
  return (
    <div
      ref={scroller}
      role={isTree === undefined ? 'grid' : 'treegrid'}
      className={cx(
        styles.grid,
        height === 'fill' && styles.fill,
        height === undefined && styles.auto,
        leastWidth > view.width && styles.wide,
      )}
      style={{
        ...(typeof height === 'number' ? { height } : {}),
        ...trackOf(template, leastWidth),
      }}
      aria-label={label}
      aria-rowcount={layout.count + 1}
      aria-colcount={columns.length + (hasLead ? 1 : 0)}
      aria-multiselectable={isSelectable ? true : undefined}
      aria-busy={props.isLoading ? true : undefined}
      tabIndex={isEmpty ? 0 : -1}
      onKeyDown={onKeyDown}
    >
      <Head
        columns={columns}
        stickyLefts={stickyLefts}
        sort={sort}
        onSort={onSort}
        hasLead={hasLead}
        selected={chosen.size === 0 ? 'none' : keys.every((key) => chosen.has(key)) ? 'all' : 'some'}
        onSelectAll={isSelectable ? () => select(toggleAll({ keys: chosen, anchor }, keys)) : undefined}
        tabColumn={focusRow < 0 && hasHeadStop ? focus.column : null}
        onCellFocus={(row, column) => setFocus({ key: null, row, column })}
        onWidth={setWidth}
      />
      {isEmpty ? null : (
        <div ref={body} role="rowgroup" className={styles.body} style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map((item) => {
            const found = layout.at(item.index)
            const top = item.start - headHeight
            if ('band' in found) {
              return (
                <div
                  key={`band ${found.band}`}
                  role="row"
                  aria-rowindex={item.index + 2}
                  className={styles.band}
                  style={{ top }}
                >
                  <div role="gridcell" aria-colspan={columns.length + (hasLead ? 1 : 0)} className={styles.bandCell}>
                    {bands[found.band]?.content}
                  </div>
                </div>
              )
            }
            const row = rows[found.row]
            const key = keys[found.row]
            if (row === undefined || key === undefined) return null
            return (
              <RowView
                key={key}
                row={row}
                index={found.row}
                entry={item.index}
                top={top}
                columns={widths}
                stickyLefts={stickyLefts}
                isSelectable={isSelectable}
                isSelected={chosen.has(key)}
                isActive={props.activeKey === key}
                isDraggable={isDraggable}
                tabColumn={focusRow === found.row ? focus.column : null}
                editColumn={editing?.key === key ? editing.column : null}
                state={props.rowClass?.(row) ?? null}
                depth={isTree?.depth(row) ?? null}
                isOpen={isTree?.isOpen(row) ?? null}
                api={api}
              />
            )
          })}
          {dropEntry === null ? null : <div className={styles.drop} style={{ top: dropEntry * rowHeight - 1 }} />}
        </div>
      )}
      {isEmpty && props.isLoading ? <Waiting columns={columns.length} /> : null}
      {isEmpty && !props.isLoading ? (
        <div role="row" aria-rowindex={2} className={styles.empty}>
          <div role="gridcell" aria-colspan={columns.length + (hasLead ? 1 : 0)}>
            {props.empty ?? <p>{t('Nothing here yet.')}</p>}
          </div>
        </div>
      ) : null}
    </div>
  )
}

const noBands: readonly [] = []

/** Letters are the same keys in any layout. */
const keyOf = (event: KeyboardEvent): string => letterOf(event) || event.key

const leadWidth = (isSelectable: boolean, isDraggable: boolean): number =>
  (isSelectable ? 32 : 0) + (isDraggable ? 20 : 0)

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

const cellElement = (grid: HTMLElement | null, row: number, column: number): HTMLElement | null =>
  grid?.querySelector<HTMLElement>(
    row < 0 ? `[data-head="${column}"]` : `[data-row="${row}"] > [data-cell="${column}"]`,
  ) ?? null

function enterCell(grid: HTMLElement | null, row: number, column: number): void {
  cellElement(grid, row, column)?.querySelector<HTMLElement>('a[href],button,input,[role="switch"]')?.focus()
}

/** A click on a control inside a cell belongs to the control. */
function isInteractive(target: EventTarget, cell: EventTarget): boolean {
  if (!(target instanceof Element) || !(cell instanceof Element)) return false
  // An open menu hangs elsewhere in the document, but its clicks come through the cell that opened it.
  if (!cell.contains(target)) return true
  const control = target.closest(
    'a,button,input,select,textarea,label,[role="switch"],[role="checkbox"],[data-editing]',
  )
  return control !== null && cell.contains(control)
}

const waitingRows = Array.from({ length: 12 }, (_, index) => index)

function Waiting({ columns }: { readonly columns: number }) {
  return (
    <div className={styles.waiting} aria-hidden="true">
      {waitingRows.map((row) => (
        <div key={row} className={styles.waitingRow}>
          {Array.from({ length: Math.min(columns, 6) }, (_, column) => column).map((column) => (
            <span key={column} style={{ width: `${38 + ((row * 7 + column * 13) % 50)}%` }} />
          ))}
        </div>
      ))}
    </div>
  )
}
