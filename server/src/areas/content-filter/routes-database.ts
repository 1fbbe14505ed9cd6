// Endpoints of the category database: what is loaded, building it again, and the categories of a URL.

import { handle, type Route } from '../../core/area/handle.ts'
import { invalid } from '../../core/contract/error.ts'
import { read } from '../../core/model/slots.ts'
import { inSlices } from '../../core/workers/slices.ts'
import type { FoundCategory } from '../../domain/web-filter/model.ts'
import { factsOf } from '../../domain/web-filter/request-facts.ts'
import { say, sentencesIn } from '../../shared/said.ts'
import { listCategories, settings, storedCategories } from './config.ts'
import { categorize, rebuildDatabase, showDatabase } from './contract.ts'
import { webCategoriesService } from './service.ts'
import { type AskedUrl, readUrl } from './url.ts'
import { findUserCategories } from './user-lookup.ts'

export const databaseRoutes: readonly Route[] = [
  handle(categorize, async ({ query, services, config }) => {
    const asked = readUrl(query.url)
    if (!asked) throw invalid('url', say`Must be a URL such as https://example.com/page, or a name.`)
    const { url, host, path } = asked
    const { enabled_extended_categorizer: usesExtended } = read(config, settings)
    const names = new Map(listCategories(config).map(({ id, name }) => [id, name]))
    const own = await inSlices(findUserCategories(storedCategories(config), asked))
    const found = [...own, ...services.of(webCategoriesService).lookup.find(asked)]
    return {
      url,
      host,
      path,
      categories: found.map((one) => ({ ...one, name: names.get(one.id) ?? one.id })),
      all: idsForRules(asked, found, usesExtended),
    }
  }),
  handle(showDatabase, ({ services }) => {
    const { builtAt, sources, ...state } = services.of(webCategoriesService).state()
    return {
      ...state,
      sentences: sentencesIn(state.message),
      built_at: builtAt,
      sources: sources.map(({ unknownFolders, unknownCount, ...source }) => ({
        ...source,
        unknown_folders: [...unknownFolders],
        unknown_count: unknownCount,
      })),
    }
  }),
  handle(rebuildDatabase, ({ services }) => {
    // Answered at once: the state shows how it goes on.
    void services.of(webCategoriesService).build()
  }),
]

/** What a rule can name to match a plain read of the page: the lists, the groups of files, and the special categories. */
function idsForRules(asked: AskedUrl, found: readonly FoundCategory[], usesExtended: boolean): string[] {
  const nobody = { source: '', user: null, destination: null, time: 0, requestType: null, replyType: null }
  const { categories } = factsOf(
    { ...asked, ...nobody, stage: 'request', method: 'GET' },
    { find: () => found },
    usesExtended,
  )
  return [...new Set(categories)]
}
