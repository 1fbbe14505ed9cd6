// One row of the grid. It is drawn again only when its own values change, so a scroll step draws only the rows that come in.
// biome-ignore-all lint/a11y/useSemanticElements: a virtual grid cannot be a table; it carries the roles itself
// biome-ignore-all lint/a11y/useFocusableInteractive: only the cell with the tab stop takes the focus

import { draggable } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { setCustomNativeDragPreview } from '@atlaskit/pragmatic-drag-and-drop/element/set-custom-native-drag-preview'
import { type MouseEvent, memo, type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import { t } from '../../words.ts'
import { cx } from '../cx.ts'
import { Icon } from '../icon.tsx'
import styles from './grid.module.css'
import type { Column, RowClass } from './types.ts'
import { stickAt } from './widths.ts'

export interface RowApi {
  readonly onCellClick: (row: number, column: number, event: MouseEvent) => void
  readonly onCellDoubleClick: (row: number, column: number, event: MouseEvent) => void
  readonly onCellFocus: (row: number, column: number) => void
  readonly onCheck: (row: number, event: MouseEvent) => void
  readonly onToggle: (row: number) => void
  readonly onEditEnd: () => void
  readonly draggedKeys: (row: number) => readonly string[]
}

export interface RowViewProps<Row> {
  readonly row: Row
  readonly index: number
  readonly entry: number
  readonly top: number
  readonly columns: readonly Column<Row>[]
  readonly stickyLefts: readonly (number | null)[]
  readonly isSelectable: boolean
  readonly isSelected: boolean
  readonly isActive: boolean
  readonly isDraggable: boolean
  /** The column of this row that is the tab stop of the grid. */
  readonly tabColumn: number | null
  readonly editColumn: number | null
  readonly state: RowClass
  readonly depth: number | null
  readonly isOpen: boolean | null
  readonly api: RowApi
}

/** The marker of what our rows carry, so that a drop of something else is ignored. */
export const dragKind = 'portcullis-grid-rows'

const focusable = 'a[href],button,input,select,textarea,[tabindex]'

function RowInner<Row>(props: RowViewProps<Row>) {
  const { row, index, columns, isSelectable, isSelected, isDraggable, state, depth, isOpen, api } = props
  const element = useRef<HTMLDivElement>(null)
  const handle = useRef<HTMLDivElement>(null)
  useOneTabStop(element)
  useDraggable({ element, handle, isDraggable, index, api })
  const hasLead = isSelectable || isDraggable
  return (
    <div
      ref={element}
      role="row"
      className={cx(
        styles.row,
        isSelected && styles.selected,
        props.isActive && styles.active,
        props.tabColumn !== null && styles.current,
        state !== null && styles[state],
      )}
      style={{ top: props.top }}
      aria-rowindex={props.entry + 2}
      aria-selected={isSelectable ? isSelected : undefined}
      aria-level={depth === null ? undefined : depth + 1}
      aria-expanded={isOpen ?? undefined}
      aria-busy={state === 'pending' ? true : undefined}
      data-row={index}
    >
      {hasLead ? <LeadCell ref={handle} {...{ index, isSelectable, isSelected, isDraggable, api }} /> : null}
      {columns.map((column, place) => (
        <CellView
          key={column.id}
          column={column}
          place={place}
          colIndex={place + (hasLead ? 2 : 1)}
          left={props.stickyLefts[place] ?? null}
          isTabStop={props.tabColumn === place}
          isEditing={props.editColumn === place}
          row={row}
          index={index}
          api={api}
        >
          {place === 0 && depth !== null ? (
            <TreeLead depth={depth} isOpen={isOpen} onToggle={() => api.onToggle(index)} />
          ) : null}
        </CellView>
      ))}
    </div>
  )
}

/** Only the grid is a tab stop; what is in a cell is reached from the cell. */
function useOneTabStop(element: RefObject<HTMLDivElement | null>): void {
  useLayoutEffect(() => {
    for (const cell of element.current?.querySelectorAll<HTMLElement>('[data-cell]:not([data-editing])') ?? []) {
      for (const inner of cell.querySelectorAll<HTMLElement>(focusable)) {
        if (inner.tabIndex !== -1) inner.tabIndex = -1
      }
    }
  })
}

interface DraggableSource extends Pick<RowViewProps<unknown>, 'isDraggable' | 'index' | 'api'> {
  readonly element: RefObject<HTMLDivElement | null>
  readonly handle: RefObject<HTMLDivElement | null>
}

/** The row is dragged by its first cell; how many go with it is shown at the pointer. */
function useDraggable({ element, handle, isDraggable, index, api }: DraggableSource): void {
  useEffect(() => {
    if (!isDraggable || element.current === null) return
    return draggable({
      element: element.current,
      ...(handle.current === null ? {} : { dragHandle: handle.current }),
      getInitialData: () => ({ kind: dragKind, keys: api.draggedKeys(index) }),
      onGenerateDragPreview: ({ nativeSetDragImage }) => {
        const count = api.draggedKeys(index).length
        setCustomNativeDragPreview({
          nativeSetDragImage,
          render: ({ container }) => {
            const badge = document.createElement('div')
            badge.className = styles.preview ?? ''
            badge.textContent = t('{count, plural, one {# row} other {# rows}}', { count })
            container.append(badge)
          },
        })
      },
    })
  }, [element, handle, isDraggable, index, api])
}

interface LeadCellProps
  extends Pick<RowViewProps<unknown>, 'index' | 'isSelectable' | 'isSelected' | 'isDraggable' | 'api'> {
  readonly ref: RefObject<HTMLDivElement | null>
}

/** By which a row is selected and dragged. */
function LeadCell({ ref, index, isSelectable, isSelected, isDraggable, api }: LeadCellProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys of all cells
    <div
      ref={ref}
      role="gridcell"
      aria-colindex={1}
      className={cx(styles.cell, styles.lead, isDraggable && styles.handle)}
      onClick={isSelectable ? (event) => api.onCheck(index, event) : undefined}
    >
      {isDraggable ? (
        <span className={styles.grip}>
          <Icon name="drag" size={14} />
        </span>
      ) : null}
      {isSelectable ? (
        <span className={styles.check}>{isSelected ? <Icon name="check" size={12} /> : null}</span>
      ) : null}
    </div>
  )
}

