// Control, bidi and other invisible characters of foreign text as visible marks, so that a name cannot reorder,
// hide or imitate what is beside it.

export interface TextPart {
  readonly text: string
  /** A mark instead of a character, such as `U+202E`. */
  readonly isMark: boolean
}

/** Control and format characters, lone surrogates, private use, line separators, and blanks other than the plain one. */
const invisible =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u2028\u2029\u00A0\u115F\u1160\u2000-\u200A\u202F\u205F\u2800\u3000\u3164\uFFA0]/u
const split = new RegExp(`(${invisible.source})`, 'gu')

const names: Readonly<Record<string, string>> = { '\t': '⇥', '\n': '↵', '\r': 'CR', '\u0000': 'NUL', '\u001B': 'ESC' }

export function markOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return names[character] ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

/** At most `limit` characters of the text; what was cut ends with an ellipsis. */
export function partsOf(text: string, limit = 500): readonly TextPart[] {
  const isCut = text.length > limit
  const shown = isCut ? cut(text, limit) : text
  const parts = shown
    .split(split)
    .filter((part) => part !== '')
    .map((part) => (invisible.test(part) ? { text: markOf(part), isMark: true } : { text: part, isMark: false }))
  return isCut ? [...parts, { text: '…', isMark: false }] : parts
}

/** Never between the two halves of one character. */
function cut(text: string, limit: number): string {
  const last = text.charCodeAt(limit - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit)
}

export const hasMarks = (text: string): boolean => invisible.test(text)
