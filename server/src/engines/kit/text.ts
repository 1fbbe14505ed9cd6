// Messages for administrators and log lines: nothing from an engine or an error may break a line or show internal paths.

export type Log = (level: 'info' | 'warning' | 'error', message: string, fields?: Readonly<object>) => void

const unprintable = /[\p{Cc}\u2028\u2029\p{Cs}]+/gu

/** One bounded line without control characters. */
export const oneLine = (text: string): string => text.replace(unprintable, ' ').slice(0, 300).trim()

/** The message of an error; the path that node adds to it belongs to the log only. */
export const wordsOf = (fault: unknown): string =>
  oneLine(fault instanceof Error ? fault.message.replace(/,? \w+ '\/[^']*'( -> '[^']*')?/g, '') : String(fault))

/** `bad option at line 7 of x.conf`: the object of that line, by the nearest comment above it that names one. */
export function objectOfComplaint(words: string, textOf: (file: string) => string): string | null {
  const [, line = '0', file = ''] = words.match(/\bat line (\d+) of ([\w.-]+)/) ?? []
  const above = file === '' ? [] : textOf(file).split('\n').slice(0, Number(line))
  const comment = above.findLast((text) => text.startsWith('#')) ?? ''
  return comment.match(/^# ([a-z_]+\.[A-Za-z0-9_.[\]-]{1,160})$/)?.[1] ?? null
}

/** One JSON object for each line. JSON leaves DEL, C1 and the Unicode line ends as they are, so they are escaped here. */
export const createLog =
  (write: (line: string) => void): Log =>
  (level, message, fields = {}) => {
    const line = JSON.stringify({ time: new Date().toISOString(), level, message, ...fields }, printable)
    const toEscape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
    write(`${line.replace(/[\x7f-\x9f\u2028\u2029]/g, toEscape)}\n`)
  }

const printable = (_name: string, value: unknown): unknown =>
  value instanceof Error ? { message: value.message, stack: value.stack, cause: value.cause } : value
