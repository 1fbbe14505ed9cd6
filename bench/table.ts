// Results as a table: what was measured, ours, the raw thing, the ratio and the aim.

export interface Row {
  readonly what: string
  readonly ours: string
  readonly raw: string
  /** Null where there is nothing to compare with. */
  readonly ratio: number | null
  readonly aim: string
  /** Null where there is no aim. */
  readonly isMet: boolean | null
}

/** The value below which this share of the values lies. */
export const quantile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

export const milliseconds = (time: number): string => `${time.toFixed(time < 100 ? 1 : 0)} ms`
export const grouped = (count: number): string => count.toLocaleString('en')

export const plain = (what: string, ours: string): Row => ({ what, ours, raw: '', ratio: null, aim: '', isMet: null })

export const against = (what: string, ours: number, other: number, name: string): Row => ({
  ...plain(what, milliseconds(ours)),
  raw: `${milliseconds(other)} ${name}`,
  ratio: ours / other,
})

export const aimed = (row: Row, aim: string, isMet: boolean): Row => ({ ...row, aim, isMet })

/** With the aim that ours takes at most so many times as long. */
export const within = (what: string, ours: number, other: number, name: string, most: number): Row =>
  aimed(against(what, ours, other, name), `at most ${most} x`, ours / other <= most)

const heading = ['measured', 'gateway', 'compared with', 'ratio', 'aim', '']

const cellsOf = (row: Row): readonly string[] => [
  row.what,
  row.ours,
  row.raw,
  row.ratio === null ? '' : row.ratio.toFixed(2),
  row.aim,
  row.isMet === null ? '' : row.isMet ? 'met' : 'missed',
]

export const printTable = (rows: readonly Row[]): string => inColumns(heading, rows.map(cellsOf)).join('\n')

export const printMarkdown = (rows: readonly Row[]): string => inMarkdown(heading, rows.map(cellsOf)).join('\n')

type Cells = readonly string[]

/** The lines of a table for a terminal. */
export function inColumns(titles: Cells, rows: readonly Cells[]): string[] {
  const widths = titles.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: Cells): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return [line(titles), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)]
}

/** The lines of a table for a document. */
export function inMarkdown(titles: Cells, rows: readonly Cells[]): string[] {
  const line = (cells: Cells): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(titles), `|${'---|'.repeat(titles.length)}`, ...rows.map(line)]
}
