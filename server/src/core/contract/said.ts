// Sentences of the gateway that a client may say in another language: the English text with `{0}` where a value stands, and the values.
// The text is the code: it is the same whatever the values are. Pure.

export interface Sentence {
  readonly text: string
  readonly values: string[]
}

/** Something that was said: as it is, or sentence by sentence. */
export type Said = string | Sentence | readonly Said[]

type Value = string | number

/** say`The load is ${load} on ${count} processors.` */
export const say = (texts: TemplateStringsArray, ...values: readonly Value[]): Sentence => ({
  text: texts.reduce((all, text, at) => `${all}{${at - 1}}${text}`),
  values: values.map(String),
})

/** What others said, such as a program or the kernel, stands beside our sentences as it is. */
const asItIs = (text: string): Sentence => ({ text: '{0}', values: [text] })

export function sentencesOf(said: Said): Sentence[] {
  if (typeof said === 'string') return said === '' ? [] : [asItIs(said)]
  return 'text' in said ? [said] : said.flatMap(sentencesOf)
}

/** In English. */
export const printSaid = (said: Said): string =>
  sentencesOf(said)
    .map(({ text, values }) => text.replaceAll(/\{(\d+)\}/g, (_, at: string) => values[Number(at)] ?? ''))
    .join(' ')
