// What a page gives to the grid.

import type { ReactNode } from 'react'

export interface Column<Row> {
  readonly id: string
  readonly title: string
  readonly width: number | 'rest'
  readonly cell: (row: Row, index: number) => ReactNode
  /** For sorting and filtering; without it and without `sort` the column cannot be sorted. */
  readonly text?: ((row: Row) => string) | undefined
  readonly isNumber?: boolean | undefined
  /** Stays at the start while the rest scrolls sideways. */
  readonly isSticky?: boolean | undefined
  readonly sort?: ((a: Row, b: Row) => number) | undefined
  /** What F2 or a double click puts into the cell; Esc or leaving it ends the edit. */
  readonly edit?: ((row: Row, done: () => void) => ReactNode) | undefined
  /** Smallest width of a column that takes the rest. */
  readonly minWidth?: number | undefined
  /** Shown as a tooltip of the head. */
  readonly hint?: string | undefined
}

export interface Sort {
  readonly id: string
  readonly isDown: boolean
}

export interface GridKey<Row> {
  /** 'o', 'Shift O', 'Delete', 'Alt Up' … */
  readonly key: string
  readonly row: Row | null
  /** The selected rows, or else the one with the focus. */
  readonly rows: readonly Row[]
}

export interface Tree<Row> {
  readonly depth: (row: Row) => number
  /** null: it has no children. */
  readonly isOpen: (row: Row) => boolean | null
  readonly onToggle: (row: Row) => void
}

export interface Band {
  /** It comes before the row with this index; the count of rows puts it at the end. */
  readonly beforeIndex: number
  readonly content: ReactNode
}

export interface DropTarget {
  readonly key: string
  readonly isAfter: boolean
}

export type RowClass = 'disabled' | 'moved' | 'pending' | null

export interface GridProps<Row> {
  readonly label: string
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
  readonly columns: readonly Column<Row>[]
  readonly selection?: ReadonlySet<string> | undefined
  readonly onSelection?: ((keys: ReadonlySet<string>) => void) | undefined
  readonly onOpen?: ((row: Row) => void) | undefined
  /** The row whose panel is open. */
  readonly activeKey?: string | null | undefined
  /** Keys that the grid does not use itself. True: it was used. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler that says nothing has used the key
  readonly onKey?: ((event: GridKey<Row>) => boolean | void) | undefined
  /** Makes rows draggable. */
  readonly onDrop?: ((keys: readonly string[], target: DropTarget) => void) | undefined
  readonly sort?: Sort | null | undefined
  readonly onSort?: ((sort: Sort | null) => void) | undefined
  readonly bands?: readonly Band[] | undefined
  readonly rowClass?: ((row: Row) => RowClass) | undefined
  readonly empty?: ReactNode
  readonly isTree?: Tree<Row> | undefined
  readonly isLoading?: boolean | undefined
  /** `fill`: the rest of the page, inside a flex column. */
  readonly height?: 'fill' | number | undefined
}
