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

export function printTable(rows: readonly Row[]): string {
  const cells = rows.map(cellsOf)
  const widths = heading.map((title, column) => Math.max(title.length, ...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return [line(heading), widths.map((width) => '-'.repeat(width)).join('  '), ...cells.map(line)].join('\n')
}

export function printMarkdown(rows: readonly Row[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(heading), `|${'---|'.repeat(heading.length)}`, ...rows.map((row) => line(cellsOf(row)))].join('\n')
}