interface CellViewProps<Row> {
  readonly column: Column<Row>
  readonly place: number
  readonly colIndex: number
  readonly left: number | null
  readonly isTabStop: boolean
  readonly isEditing: boolean
  readonly row: Row
  readonly index: number
  readonly api: RowApi
  readonly children: ReactNode
}

function CellView<Row>(props: CellViewProps<Row>) {
  const { column, place, left, isTabStop, isEditing, row, index, api } = props
  const cell = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = cell.current
    if (!isEditing || element === null) return
    const inner = element.querySelector<HTMLElement>('input,textarea,select,button,[tabindex]')
    inner?.focus()
    if (inner instanceof HTMLInputElement) inner.select()
    const leave = (event: PointerEvent) => {
      const target = event.target
      if (!(target instanceof Element) || element.contains(target)) return
      if (target.closest('[data-base-ui-portal]') === null) api.onEditEnd()
    }
    document.addEventListener('pointerdown', leave, true)
    return () => document.removeEventListener('pointerdown', leave, true)
  }, [isEditing, api])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys of all cells
    <div
      ref={cell}
      role="gridcell"
      tabIndex={isTabStop ? 0 : -1}
      aria-colindex={props.colIndex}
      aria-readonly={column.edit === undefined ? undefined : false}
      className={cx(
        styles.cell,
        column.isNumber && styles.number,
        left !== null && styles.sticky,
        place === 0 && styles.first,
        isEditing && styles.editing,
      )}
      style={stickAt(left)}
      data-cell={place}
      data-column={column.id}
      data-editing={isEditing ? '' : undefined}
      onFocus={(event) => {
        if (event.target === event.currentTarget) api.onCellFocus(index, place)
      }}
      onClick={(event) => api.onCellClick(index, place, event)}
      onDoubleClick={(event) => api.onCellDoubleClick(index, place, event)}
    >
      {props.children}
      {isEditing && column.edit !== undefined ? (
        column.edit(row, api.onEditEnd)
      ) : (
        <span className={styles.content}>{column.cell(row, index)}</span>
      )}
    </div>
  )
}

interface TreeLeadProps {
  readonly depth: number
  readonly isOpen: boolean | null
  readonly onToggle: () => void
}

function TreeLead({ depth, isOpen, onToggle }: TreeLeadProps) {
  return (
    <span className={styles.tree} style={{ paddingInlineStart: depth * 16 }}>
      {isOpen === null ? (
        <span className={styles.leaf} />
      ) : (
        <button
          type="button"
          className={styles.twist}
          tabIndex={-1}
          aria-label={isOpen ? t('Close') : t('Open')}
          onClick={(event) => {
            event.stopPropagation()
            onToggle()
          }}
        >
          <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} size={14} />
        </button>
      )}
    </span>
  )
}

export const RowView = memo(RowInner) as typeof RowInner
