// Tables and lists of names with values. Columns are aligned by displayed width; on a terminal the widest give way,
// piped output is never cut.

import { type Colour, paint, type Terminal } from './terminal.ts'
import { cutText, escapeText, padText, widthOf, wrapText } from './text.ts'

export type Cell = string | { readonly text: string; readonly colour?: Colour | undefined }

export interface Table {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
  /** The last column goes on in further lines instead of being cut. */
  readonly wrapLast?: boolean
}

const gap = '  '
const narrowest = 6
/** A column that wraps loses nothing, so it gives way first, down to this. */
const narrowestWrapped = 20

const textOf = (cell: Cell): string => escapeText(typeof cell === 'string' ? cell : cell.text)
const colourOf = (cell: Cell): Colour | undefined => (typeof cell === 'string' ? undefined : cell.colour)

type Screen = Pick<Terminal, 'columns' | 'hasColour'>

export function showTable(table: Table, screen: Screen): string {
  const head = table.columns.map((name) => name.toUpperCase())
  const natural = naturalWidths([head, ...table.rows.map((row) => row.map(textOf))])
  const widths = fitWidths(natural, screen.columns, table.wrapLast ?? false)
  const lines = [
    showRow(head, widths, false, screen),
    ...table.rows.flatMap((row) => showRow(row, widths, table.wrapLast ?? false, screen)),
  ]
  return `${lines.flat().join('\n')}\n`
}

function naturalWidths(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = []
  for (const row of rows) {
    row.forEach((text, index) => {
      widths[index] = Math.max(widths[index] ?? 0, widthOf(text))
    })
  }
  return widths
}

/** Takes from the widest column until the row fits; no column gets narrower than a few characters. */
export function fitWidths(natural: readonly number[], columns: number | null, wrapsLast = false): number[] {
  const widths = [...natural]
  if (columns === null) return widths
  const available = columns - gap.length * (widths.length - 1)
  let total = widths.reduce((sum, width) => sum + width, 0)
  const last = widths.at(-1) ?? 0
  if (wrapsLast && total > available && last > narrowestWrapped) {
    const kept = Math.max(narrowestWrapped, last - (total - available))
    widths[widths.length - 1] = kept
    total -= last - kept
  }
  while (total > available) {
    const widest = Math.max(...widths)
    if (widest <= narrowest) break
    widths[widths.lastIndexOf(widest)] = widest - 1
    total--
  }
  return widths
}

function showRow(row: readonly Cell[], widths: readonly number[], wrapLast: boolean, screen: Screen): string[] {
  const last = row.length - 1
  const texts = row.map(textOf)
  const tail = wrapLast ? wrapText(texts[last] ?? '', Math.max(1, widths[last] ?? 1)) : [texts[last] ?? '']
  const line = (cells: readonly string[]): string =>
    cells
      .map((text, index) => {
        const cut = cutText(text, widths[index] ?? 0)
        const padded = index === last ? cut : padText(cut, widths[index] ?? 0)
        return paint(screen, colourOf(row[index] ?? ''), padded)
      })
      .join(gap)
      .trimEnd()
  return tail.map((text, index) =>
    line(index === 0 ? [...texts.slice(0, last), text] : [...texts.slice(0, last).map(() => ''), text]),
  )
}

/** `name  value` lines, aligned. Long values go on below themselves on a terminal. */
export function showPairs(pairs: readonly (readonly [string, Cell])[], screen: Screen): string {
  const names = Math.max(0, ...pairs.map(([name]) => widthOf(escapeText(name))))
  const width = screen.columns === null ? Number.POSITIVE_INFINITY : Math.max(20, screen.columns - names - gap.length)
  return pairs
    .map(([name, cell]) => {
      const [first = '', ...rest] = wrapText(textOf(cell), width).map((line) => paint(screen, colourOf(cell), line))
      const lines = [
        `${padText(escapeText(name), names)}${gap}${first}`,
        ...rest.map((line) => `${' '.repeat(names)}${gap}${line}`),
      ]
      return `${lines.map((line) => line.trimEnd()).join('\n')}\n`
    })
    .join('')
}
