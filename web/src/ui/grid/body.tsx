// The body of the grid: the rows and bands of the window, and what is there when there are none.
// biome-ignore-all lint/a11y/useSemanticElements: a virtual grid cannot be a table; it carries the roles itself
// biome-ignore-all lint/a11y/useFocusableInteractive: only the cell with the tab stop takes the focus

import type { Virtualizer } from '@tanstack/react-virtual'
import type { ReactNode, RefObject } from 'react'
import { t } from '../../words.ts'
import styles from './grid.module.css'
import type { GridState } from './grid-state.ts'
import { type RowApi, RowView } from './row.tsx'
import type { Column, DropTarget } from './types.ts'
import { headHeight } from './use-row-window.ts'

interface GridBodyProps<Row> {
  readonly ref: RefObject<HTMLDivElement | null>
  readonly state: GridState<Row>
  readonly virtualizer: Virtualizer<HTMLDivElement, Element>
  readonly columns: readonly Column<Row>[]
  readonly stickyLefts: readonly (number | null)[]
  /** Columns with the one for selecting and dragging. */
  readonly columnCount: number
  readonly rowHeight: number
  readonly drop: DropTarget | null
  readonly api: RowApi
}

export function GridBody<Row>(given: GridBodyProps<Row>): ReactNode {
  const { state, virtualizer, rowHeight, drop, columnCount } = given
  const { props, list, focus, selection } = state
  const { rows, keys, bands, layout, indexes } = list
  const dropEntry = drop === null ? null : layout.entryOf(indexes.get(drop.key) ?? 0) + (drop.isAfter ? 1 : 0)
  return (
    <div ref={given.ref} role="rowgroup" className={styles.body} style={{ height: virtualizer.getTotalSize() }}>
      {virtualizer.getVirtualItems().map((item) => {
        const found = layout.at(item.index)
        const top = item.start - headHeight
        if ('band' in found) {
          return (
            <BandRow key={`band ${found.band}`} entry={item.index} top={top} columnCount={columnCount}>
              {bands[found.band]?.content}
            </BandRow>
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
            columns={given.columns}
            stickyLefts={given.stickyLefts}
            isSelectable={props.onSelection !== undefined}
            isSelected={selection.keys.has(key)}
            isActive={props.activeKey === key}
            isDraggable={props.onDrop !== undefined}
            tabColumn={focus.row === found.row ? focus.column : null}
            editColumn={focus.editing?.key === key ? focus.editing.column : null}
            state={props.rowClass?.(row) ?? null}
            depth={props.isTree?.depth(row) ?? null}
            isOpen={props.isTree?.isOpen(row) ?? null}
            api={given.api}
          />
        )
      })}
      {dropEntry === null ? null : <div className={styles.drop} style={{ top: dropEntry * rowHeight - 1 }} />}
    </div>
  )
}

interface BandRowProps {
  readonly entry: number
  readonly top: number
  readonly columnCount: number
  readonly children: ReactNode
}

function BandRow({ entry, top, columnCount, children }: BandRowProps): ReactNode {
  return (
    <div role="row" aria-rowindex={entry + 2} className={styles.band} style={{ top }}>
      <div role="gridcell" aria-colspan={columnCount} className={styles.bandCell}>
        {children}
      </div>
    </div>
  )
}

interface EmptyBodyProps {
  readonly isLoading: boolean | undefined
  readonly columns: number
  readonly columnCount: number
  readonly children: ReactNode
}

/** Instead of rows: the shape of some while they are read, or the words of the page. */
export function EmptyBody({ isLoading, columns, columnCount, children }: EmptyBodyProps): ReactNode {
  if (isLoading) return <Waiting columns={columns} />
  return (
    <div role="row" aria-rowindex={2} className={styles.empty}>
      <div role="gridcell" aria-colspan={columnCount}>
        {children ?? <p>{t('Nothing here yet.')}</p>}
      </div>
    </div>
  )
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
