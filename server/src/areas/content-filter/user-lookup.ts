// The user categories of a URL, found by looking at each entry: for a question that is asked seldom. The decision process has
// a table of them instead (domain/web-filter/entry-table.ts); a test compares the two. Yields, so that others get their turn.

import { canonicalPath } from '../../domain/web-filter/hosts.ts'
import type { FoundCategory } from '../../domain/web-filter/model.ts'
import {
  compareEntries,
  type EntryQuestion,
  isCovered,
  parseEntry,
  type UrlEntry,
} from '../../domain/web-filter/url-entries.ts'
import type { UserCategory } from './contract-categories.ts'

const entriesAtOnce = 500

/** The most specific entry over all user categories wins; several categories can have it. */
export function* findUserCategories(
  categories: readonly UserCategory[],
  asked: EntryQuestion,
): Generator<undefined, FoundCategory[]> {
  const question = { ...asked, path: asked.path === null ? null : canonicalPath(asked.path) }
  let best: UrlEntry | null = null
  let found: FoundCategory[] = []
  let looked = 0
  for (const { id, name, urls } of categories) {
    for (const text of urls) {
      if (++looked % entriesAtOnce === 0) yield
      const entry = parseEntry(text)
      if (!entry || !isCovered(entry, question)) continue
      const difference = best === null ? 1 : compareEntries(entry, best)
      if (difference < 0) continue
      if (difference > 0) found = []
      best = entry
      if (!found.some((one) => one.id === id)) found.push({ id, entry: text, source: name })
    }
  }
  return found
}
