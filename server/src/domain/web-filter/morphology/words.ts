// Cuts text into words as a reader sees them: lower case, ё as е, without soft hyphens, zero-width characters and accents,
// and with letters of one alphabet where some only look alike (decision 80). It takes text in pieces of any size.

const broken = 0
const dropped = 1
const breve = 0x306
const maxWordLength = 64

const invisible = /^[\p{Cf}\p{Mn}\p{Me}\u115f\u1160\u3164\uffa0]$/u
const letter = /^[\p{L}\p{N}]$/u

/** The character that counts, `dropped` for one that does not show, `broken` for one that is not part of a word. */
function fold(point: number): number {
  const character = String.fromCodePoint(point)
  if (invisible.test(character)) return dropped
  const isCyrillic = point >= 0x400 && point <= 0x4ff
  const plain = (isCyrillic ? character : character.normalize('NFKD')).toLowerCase()
  const first = String.fromCodePoint(plain.codePointAt(0) ?? 0)
  if (!letter.test(first) || first.length !== 1) return broken
  return first === 'ё' || first === 'ѐ' ? 0x435 : first.charCodeAt(0)
}

/** The characters of nearly all pages; others are worked out when they come. */
const common = Uint16Array.from({ length: 0x600 }, (_, point) => fold(point))
const foldOf = (point: number): number => (point < common.length ? (common[point] ?? broken) : fold(point))

const twins: ReadonlyMap<string, string> = new Map(
  [...'abcehkmoptxy'].map((latin, index) => [latin, [...'авсенкмортху'][index] ?? '']),
)
const latinTwins: ReadonlyMap<string, string> = new Map([...twins].map(([latin, cyrillic]) => [cyrillic, latin]))

const isCyrillic = (code: number): boolean => code >= 0x430 && code <= 0x4ff
const isLatin = (code: number): boolean => code >= 0x61 && code <= 0x7a

/** Cyrillic where every Latin letter has a Cyrillic twin, else Latin the other way round, else as it is. */
function inOneAlphabet(word: string): string {
  const letters = [...word]
  const fits = (table: ReadonlyMap<string, string>, of: (code: number) => boolean) =>
    letters.every((one) => !of(one.charCodeAt(0)) || table.has(one))
  if (fits(twins, isLatin)) return letters.map((one) => twins.get(one) ?? one).join('')
  if (fits(latinTwins, isCyrillic)) return letters.map((one) => latinTwins.get(one) ?? one).join('')
  return word
}

const apostrophe = 0x27

export class WordReader {
  readonly #onWord: (word: string) => void
  readonly #codes = new Uint16Array(maxWordLength)
  #length = 0
  #isTooLong = false
  #hasLatin = false
  #hasCyrillic = false
  #isApostrophePending = false
  #highSurrogate = 0

  /** An empty word stands for one that is too long to be in a dictionary. */
  constructor(onWord: (word: string) => void) {
    this.#onWord = onWord
  }

  /** One UTF-16 unit. */
  push(unit: number): void {
    if (unit >= 0xd800 && unit <= 0xdbff) {
      this.#highSurrogate = unit
      return
    }
    const isLow = unit >= 0xdc00 && unit <= 0xdfff
    const point =
      isLow && this.#highSurrogate > 0 ? (this.#highSurrogate - 0xd800) * 0x400 + unit - 0xdc00 + 0x10000 : unit
    this.#highSurrogate = 0
    const code = point >= 0xd800 && point <= 0xdfff ? broken : foldOf(point)
    if (code === dropped) {
      if (point === breve && this.#length > 0 && this.#codes[this.#length - 1] === 0x438)
        this.#codes[this.#length - 1] = 0x439
    } else if (code !== broken) this.#add(code)
    else if ((unit === apostrophe || unit === 0x2019) && this.#hasLatin && !this.#hasCyrillic)
      this.#isApostrophePending = true
    else this.end()
  }

  text(text: string): void {
    for (let at = 0; at < text.length; at++) this.push(text.charCodeAt(at))
  }

  /** The word ends here, whatever comes next. */
  end(): void {
    this.#isApostrophePending = false
    if (this.#length === 0) return
    const word = this.#isTooLong ? '' : String.fromCharCode(...this.#codes.subarray(0, this.#length))
    const isMixed = this.#hasLatin && this.#hasCyrillic && !this.#isTooLong
    this.#length = 0
    this.#isTooLong = false
    this.#hasLatin = false
    this.#hasCyrillic = false
    this.#onWord(isMixed ? inOneAlphabet(word) : word)
  }

  #add(code: number): void {
    if (this.#isApostrophePending) {
      this.#isApostrophePending = false
      if (!isLatin(code)) this.end()
      else this.#append(apostrophe)
    }
    if (isLatin(code)) this.#hasLatin = true
    else if (isCyrillic(code)) this.#hasCyrillic = true
    this.#append(code)
  }

  #append(code: number): void {
    if (this.#length === maxWordLength) this.#isTooLong = true
    else this.#codes[this.#length++] = code
  }
}

/** The words of a short text. */
export function wordsOf(text: string): readonly string[] {
  const words: string[] = []
  const reader = new WordReader((word) => words.push(word))
  reader.text(text)
  reader.end()
  return words
}
