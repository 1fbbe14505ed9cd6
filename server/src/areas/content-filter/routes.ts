// Endpoints of the content filter.

import { handle, type Route } from '../../core/area/handle.ts'
import { rawReply } from '../../core/area/raw-reply.ts'
import { listRoutes, perValue, settingsRoutes } from '../../core/area/routes.ts'
import * as stored from './config.ts'
import {
  categories,
  contentRules,
  dictionaries,
  filterSettings,
  morphologyState,
  safeSearch,
  userCategories,
} from './contract.ts'
import { printDictionary } from './dictionary-csv.ts'
import { removeDictionary, requireDictionary, updateDictionary } from './edits.ts'
import { categoryList, dictionaryList, ruleList } from './lists.ts'
import { databaseRoutes } from './routes-database.ts'

const shown = perValue(stored.showDictionaries)

const dictionaryRoutes: readonly Route[] = [
  ...listRoutes({ list: dictionaries.list, create: dictionaries.create }, dictionaryList, { shown }),
  handle(
    dictionaries.update,
    ({ params, body, change }) => change((config) => updateDictionary(config, params.dict_id, body)),
    { slot: stored.dictionaries },
  ),
  handle(
    dictionaries.remove,
    ({ params, change }) =>
      change((config, { referencesTo }) => removeDictionary(config, params.dict_id, referencesTo)),
    { slot: stored.dictionaries },
  ),
  handle(dictionaries.download, ({ params, config, setHeader }) => {
    const dictionary = requireDictionary(config, params.dict_id)
    setHeader('content-disposition', `attachment; filename="dictionary-${dictionary.id}.csv"`)
    return rawReply('text/csv; charset=utf-8', printDictionary(dictionary))
  }),
]

export const routes: readonly Route[] = [
  ...settingsRoutes(filterSettings, stored.settings),
  ...settingsRoutes(safeSearch, stored.safeSearch),
  ...settingsRoutes(morphologyState, stored.morphology),
  handle(categories.list, ({ config }) => stored.listCategories(config)),
  ...listRoutes(userCategories, categoryList),
  ...listRoutes({ list: userCategories.listAgain }, categoryList),
  ...listRoutes(contentRules, ruleList),
  ...dictionaryRoutes,
  ...databaseRoutes,
]
