// Sentences whose texts are declared elsewhere, and sentences one by one. Apart from said.ts, because applyd needs neither.

import { find, remember, type SaidText, type Sentence, type Texts, textsOf } from './said.ts'

/** What `say` gives, for a text that is declared elsewhere, with `{name}` where a value is. */
export function sayText(text: string, values: Readonly<Record<string, string | number>> = {}): SaidText {
  const said: string[] = []
  const message = text.replaceAll(/\{(\w+)\}/g, (mark, name: string) => {
    if (!Object.hasOwn(values, name)) return mark
    said.push(String(values[name]))
    return String(values[name])
  })
  return remember(message, text, said)
}

/** Sentence by sentence; what others said, such as a program or the kernel, is the one value of a sentence without words. */
export const sentencesOf = (said: Texts): Pick<Sentence, 'text' | 'values'>[] =>
  textsOf(said).map((text) => {
    const found = find(text)
    return found ? { text: found.text, values: found.values } : { text: '{0}', values: [text] }
  })
