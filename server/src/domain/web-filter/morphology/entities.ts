// Character references of HTML that matter for words: numbers, the invisible and separating characters, and the letters of
// the Russian alphabet. A reference that is not known is read as text.

const names: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', shy: '\u00ad', zwj: '\u200d' }),
  ...Object.entries({ zwnj: '\u200c', lrm: '\u200e', rlm: '\u200f', NoBreak: '\u2060', ZeroWidthSpace: '\u200b' }),
  ...Object.entries({ ensp: ' ', emsp: ' ', thinsp: ' ', hairsp: ' ', mdash: ' ', ndash: ' ', hyphen: '-', dash: '-' }),
  ...Object.entries({ rsquo: '\u2019', lsquo: '\u2018', laquo: '«', raquo: '»', hellip: '…', bull: '•', middot: '·' }),
  ...[...'абвгдеёжзийклмнопрстуфхцчшщъыьэюя'].map((letter, index): [string, string] => [
    `${'a b v g d ie io zh z i j k l m n o p r s t u f kh ts ch sh shch hard y soft e yu ya'.split(' ')[index]}cy`,
    letter,
  ]),
])

/** Those that browsers also read without a semicolon and before further letters. */
const legacy = ['amp', 'lt', 'gt', 'quot', 'nbsp', 'shy', 'laquo', 'raquo', 'middot']

/** Longer ones are read as text; zeros in front of a number are not counted. */
export const maxReference = 32

/** What is between `&` and its end, as text. */
export function readReference(name: string, hasSemicolon: boolean): string {
  const whole = `&${name}${hasSemicolon ? ';' : ''}`
  if (name.startsWith('#')) {
    const isHex = name[1] === 'x' || name[1] === 'X'
    const digits = name.slice(isHex ? 2 : 1)
    const point = digits === '' ? Number.NaN : Number(`${isHex ? '0x' : ''}${digits}`)
    return point > 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff) ? String.fromCodePoint(point) : whole
  }
  const known = hasSemicolon ? findName(name) : undefined
  if (known !== undefined) return known
  const start = legacy.find((one) => name.toLowerCase().startsWith(one))
  return start === undefined ? whole : `${names.get(start)}${name.slice(start.length)}${hasSemicolon ? ';' : ''}`
}

/** Letters have a name for each case; the case does not count for words. */
const findName = (name: string): string | undefined => names.get(name) ?? names.get(name.toLowerCase())
