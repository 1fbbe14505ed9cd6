// Sorting and filtering of rows by what their columns say they show.

import type { Column, Sort } from './types.ts'

type Sortable<Row> = Pick<Column<Row>, 'id' | 'text' | 'sort' | 'isNumber'>

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

export const canSort = <Row>(column: Sortable<Row>): boolean => column.sort !== undefined || column.text !== undefined

export function comparerOf<Row>(column: Sortable<Row>): ((a: Row, b: Row) => number) | null {
  const { sort, text, isNumber } = column
  if (sort !== undefined) return sort
  if (text === undefined) return null
  if (isNumber) return (a, b) => numberOf(text(a)) - numberOf(text(b))
  return (a, b) => collator.compare(text(a), text(b))
}

function numberOf(text: string): number {
  const number = Number.parseFloat(text.replaceAll(/[\s,]/g, ''))
  return Number.isNaN(number) ? -Number.MAX_VALUE : number
}

/** The same array when there is nothing to sort, so that nothing is drawn again. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Sortable<Row>[],
  sort: Sort | null | undefined,
): readonly Row[] {
  const column = columns.find(({ id }) => id === sort?.id)
  const compare = column === undefined ? null : comparerOf(column)
  if (compare === null || sort === null || sort === undefined) return rows
  return rows.toSorted(sort.isDown ? (a, b) => compare(b, a) : compare)
}

/** Rows in which every word of the text occurs in some column. */
export function filterRows<Row>(
  rows: readonly Row[],
  columns: readonly Pick<Column<Row>, 'text'>[],
  text: string,
): readonly Row[] {
  const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return rows
  return rows.filter((row) => {
    const whole = columns
      .map((column) => column.text?.(row) ?? '')
      .join('\n')
      .toLocaleLowerCase()
    return words.every((word) => whole.includes(word))
  })
}

/** Click by click: up, down, as it came. */
export function nextSort(sort: Sort | null | undefined, id: string): Sort | null {
  if (sort?.id !== id) return { id, isDown: false }
  return sort.isDown ? null : { id, isDown: true }
}
