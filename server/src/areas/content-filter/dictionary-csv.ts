// A dictionary as a file that clients can import: `threshold;title;comment`, then `word;weight` for each word. What a
// spreadsheet would run as a formula is made text, as in every CSV of this product.

import type { Dictionary } from './contract-dictionaries.ts'

const startsFormula = /^[=+\-@\t\r]/

function cell(value: string): string {
  const safe = startsFormula.test(value) ? `'${value}` : value
  return /[";\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export const printDictionary = ({ threshold, title, comment, words }: Dictionary): string =>
  [`${threshold};${cell(title)};${cell(comment)}`, ...words.map(({ value, weight }) => `${cell(value)};${weight}`)]
    .map((line) => `${line}\r\n`)
    .join('')
