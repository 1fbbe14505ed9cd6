// What can be done to user categories, rules and dictionaries. Fields of a new or changed item are judged here, in the words
// of the call that sent them; verify.ts judges the whole.

import { GatewayError, invalid, notFound, type Problem, refuse } from '../../contract/error.ts'
import {
  addItem,
  findItem,
  moveItem,
  type Placement,
  removeItem,
  requireItem,
  updateItem,
} from '../../model/list-edits.ts'
import type { Reference } from '../../model/references.ts'
import { refuseInUse } from '../../model/references.ts'
import { type Config, read } from '../../model/slots.ts'
import { rootGroup } from '../firewall/contract.ts'
import {
  defaultCategories,
  defaultRules,
  dictionaries,
  isPredefined,
  rules,
  showDictionaries,
  userCategories,
  withDefaults,
} from './config.ts'
import type { NewUserCategory, UserCategory, WholeUserCategory } from './contract-categories.ts'
import type { Dictionary, DictionaryPatch, NewDictionary, ShownDictionary } from './contract-dictionaries.ts'
import type { ContentRule, NewContentRule } from './contract-rules.ts'
import { predefinedDictionaries } from './dictionaries.ts'
import { ruleProblems, urlProblems, wordProblems } from './verify.ts'

const categoryItem = 'user category'
const ruleItem = 'content filter rule'
const dictionaryItem = 'dictionary'

/** Edits see the defaults as stored items; one that changes nothing leaves them unstored. */
function onLists(config: Config, edit: (full: Config) => Config): Config {
  const full = withDefaults(config)
  const next = edit(full)
  return next === full ? config : next
}

/** `number` counts what administrators add; the defaults have the numbers before. */
export function addCategory(config: Config, number: number, body: NewUserCategory): readonly [Config, string] {
  const id = `users.id.${defaultCategories.length + number}`
  const category = { id, name: body.name, comment: body.comment ?? '', urls: body.urls }
  return [onLists(config, (full) => held(addItem(full, userCategories, category), urlProblems)), id]
}

export function replaceCategory(config: Config, id: string, body: WholeUserCategory): readonly [Config, UserCategory] {
  requireItem(withDefaults(config), userCategories, id, categoryItem)
  const category = { id, name: body.name, comment: commentOf(body), urls: body.urls }
  return [onLists(config, (full) => held(updateItem(full, userCategories, category), urlProblems)), category]
}

function commentOf({ comment, description }: WholeUserCategory): string {
  if (comment !== undefined && description !== undefined)
    throw invalid('description', 'Send either comment or description, not both: they mean the same.')
  return comment ?? description ?? ''
}

export const removeCategory = (config: Config, id: string, users: readonly Reference[]): Config =>
  onLists(config, (full) => {
    const { name } = requireItem(full, userCategories, id, categoryItem)
    refuseInUse(`${categoryItem} "${name}"`, users)
    return removeItem(full, userCategories, id, categoryItem)
  })

/** What a creation may leave out. */
const ruleDefaults = {
  parent_id: rootGroup,
  comment: '',
  http_methods: [],
  content_types: [],
  redirect_url: null,
  enabled: true,
  timetable: ['any'],
}

/** `number` counts as in addCategory. */
export function addRule(
  config: Config,
  number: number,
  body: NewContentRule,
  placement: Placement,
): readonly [Config, number] {
  const id = defaultRules.length + number
  const rule: ContentRule = { ...ruleDefaults, ...body, id }
  return [
    onLists(config, (full) => {
      refuse(ruleProblems(full, rule))
      return addItem(full, rules, rule, placement)
    }),
    id,
  ]
}

export const updateRule = (config: Config, id: string, patch: Partial<ContentRule>): Config =>
  onLists(config, (full) => {
    const rule = { ...requireItem(full, rules, id, ruleItem), ...patch }
    refuse(ruleProblems(full, rule))
    return updateItem(full, rules, rule)
  })

export const moveRule = (config: Config, id: number, placement: Placement): Config =>
  onLists(config, (full) => moveItem(full, rules, id, placement, ruleItem))

export const removeRule = (config: Config, id: string): Config =>
  onLists(config, (full) => removeItem(full, rules, id, ruleItem))

export function addDictionary(config: Config, id: string, body: NewDictionary): Config {
  const { read_only: _alwaysFalse, ...fields } = body
  refuse(wordProblems(fields))
  return addItem(config, dictionaries, { comment: '', enabled: true, ...fields, id })
}

export function updateDictionary(config: Config, id: string, patch: DictionaryPatch): Config {
  const predefined = predefinedDictionaries.find((dictionary) => dictionary.id === id)
  if (predefined) return switchPredefined(config, predefined, patch)
  const dictionary = { ...requireItem(config, dictionaries, id, dictionaryItem), ...patch }
  refuse(wordProblems(dictionary))
  return updateItem(config, dictionaries, dictionary)
}

/** What is sent back as it was read is no change. */
function switchPredefined(config: Config, predefined: Dictionary, { enabled, ...others }: DictionaryPatch): Config {
  const { words, ...plain } = others
  const names = Object.entries(plain)
    .filter(([name, value]) => value !== predefined[name as keyof typeof plain])
    .map(([name]) => name)
  if (words && !areSame(words, predefined.words)) names.push('words')
  if (names.length > 0) {
    const message = 'Of a predefined dictionary only enabled can be changed.'
    throw new GatewayError('conflict', message, { problems: names.map((field) => ({ field, message })) })
  }
  const stored = findItem(config, dictionaries, predefined.id)
  if (enabled === undefined || enabled === (stored?.enabled ?? false)) return config
  return stored
    ? updateItem(config, dictionaries, { ...stored, enabled })
    : addItem(config, dictionaries, { ...predefined, words: [], enabled })
}

const areSame = (words: Dictionary['words'], others: Dictionary['words']): boolean =>
  words.length === others.length &&
  words.every(({ value, weight }, index) => value === others[index]?.value && weight === others[index]?.weight)

export function removeDictionary(config: Config, id: string): Config {
  if (isPredefined(id)) throw new GatewayError('conflict', 'A predefined dictionary cannot be removed.')
  return removeItem(config, dictionaries, id, dictionaryItem)
}

export function requireDictionary(config: Config, id: string): ShownDictionary {
  const dictionary = showDictionaries(read(config, dictionaries)).find((candidate) => candidate.id === id)
  if (!dictionary) throw notFound(`${dictionaryItem} with the id ${id.slice(0, 80)}`)
  return dictionary
}

function held(config: Config, problemsOf: (config: Config) => readonly Problem[]): Config {
  refuse(problemsOf(config))
  return config
}
