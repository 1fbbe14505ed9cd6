// Endpoints of the content filter.

import { randomUUID } from 'node:crypto'
import { handle, type Route, rawReply } from '../../http/handle.ts'
import { perValue, settingsRoutes } from '../../http/routes.ts'
import { type Config, read } from '../../model/slots.ts'
import * as stored from './config.ts'
import {
  categories,
  contentRules,
  dictionaries,
  filterSettings,
  filterState,
  filterStatus,
  morphologyState,
  safeSearch,
  userCategories,
} from './contract.ts'
import type { UserCategory } from './contract-categories.ts'
import type { ContentRule } from './contract-rules.ts'
import { printDictionary } from './dictionary-csv.ts'
import {
  addCategory,
  addDictionary,
  addRule,
  moveRule,
  removeCategory,
  removeDictionary,
  removeRule,
  replaceCategory,
  requireDictionary,
  updateDictionary,
  updateRule,
} from './edits.ts'
import { filterStatusItems } from './status.ts'

const ofCategories = { slot: stored.userCategories }
const ofRules = { slot: stored.rules }
const ofDictionaries = { slot: stored.dictionaries }

const listUserCategories = ({ config }: { readonly config: Config }) =>
  stored.listUserCategories(config) as UserCategory[]

const categoryRoutes: readonly Route[] = [
  handle(categories.list, ({ config }) => stored.listCategories(config)),
  handle(userCategories.list, listUserCategories, ofCategories),
  handle(userCategories.listAgain, listUserCategories, ofCategories),
  handle(
    userCategories.create,
    ({ body, change }) =>
      change((config, tools) => {
        const [next, id] = addCategory(config, tools.nextId(stored.userCategories), body)
        return [next, { id }] as const
      }),
    ofCategories,
  ),
  handle(
    userCategories.replace,
    ({ params, body, change }) => change((config) => replaceCategory(config, params.category_id ?? '', body)),
    ofCategories,
  ),
  handle(
    userCategories.remove,
    ({ params, change, services }) => {
      const id = params.category_id ?? ''
      return change((config) => removeCategory(config, id, services.referencesTo(config, id)))
    },
    ofCategories,
  ),
]

const ruleRoutes: readonly Route[] = [
  handle(contentRules.list, ({ config }) => stored.listRules(config) as ContentRule[], ofRules),
  handle(
    contentRules.create,
    ({ body, query, change }) =>
      change((config, tools) => {
        const [next, id] = addRule(config, tools.nextId(stored.rules), body, query)
        return [next, { id }] as const
      }),
    ofRules,
  ),
  handle(
    contentRules.update,
    ({ params, body, change }) => change((config) => updateRule(config, params.rule_id ?? '', body)),
    ofRules,
  ),
  handle(
    contentRules.move,
    ({ body, change }) => {
      const { id, ...placement } = body.params
      return change((config) => moveRule(config, id, placement))
    },
    ofRules,
  ),
  handle(
    contentRules.remove,
    ({ params, change }) => change((config) => removeRule(config, params.rule_id ?? '')),
    ofRules,
  ),
]

const shown = perValue(stored.showDictionaries)

const dictionaryRoutes: readonly Route[] = [
  handle(dictionaries.list, ({ config }) => shown(read(config, stored.dictionaries)), ofDictionaries),
  handle(
    dictionaries.create,
    async ({ body, change }) => {
      const id = randomUUID()
      await change((config) => addDictionary(config, id, body))
      return { id }
    },
    ofDictionaries,
  ),
  handle(
    dictionaries.update,
    ({ params, body, change }) => change((config) => updateDictionary(config, params.dict_id ?? '', body)),
    ofDictionaries,
  ),
  handle(
    dictionaries.remove,
    ({ params, change }) => change((config) => removeDictionary(config, params.dict_id ?? '')),
    ofDictionaries,
  ),
  handle(dictionaries.download, ({ params, config, setHeader }) => {
    const dictionary = requireDictionary(config, params.dict_id ?? '')
    setHeader('content-disposition', `attachment; filename="dictionary-${dictionary.id}.csv"`)
    return rawReply('text/csv; charset=utf-8', printDictionary(dictionary))
  }),
]

export const routes: readonly Route[] = [
  ...settingsRoutes(filterState, stored.state),
  ...settingsRoutes(filterSettings, stored.settings),
  ...settingsRoutes(safeSearch, stored.safeSearch),
  ...settingsRoutes(morphologyState, stored.morphology),
  handle(filterStatus, ({ config }) => filterStatusItems(config)),
  ...categoryRoutes,
  ...ruleRoutes,
  ...dictionaryRoutes,
]
