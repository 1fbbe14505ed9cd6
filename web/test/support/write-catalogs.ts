// npm run web:messages: brings the catalogs up to date with what the console shows, and says what is not translated. With names
// of catalogs only those are written.

import { arrange, readEntries, usedTexts, writeCatalogs, writeCodes } from './catalogs.ts'

const language = 'ru'
const chosen = new Set(process.argv.slice(2))
const before = readEntries(language)
const entries = arrange(await usedTexts(), before)
const written = writeCatalogs(language, entries, chosen)
writeCodes()
const texts = new Set(entries.map(({ text }) => text))
const known = new Set(before.map(({ text }) => text))
const missing = Map.groupBy(
  entries.filter(({ translation, catalog }) => translation === '' && (chosen.size === 0 || chosen.has(catalog))),
  ({ catalog }) => catalog,
)
console.log(
  `${texts.size} texts: ${[...texts].filter((text) => !known.has(text)).length} new, ` +
    `${[...known].filter((text) => !texts.has(text)).length} removed, ${written.length} catalogs written.`,
)
for (const [catalog, own] of [...missing].sort()) {
  console.log(`web/src/messages/${catalog}/${language}.po: ${own.length} without a translation`)
}
