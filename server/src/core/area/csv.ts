// Lists as CSV (RFC 4180): a header row of the columns asked for, booleans as True and False, and nothing a spreadsheet
// would run as a formula.

const startsFormula = /^[=+\-@\t\r]/

export type CsvRow = Readonly<Record<string, unknown>>

export const toCsv = (columns: readonly string[], rows: readonly CsvRow[]): string =>
  csvHeader(columns) + csvRows(columns, rows)

/** Line by line, for tables that are made while they are sent. */
export function* csvLines(columns: readonly string[], rows: readonly CsvRow[]): Generator<string, void> {
  yield csvHeader(columns)
  for (const row of rows) yield lineOf(columns, row)
}

export const csvHeader = (columns: readonly string[]): string => `${columns.map(cell).join(',')}\r\n`

/** Without the header, for rows that are sent in pieces. */
export const csvRows = (columns: readonly string[], rows: readonly CsvRow[]): string =>
  rows.map((row) => lineOf(columns, row)).join('')

const lineOf = (columns: readonly string[], row: CsvRow): string =>
  `${columns.map((column) => cell(row[column])).join(',')}\r\n`

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'number') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = startsFormula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
