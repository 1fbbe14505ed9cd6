// Cells in the document: the one at a place, what can be used in it, and whether a click belongs to that.

/** Row -1 is the head. */
export const cellElement = (grid: HTMLElement | null, row: number, column: number): HTMLElement | null =>
  grid?.querySelector<HTMLElement>(
    row < 0 ? `[data-head="${column}"]` : `[data-row="${row}"] > [data-cell="${column}"]`,
  ) ?? null

export function enterCell(grid: HTMLElement | null, row: number, column: number): void {
  cellElement(grid, row, column)?.querySelector<HTMLElement>('a[href],button,input,[role="switch"]')?.focus()
}

/** A click on a control inside a cell belongs to the control. */
export function isInteractive(target: EventTarget, cell: EventTarget): boolean {
  if (!(target instanceof Element) || !(cell instanceof Element)) return false
  // An open menu hangs elsewhere in the document, but its clicks come through the cell that opened it.
  if (!cell.contains(target)) return true
  const control = target.closest(
    'a,button,input,select,textarea,label,[role="switch"],[role="checkbox"],[data-editing]',
  )
  return control !== null && cell.contains(control)
}
