// Sentences that a client may show in another language. say`…` gives the English text. What it was made of is kept beside it:
// a code, the text with `{0}` where a value is, and the values. Where an answer is sent, they are found by the English text.
// See docs/decisions/0116-faults-have-codes.md.

export interface Sentence {
  /** In English, with its values. */
  readonly message: string
  /** The same whatever the values are. */
  readonly code: string
  readonly text: string
  /** In the order of their places in the text. */
  readonly values: string[]
}

/** Something that was said: a text, or several that follow each other. */
export type Said = SaidText | readonly Said[]
/** The same where it is read: an answer, a stored text, or the words of a program. */
export type Texts = string | readonly Texts[]

/** Sentences without values: as many as the sources have. */
const fixed = new Map<string, Sentence>()
/** Those with values, by the English text. */
const known = new Map<string, Sentence>()
/** Of each code the texts, in the order in which they were last said or asked for. */
const textsByCode = new Map<string, Set<string>>()
/** A code that is said often, such as a load, must not push out what another said days ago and a page still shows. */
const mostOfOneCode = 1_024
const mostSentences = 8_192
/** Longer ones are lists and output of programs. */
const maxLength = 8_000
/** Characters of all of them: what clients send is in the values. */
const mostCharacters = 1_000_000
let characters = 0

declare const said: unique symbol
/**
 * An English text that was made with `say`, the words of another program, or nothing. Whatever an administrator is told has this
 * type, so that no plain text gets there: it would have no code, and would be shown in English.
 */
export type SaidText = '' | (string & { readonly [said]: true })

/** The words of another program or of the kernel. They have no code and are shown as they are. */
export const verbatim = (words: string): SaidText => words as SaidText

/** say`The load is ${load} on ${count} processors.` */
export function say(texts: TemplateStringsArray, ...values: readonly unknown[]): SaidText {
  const said = values.map(String)
  return remember(
    String.raw({ raw: texts }, ...said),
    texts.reduce((all, text, at) => `${all}{${at - 1}}${text}`),
    said,
  )
}

/** What `say` gives, for a text and its values. */
export function remember(message: string, text: string, values: string[]): SaidText {
  if (values.length === 0) {
    if (!fixed.has(message)) fixed.set(message, { message, code: codeOf(text), text, values })
  } else if (message.length <= maxLength) {
    keep(known.get(message) ?? { message, code: codeOf(text), text, values })
  }
  return message as SaidText
}

function keep(sentence: Sentence): void {
  const { code, message } = sentence
  // Not with getOrInsert: browsers of the console may not have it.
  const texts = textsByCode.get(code) ?? new Set()
  textsByCode.set(code, texts)
  texts.delete(message)
  texts.add(message)
  if (!known.has(message)) characters += message.length
  known.set(message, sentence)
  if (texts.size > mostOfOneCode) forgetHalf(texts)
  if (known.size > mostSentences || characters > mostCharacters) for (const all of textsByCode.values()) forgetHalf(all)
}

function forgetHalf(texts: Set<string>): void {
  for (const text of [...texts].slice(0, texts.size / 2)) {
    texts.delete(text)
    known.delete(text)
    characters -= text.length
  }
}

/** Sentences that another process made: they are known here too. */
export function adopt(sentences: readonly Sentence[]): void {
  for (const sentence of sentences) if (!find(sentence.message)) keep(sentence)
}

/** What a text was made of; undefined for what a program said, or what was said long ago. */
export function find(message: string): Sentence | undefined {
  const found = known.get(message)
  if (found) keep(found)
  return fixed.get(message) ?? found
}

const codes = new Map<string, string>()
const maxCode = 56

/** The words of the text, with `x` for a value; of a long one the first, and a mark of the whole. */
export function codeOf(text: string): string {
  const made = codes.get(text)
  if (made !== undefined) return made
  const words = (
    text
      .replaceAll(/\{\w+\}/g, ' x ')
      .toLowerCase()
      .match(/[a-z\d]+/g) ?? []
  ).join('_')
  const code = words.length <= maxCode ? words : `${words.slice(0, maxCode - 5).replace(/_[^_]*$/, '')}_${markOf(text)}`
  if (codes.size < mostSentences) codes.set(text, code)
  return code
}

/** FNV-1a, of which four digits are enough beside the words. */
function markOf(text: string): string {
  let hash = 0x81_1c_9d_c5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93)
  return (hash >>> 16).toString(16).padStart(4, '0')
}

/** One answer carries at most this many. */
const maxSentences = 500

/** The sentences that these texts are, and those that are values of them. What another program said is in none. */
export function sentencesIn(said: Texts): Sentence[] {
  const found = new Map<string, Sentence>()
  const add = (message: string): void => {
    if (found.has(message) || found.size >= maxSentences) return
    const sentence = find(message)
    if (!sentence) return
    found.set(message, sentence)
    for (const value of sentence.values) add(value)
  }
  for (const message of textsOf(said)) add(message)
  return [...found.values()]
}

export const textsOf = (said: Texts): string[] =>
  typeof said === 'string' ? (said === '' ? [] : [said]) : said.flatMap(textsOf)

/** As one text in English, which is a sentence itself. */
export const printSaid = (said: Said, between = ' '): SaidText =>
  textsOf(said).reduce<SaidText>((one, other) => (one === '' ? verbatim(other) : say`${one}${between}${other}`), '')
