// Lists as CSV (RFC 4180): a header row of the columns asked for, booleans as True and False, and nothing a spreadsheet
// would run as a formula.

const startsFormula = /^[=+\-@\t\r]/

export function toCsv(columns: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]): string {
  return csvHeader(columns) + csvLines(columns, rows)
}

export const csvHeader = (columns: readonly string[]): string => `${columns.map(cell).join(',')}\r\n`

/** Without the header, for rows that are sent in pieces. */
export const csvLines = (columns: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]): string =>
  rows.map((row) => `${columns.map((column) => cell(row[column])).join(',')}\r\n`).join('')

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'number') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = startsFormula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
