// Endpoints of the category database: what is loaded, building it again, and the categories of a URL.

import { invalid } from '../../contract/error.ts'
import { handle, type Route } from '../../http/handle.ts'
import { inSlices } from '../../workers/slices.ts'
import { listCategories, storedCategories } from './config.ts'
import { categorize, rebuildDatabase, showDatabase } from './contract.ts'
import { readUrl } from './url.ts'
import { findUserCategories } from './user-lookup.ts'

export const databaseRoutes: readonly Route[] = [
  handle(categorize, async ({ query, services, config }) => {
    const asked = readUrl(query.url)
    if (!asked) throw invalid('url', 'Must be a URL such as https://example.com/page, or a name.')
    const { url, host, path } = asked
    const names = new Map(listCategories(config).map(({ id, name }) => [id, name]))
    const own = await inSlices(findUserCategories(storedCategories(config), asked))
    const found = [...own, ...services.webCategories.lookup.find(asked)]
    return {
      ...{ url, host, path },
      categories: found.map((one) => ({ ...one, name: names.get(one.id) ?? one.id })),
      all: [...new Set(found.map(({ id }) => id))],
    }
  }),
  handle(showDatabase, ({ services }) => {
    const { builtAt, sources, ...state } = services.webCategories.state()
    return {
      ...state,
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
    void services.webCategories.build()
  }),
]
