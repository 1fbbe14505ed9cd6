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

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

const heading = ['measured', 'gateway', 'raw', 'ratio', 'aim', '']

export function printTable(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.what,
    row.ours,
    row.raw,
    row.ratio === null ? '' : row.ratio.toFixed(2),
    row.aim,
    row.isMet === null ? '' : row.isMet ? 'met' : 'missed',
  ])
  const widths = heading.map((title, column) => Math.max(title.length, ...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return [line(heading), widths.map((width) => '-'.repeat(width)).join('  '), ...cells.map(line)].join('\n')
}
