// JSON for people and for diffs: what fits on one line is on one line, the rest is indented by two spaces. Entries of
// a list fill their lines, and an object with one field opens on the line of that field.

const lineLength = 120

export const printJson = (value: unknown): string => `${print(value, 0, 0)}\n`

/** `used`: characters that precede the value on its line, and a comma that may follow. */
function print(value: unknown, depth: number, used: number): string {
  const line = onOneLine(value)
  if (used + line.length <= lineLength || typeof value !== 'object' || value === null) return line
  const outer = '  '.repeat(depth)
  if (Array.isArray(value)) return `[\n${filled(value, depth + 1).join(',\n')}\n${outer}]`
  const [only, ...others] = Object.entries(value)
  if (only && others.length === 0) {
    const start = `{ ${JSON.stringify(only[0])}: `
    return `${start}${print(only[1], depth, used + start.length)} }`
  }
  const inner = `${outer}  `
  const lines = Object.entries(value).map(([name, entry]) => {
    const start = `${inner}${JSON.stringify(name)}: `
    return start + print(entry, depth + 1, start.length + 1)
  })
  return `{\n${lines.join(',\n')}\n${outer}}`
}

/** The lines of a list. */
function filled(entries: readonly unknown[], depth: number): string[] {
  const indent = '  '.repeat(depth)
  const lines: string[] = []
  for (const entry of entries) {
    const text = print(entry, depth, indent.length + 1)
    const longer = `${lines.at(-1)}, ${text}`
    if (lines.length > 0 && !longer.includes('\n') && longer.length < lineLength) lines[lines.length - 1] = longer
    else lines.push(indent + text)
  }
  return lines
}

function onOneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`
  const entries = Object.entries(value).map(([name, entry]) => `${JSON.stringify(name)}: ${onOneLine(entry)}`)
  return entries.length > 0 ? `{ ${entries.join(', ')} }` : '{}'
}
