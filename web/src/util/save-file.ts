// Files that the person keeps: text that was made here, and replies that are files.

/** A name that every system takes: what is not a letter, digit, dot, hyphen or underscore becomes a hyphen. */
export const tidyFileName = (name: string): string => name.replaceAll(/[^\w.-]+/g, '-').slice(0, 120)

export function saveBlob(name: string, blob: Blob): void {
  const link = document.createElement('a')
  const address = URL.createObjectURL(blob)
  link.href = address
  link.download = tidyFileName(name)
  link.click()
  // The browser has taken the address by then; without this the file stays in memory.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

export const saveText = (name: string, text: string, type = 'text/plain'): void =>
  saveBlob(name, new Blob([text], { type: `${type};charset=utf-8` }))

type Cell = string | number | boolean | null | undefined

/** Programs that read tables take texts that begin so as formulas. */
const isFormula = (text: string): boolean => /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text)

function cellOf(value: Cell): string {
  const text = value === null || value === undefined ? '' : String(value)
  const safe = isFormula(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Lines of CSV with a head, as RFC 4180 says. */
export const printCsv = (head: readonly string[], rows: Iterable<readonly Cell[]>): string =>
  [head, ...rows].map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')
