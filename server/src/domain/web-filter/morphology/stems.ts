// The stem of a word by the Snowball algorithms: Russian for Cyrillic words, English for Latin ones. Other words are their
// own stems. The only place that knows the two packages.

import { stemmer as stemRussian } from '@orama/stemmers/russian'
import { stem as stemEnglish } from 'porter2'

/** The word must be as `words.ts` gives it. */
export function stemOf(word: string): string {
  if (isOf(word, 0x430, 0x44f)) return stemRussian(word)
  return isOf(word, 0x61, 0x7a) ? stemEnglish(word) : word
}

/** Whether all letters are in the range; an apostrophe is part of English words. */
function isOf(word: string, first: number, last: number): boolean {
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at)
    if ((code < first || code > last) && !(code === 0x27 && first === 0x61)) return false
  }
  return word !== ''
}
