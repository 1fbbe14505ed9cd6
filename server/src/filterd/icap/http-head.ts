// The head of an HTTP message as ICAP encapsulates it: read, asked for its fields, and printed with fields left out. Lines
// keep their bytes, so what is not changed is passed on as it came.

export interface HttpHead {
  readonly start: string
  readonly lines: readonly { readonly name: string; readonly line: string }[]
}

/**
 * Bytes are one character each. Null when it is not a head. Who reads it limits its bytes, not its lines: a head that is not understood
 * is one of a reply about which nothing is known.
 */
export function parseHead(text: string): HttpHead | null {
  const [start = '', ...rest] = text.split('\r\n')
  const lines = rest.filter((line) => line !== '')
  if (start === '') return null
  return {
    start,
    lines: lines.map((line) => ({
      name: line
        .slice(0, Math.max(0, line.indexOf(':')))
        .trim()
        .toLowerCase(),
      line,
    })),
  }
}

/** All values of the field, joined; null when there is none. */
export function fieldOf(head: HttpHead, name: string): string | null {
  const values = head.lines
    .filter((one) => one.name === name)
    .map(({ line }) => line.slice(line.indexOf(':') + 1).trim())
  return values.length === 0 ? null : values.join(', ')
}

export const statusOf = ({ start }: HttpHead): number => Number(/^HTTP\/[0-9.]+ ([0-9]{3})/.exec(start)?.[1] ?? 0)

/** The URL of a request line, as sent. */
export const targetOf = ({ start }: HttpHead): string => start.split(' ')[1] ?? ''

export const without = (head: HttpHead, names: ReadonlySet<string>, added: readonly string[] = []): HttpHead => ({
  start: head.start,
  lines: [...head.lines.filter(({ name }) => !names.has(name)), ...added.map((line) => ({ name: '', line }))],
})

export const printHead = ({ start, lines }: HttpHead): Buffer =>
  Buffer.from([start, ...lines.map(({ line }) => line), '', ''].join('\r\n'), 'latin1')
