// Tables as text: CSV as spreadsheets write it (comma, semicolon or tab), and back without anything that runs as a formula. Pure.

const startsFormula = /^[=+\-@\t\r]/

export function writeCsv(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, ...rows].map((row) => `${row.map(writeCell).join(',')}\r\n`).join('')
}

function writeCell(text: string): string {
  const safe = startsFormula.test(text) ? `'${text}` : text
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Rows of cells; empty lines are left out. Throws nothing: an open quote ends with the file. */
export function readCsv(text: string): string[][] {
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text
  const separator = separatorOf(source)
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let isQuoted = false
  const endCell = (): void => {
    row.push(readCell(cell))
    cell = ''
  }
  const endRow = (): void => {
    endCell()
    if (row.some((value) => value !== '')) rows.push(row)
    row = []
  }
  for (let at = 0; at < source.length; at++) {
    const char = source[at] as string
    if (isQuoted) {
      if (char !== '"') cell += char
      else if (source[at + 1] === '"') {
        cell += '"'
        at++
      } else isQuoted = false
    } else if (char === '"' && cell.trim() === '') {
      isQuoted = true
      cell = ''
    } else if (char === separator) endCell()
    else if (char === '\n') endRow()
    else if (char !== '\r') cell += char
  }
  if (cell !== '' || row.length > 0) endRow()
  return rows
}

const readCell = (text: string): string => {
  const trimmed = text.trim()
  return trimmed.startsWith("'") && startsFormula.test(trimmed.slice(1)) ? trimmed.slice(1) : trimmed
}

/** The one that is most often in the first line. */
function separatorOf(text: string): string {
  const [line = ''] = text.split('\n', 1)
  const count = (char: string): number => line.split(char).length
  return [',', ';', '\t'].toSorted((a, b) => count(b) - count(a))[0] ?? ','
}
