// The head of the grid: titles, the order of sorting, the width of columns, and the box that selects all.
// biome-ignore-all lint/a11y/useSemanticElements: a virtual grid cannot be a table; it carries the roles itself
// biome-ignore-all lint/a11y/useFocusableInteractive: only the cell with the tab stop takes the focus

import { type PointerEvent, useRef } from 'react'
import { t } from '../../words.ts'
import { cx } from '../cx.ts'
import { Icon } from '../icon.tsx'
import styles from './grid.module.css'
import { canSort, nextSort } from './rows.ts'
import type { Column, Sort } from './types.ts'
import { stickAt } from './widths.ts'

export interface HeadProps<Row> {
  readonly columns: readonly Column<Row>[]
  readonly stickyLefts: readonly (number | null)[]
  readonly sort: Sort | null
  readonly onSort: ((sort: Sort | null) => void) | undefined
  readonly hasLead: boolean
  readonly selected: 'none' | 'some' | 'all'
  readonly onSelectAll: (() => void) | undefined
  /** The column of the head that is the tab stop of the grid. */
  readonly tabColumn: number | null
  readonly onCellFocus: (row: number, column: number) => void
  readonly onWidth: (id: string, width: number) => void
}

export function Head<Row>(props: HeadProps<Row>) {
  const { columns, stickyLefts, sort, onSort, hasLead, selected, onSelectAll } = props
  return (
    <div role="row" className={styles.head} aria-rowindex={1}>
      {hasLead ? (
        <div role="columnheader" aria-colindex={1} className={cx(styles.title, styles.lead)}>
          {onSelectAll === undefined ? null : (
            <button
              type="button"
              role="checkbox"
              tabIndex={-1}
              aria-checked={selected === 'some' ? 'mixed' : selected === 'all'}
              aria-label={t('Select all')}
              className={cx(styles.check, selected !== 'none' && styles.checked)}
              onClick={onSelectAll}
            >
              {selected === 'none' ? null : <Icon name={selected === 'some' ? 'minus' : 'check'} size={12} />}
            </button>
          )}
        </div>
      ) : null}
      {columns.map((column, place) => {
        const isSortable = onSort !== undefined && canSort(column)
        const isSorted = sort?.id === column.id
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys of all cells
          <div
            key={column.id}
            role="columnheader"
            aria-colindex={place + (hasLead ? 2 : 1)}
            aria-sort={isSorted ? (sort.isDown ? 'descending' : 'ascending') : undefined}
            tabIndex={props.tabColumn === place ? 0 : -1}
            data-head={place}
            className={cx(
              styles.title,
              column.isNumber && styles.number,
              isSortable && styles.sortable,
              stickyLefts[place] !== null && stickyLefts[place] !== undefined && styles.sticky,
            )}
            style={stickAt(stickyLefts[place] ?? null)}
            title={column.hint}
            onFocus={() => props.onCellFocus(-1, place)}
            onClick={isSortable ? () => onSort(nextSort(sort, column.id)) : undefined}
          >
            <span className={styles.word}>{column.title}</span>
            {isSorted ? <Icon name={sort.isDown ? 'down' : 'up'} size={12} /> : null}
            <Edge id={column.id} onWidth={props.onWidth} />
          </div>
        )
      })}
    </div>
  )
}

const leastWidth = 40

/** The edge of a title that is pulled; a double click gives back the width of the page. */
function Edge({ id, onWidth }: { readonly id: string; readonly onWidth: (id: string, width: number) => void }) {
  const start = useRef<{ readonly x: number; readonly width: number } | null>(null)
  const begin = (event: PointerEvent<HTMLSpanElement>) => {
    event.preventDefault()
    event.currentTarget.setPointerCapture(event.pointerId)
    start.current = { x: event.clientX, width: event.currentTarget.parentElement?.offsetWidth ?? 0 }
  }
  const pull = (event: PointerEvent) => {
    if (start.current === null) return
    onWidth(id, Math.max(leastWidth, start.current.width + event.clientX - start.current.x))
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: widths are for the pointer; nothing is lost without them
    // biome-ignore lint/a11y/useKeyWithClickEvents: as above
    <span
      className={styles.edge}
      onPointerDown={begin}
      onPointerMove={pull}
      onPointerUp={() => {
        start.current = null
      }}
      onClick={(event) => event.stopPropagation()}
      onDoubleClick={() => onWidth(id, 0)}
    />
  )
}
