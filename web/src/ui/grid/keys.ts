// The keyboard of the grid as a pure function: from a key and a place to the next place, a selection or an act.

export interface GridPlace {
  readonly row: number
  readonly column: number
}

export interface GridSize {
  readonly rows: number
  readonly columns: number
  /** Rows that one page of the screen holds. */
  readonly page: number
  /** The head can be reached with the arrow, as row -1. */
  readonly hasHead?: boolean
}

export interface PressedKey {
  readonly key: string
  readonly ctrl: boolean
  readonly shift: boolean
  readonly alt: boolean
}

export type GridAct =
  | { readonly kind: 'go'; readonly place: GridPlace; readonly isExtending: boolean }
  | { readonly kind: 'select' }
  | { readonly kind: 'select-all' }
  | { readonly kind: 'clear' }
  | { readonly kind: 'open' }
  | { readonly kind: 'edit' }
  | { readonly kind: 'toggle'; readonly isOpen: boolean }
  | { readonly kind: 'page-key'; readonly key: string }

const names: Readonly<Record<string, string>> = {
  ArrowUp: 'Up',
  ArrowDown: 'Down',
  ArrowLeft: 'Left',
  ArrowRight: 'Right',
  ' ': 'Space',
}

/** Such as `o`, `Shift O`, `Alt Up`, `Ctrl Enter`: what pages compare with. */
export function nameOfKey({ key, ctrl, shift, alt }: PressedKey): string {
  const isLetter = key.length === 1 && key !== ' '
  const word = names[key] ?? (isLetter ? (shift ? key.toUpperCase() : key.toLowerCase()) : key)
  return [ctrl && 'Ctrl', alt && 'Alt', shift && 'Shift', word].filter(Boolean).join(' ')
}

const clamp = (value: number, least: number, most: number): number => Math.max(least, Math.min(most, value))

/** `isOpen` is only for trees: null for a row without children. */
export function actOfKey(
  pressed: PressedKey,
  place: GridPlace,
  size: GridSize,
  tree: { readonly isOpen: boolean | null } | null = null,
): GridAct | null {
  const { key, ctrl, shift, alt } = pressed
  if (alt) return { kind: 'page-key', key: nameOfKey(pressed) }
  if (ctrl && (key === 'a' || key === 'A' || key === 'ф' || key === 'Ф')) return { kind: 'select-all' }
  const lastRow = size.rows - 1
  const lastColumn = size.columns - 1
  const firstRow = size.hasHead && !shift && !ctrl && (key === 'ArrowUp' || place.row < 0) ? -1 : 0
  const go = (row: number, column: number, isExtending = shift): GridAct => ({
    kind: 'go',
    place: { row: clamp(row, firstRow, Math.max(0, lastRow)), column: clamp(column, 0, Math.max(0, lastColumn)) },
    isExtending,
  })
  switch (key) {
    case 'ArrowDown':
      return go(ctrl ? lastRow : place.row + 1, place.column)
    case 'ArrowUp':
      return go(ctrl ? 0 : place.row - 1, place.column)
    case 'PageDown':
      return go(place.row + Math.max(1, size.page - 1), place.column)
    case 'PageUp':
      return go(place.row - Math.max(1, size.page - 1), place.column)
    case 'ArrowRight':
      if (tree?.isOpen === false && place.column === 0) return { kind: 'toggle', isOpen: true }
      return go(place.row, ctrl ? lastColumn : place.column + 1, false)
    case 'ArrowLeft':
      if (tree?.isOpen === true && place.column === 0) return { kind: 'toggle', isOpen: false }
      return go(place.row, ctrl ? 0 : place.column - 1, false)
    case 'Home':
      return go(0, place.column)
    case 'End':
      return go(lastRow, place.column)
    case ' ':
      return { kind: 'select' }
    case 'Enter':
      return ctrl ? { kind: 'page-key', key: nameOfKey(pressed) } : { kind: 'open' }
    case 'F2':
      return { kind: 'edit' }
    case 'Escape':
      return { kind: 'clear' }
    default:
      return isPageKey(pressed) ? { kind: 'page-key', key: nameOfKey(pressed) } : null
  }
}

const isPageKey = ({ key, ctrl }: PressedKey): boolean =>
  (!ctrl && key.length === 1) || key === 'Delete' || key === 'Backspace' || key === 'Insert' || /^F(?!6$)\d+$/.test(key)
