// The grid: up to 10,000 rows of one height, of which only the window is in the document. It carries the ARIA roles, the one
// tab stop, the keyboard, selection, sorting, dragging and editing of cells; what the rows are is the matter of the page.
// biome-ignore-all lint/a11y/useSemanticElements: a virtual grid cannot be a table; it carries the roles itself
// biome-ignore-all lint/a11y/noStaticElementInteractions: its role is grid or treegrid
// biome-ignore-all lint/a11y/useAriaPropsSupportedByRole: as above

import { useRef, useState } from 'react'
import { cx } from '../cx.ts'
import { EmptyBody, GridBody } from './body.tsx'
import styles from './grid.module.css'
import { onGridKey } from './grid-keys.ts'
import { type GridState, useLatestState, useSelect } from './grid-state.ts'
import { Head } from './head.tsx'
import { useRowHeight } from './row-height.ts'
import { canSort } from './rows.ts'
import { nothing, type SelectionState, toggleAll } from './selection.ts'
import type { GridProps } from './types.ts'
import { useFollowFocus, useGridFocus } from './use-grid-focus.ts'
import { useGridRows } from './use-grid-rows.ts'
import { useRowApi } from './use-row-api.ts'
import { useRowDrop } from './use-row-drop.ts'
import { headHeight, useRowWindow } from './use-row-window.ts'
import { trackOf, useColumns } from './widths.ts'

export type { Band, Column, DropTarget, GridKey, GridProps, RowClass, Sort, Tree } from './types.ts'

export function Grid<Row>(props: GridProps<Row>) {
  const { columns, onSort, height } = props
  const list = useGridRows(props)
  const rowHeight = useRowHeight()
  const scroller = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLDivElement>(null)
  const focus = useGridFocus(list, props.activeKey)
  const [anchor, setAnchor] = useState<string | null>(null)
  const selection: SelectionState = { keys: props.selection ?? nothing.keys, anchor }
  const isSelectable = props.onSelection !== undefined
  const isDraggable = props.onDrop !== undefined
  const hasLead = isSelectable || isDraggable
  const { widths, stickyLefts, setWidth, template, leastWidth } = useColumns(
    columns,
    leadWidth(isSelectable, isDraggable),
  )
  const { layout } = list
  const { virtualizer, view } = useRowWindow(scroller, { count: layout.count, rowHeight, focusEntry: focus.entry })
  useFollowFocus(scroller, focus, virtualizer)

  const state: GridState<Row> = { props, list, focus, selection, scroller }
  const latest = useLatestState(state)
  const select = useSelect(latest, setAnchor)
  const api = useRowApi(latest, select)
  const drop = useRowDrop({ body, isDraggable, layout, rowHeight, latest })

  const hasHeadStop = onSort !== undefined && columns.some(canSort)
  const page = Math.floor((view.height - headHeight) / rowHeight)
  const columnCount = columns.length + (hasLead ? 1 : 0)
  const isEmpty = list.rows.length === 0 && list.bands.length === 0
  return (
    <div
      ref={scroller}
      role={props.isTree === undefined ? 'grid' : 'treegrid'}
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
      aria-label={props.label}
      aria-rowcount={layout.count + 1}
      aria-colcount={columnCount}
      aria-multiselectable={isSelectable ? true : undefined}
      aria-busy={props.isLoading ? true : undefined}
      tabIndex={isEmpty ? 0 : -1}
      onKeyDown={(event) => onGridKey(event, { state, select, page, hasHeadStop })}
    >
      <Head
        columns={columns}
        stickyLefts={stickyLefts}
        sort={list.sort}
        onSort={onSort}
        hasLead={hasLead}
        selected={selectedPart(selection, list.keys)}
        onSelectAll={isSelectable ? () => select(toggleAll(selection, list.keys)) : undefined}
        tabColumn={focus.row < 0 && hasHeadStop ? focus.column : null}
        onCellFocus={(row, column) => focus.set({ key: null, row, column })}
        onWidth={setWidth}
      />
      {isEmpty ? null : (
        <GridBody
          ref={body}
          {...{ state, virtualizer, stickyLefts, columnCount, rowHeight, drop, api }}
          columns={widths}
        />
      )}
      {isEmpty ? (
        <EmptyBody isLoading={props.isLoading} columns={columns.length} columnCount={columnCount}>
          {props.empty}
        </EmptyBody>
      ) : null}
    </div>
  )
}

const leadWidth = (isSelectable: boolean, isDraggable: boolean): number =>
  (isSelectable ? 32 : 0) + (isDraggable ? 20 : 0)

function selectedPart({ keys }: SelectionState, all: readonly string[]): 'none' | 'some' | 'all' {
  if (keys.size === 0) return 'none'
  return all.every((key) => keys.has(key)) ? 'all' : 'some'
}
