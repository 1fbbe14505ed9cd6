// JSON of a value as a sequence of short texts, each the work of less than a millisecond, so that others can have their turn in
// between. Joined, they are what JSON.stringify() makes of plain data. Pure.

/** Characters, about, of one text. */
const pieceLength = 32 * 1024

/** What the JSON of a value has in characters, about; nothing is looked at beyond `most`. */
export function lengthOf(value: unknown, most = Number.POSITIVE_INFINITY): number {
  if (typeof value === 'string') return value.length + 3
  if (typeof value !== 'object' || value === null) return 6
  let length = 2
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && length <= most; at++) length += lengthOf(value[at], most - length)
    return length
  }
  for (const name in value) {
    if (length > most) break
    length += name.length + 4 + lengthOf((value as Readonly<Record<string, unknown>>)[name], most - length)
  }
  return length
}

export function* jsonTexts(value: unknown): Generator<string, void> {
  if (lengthOf(value, pieceLength) <= pieceLength) yield JSON.stringify(value) ?? 'null'
  else if (typeof value === 'string') yield* stringTexts(value)
  else if (Array.isArray(value)) yield* listTexts(value)
  else yield* objectTexts(value as Readonly<Record<string, unknown>>)
}

function* stringTexts(text: string): Generator<string, void> {
  yield '"'
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + pieceLength, text.length)
    // Halves of one character would be printed as two escapes.
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end++
    yield JSON.stringify(text.slice(at, end)).slice(1, -1)
    at = end
  }
  yield '"'
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff

function* listTexts(list: readonly unknown[]): Generator<string, void> {
  yield '['
  let begin = 0
  let length = 0
  const stretch = (end: number): string =>
    `${begin > 0 ? ',' : ''}${JSON.stringify(list.slice(begin, end)).slice(1, -1)}`
  for (let at = 0; at < list.length; at++) {
    const own = lengthOf(list[at], pieceLength)
    if (begin < at && length + own > pieceLength) {
      yield stretch(at)
      begin = at
      length = 0
    }
    length += own
    if (own <= pieceLength) continue
    if (at > 0) yield ','
    yield* jsonTexts(list[at])
    begin = at + 1
    length = 0
  }
  if (begin < list.length) yield stretch(list.length)
  yield ']'
}

function* objectTexts(value: Readonly<Record<string, unknown>>): Generator<string, void> {
  let before = '{'
  for (const [name, inner] of Object.entries(value)) {
    if (inner === undefined) continue
    yield `${before}${JSON.stringify(name)}:`
    yield* jsonTexts(inner)
    before = ','
  }
  yield before === '{' ? '{}' : '}'
}
