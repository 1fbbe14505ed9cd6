// Text on its way to a terminal: control characters made visible, widths as they are displayed, cutting and wrapping.
// Whatever the gateway or a file says passes here before it is printed, so that it cannot steer the terminal.

/** C0, DEL, C1, line separators, marks that turn the direction of text around, and lone surrogates. */
const unsafe =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/gu

const shortForms: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const hex = (character: string, length: number): string =>
  (character.codePointAt(0) ?? 0).toString(16).padStart(length, '0')

function showUnsafe(character: string): string {
  const short = shortForms[character]
  if (short !== undefined) return short
  return character <= '\u00ff' ? `\\x${hex(character, 2)}` : `\\u${hex(character, 4)}`
}

export const escapeText = (text: string): string => text.replaceAll(unsafe, showUnsafe)

/** For text of several lines, such as CSV: line ends stay. */
export const escapeLines = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => line.split('\t').map(escapeText).join('\t'))
    .join('\n')

/** JSON that is the same value for a program and harmless for a terminal. */
export const showJson = (value: unknown, indent = 0): string =>
  (JSON.stringify(value, null, indent) ?? 'null').replaceAll(unsafe, (character) =>
    character === '\n' ? character : `\\u${hex(character, 4)}`,
  )

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
const isPlain = /^[\u0020-\u007e]*$/
const isWide =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Emoji}\ufe0f)/u
const isZero = /^[\p{M}\p{Cf}]+$/u

function graphemeWidth(grapheme: string): number {
  if (isZero.test(grapheme)) return 0
  return isWide.test(grapheme) ? 2 : 1
}

/** Columns the text takes on a terminal. */
export function widthOf(text: string): number {
  if (isPlain.test(text)) return text.length
  let width = 0
  for (const { segment } of segmenter.segment(text)) width += graphemeWidth(segment)
  return width
}

/** At most `width` columns; what is missing shows as an ellipsis. */
export function cutText(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let used = 0
  let kept = ''
  for (const { segment } of segmenter.segment(text)) {
    used += graphemeWidth(segment)
    if (used > width - 1) break
    kept += segment
  }
  return `${kept}…`
}

export const padText = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)))

/** Lines of at most `width` columns, broken at spaces; a longer word is cut into pieces. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ').flatMap((long) => breakWord(long, width))) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

function breakWord(word: string, width: number): string[] {
  const pieces: string[] = []
  let piece = ''
  for (const { segment } of segmenter.segment(word)) {
    if (widthOf(piece) + graphemeWidth(segment) > width) {
      pieces.push(piece)
      piece = ''
    }
    piece += segment
  }
  return [...pieces, piece]
}
