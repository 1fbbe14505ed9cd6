// The three files that gatewayd writes and the decision process reads: policy.json, user-categories.txt and
// dictionaries.json. The parsers accept nothing else and return the value or a sentence. applyd does not read them, so
// everything that gatewayd may not say is refused here.

import type { Ranges } from '../../shared/net/ranges.ts'
import type { FilterAccess, FilterPolicy, FilterRule } from './model.ts'

export interface UserCategoryEntries {
  /** `users.id.1` */
  readonly id: string
  /** As the administrator wrote them. */
  readonly entries: readonly string[]
}

export interface FilterDictionary {
  readonly id: string
  readonly title: string
  readonly threshold: number
  readonly words: readonly { readonly value: string; readonly weight: number }[]
}

const maxRules = 100_000
const maxEntries = 500_000
const maxEntryLength = 2_048
const maxDictionaries = 10_000
const maxWords = 1_000_000
/** Numbers in all sets of addresses and times. */
const maxNumbers = 20_000_000

const highestAddress = 0xffff_ffff
const highestTime = 253_402_300_799

const accesses: readonly FilterAccess[] = ['allow', 'deny', 'bump', 'redirect']
const categoryForm = /^(?:users|special|files|extended|other)\.id\.[1-9][0-9]{0,14}$/
const userCategoryForm = /^users\.id\.[1-9][0-9]{0,14}$/
const memberForm = /^(?:user|group)\.id\.[0-9]{1,15}$/
const methodForm = /^[A-Z]{1,20}$/
const typeForm = /^[a-z0-9!#$&^_.+'-]{1,100}\/(?:[a-z0-9!#$&^_.+'-]{1,100}|\*)$/
const urlForm = /^https?:\/\/[!-~]{1,2041}$/
const idForm = /^[A-Za-z0-9_.-]{1,80}$/

/** Control characters, separators of lines and halves of pairs: what no line of a file can hold. */
const control = /[\p{Cc}\u2028\u2029]/u
const everyControl = /[\p{Cc}\u2028\u2029]/gu

const policyKeys = [
  'isEnabled',
  'usesExtended',
  'safeSearch',
  'morphology',
  'onFailure',
  'names',
  'sets',
  'rules',
] as const
const ruleKeys = [
  'id',
  'name',
  'access',
  'redirectUrl',
  'isAny',
  'members',
  'addresses',
  'categories',
  'methods',
  'contentTypes',
  'times',
] as const

/** Sets of addresses and times are printed once, however many rules name them: a list of countries has thousands of ranges. */
export function printPolicy(policy: FilterPolicy): string {
  const sets: Ranges[] = []
  const known = new Map<Ranges, number>()
  const numberOf = (ranges: Ranges): number => {
    const at = known.get(ranges) ?? sets.push(ranges) - 1
    known.set(ranges, at)
    return at
  }
  const rules = policy.rules.map(({ sources, times, ...rule }) =>
    JSON.stringify({
      id: rule.id,
      name: printable(rule.name),
      access: rule.access,
      redirectUrl: rule.redirectUrl,
      isAny: sources.isAny,
      members: sources.members,
      addresses: numberOf(sources.addresses),
      categories: rule.categories,
      methods: rule.methods,
      contentTypes: rule.contentTypes,
      times: times && numberOf(times),
    }),
  )
  const names = Object.entries(policy.names).map(
    ([id, name]) => `${JSON.stringify(id)}:${JSON.stringify(printable(name))}`,
  )
  const { isEnabled, usesExtended, safeSearch, morphology, onFailure } = policy
  const switches = Object.entries({ isEnabled, usesExtended, safeSearch, morphology, onFailure })
  return [
    '{',
    ...switches.map(([name, value]) => `"${name}":${JSON.stringify(value)},`),
    `"names":{${block(names)}},`,
    `"sets":[${block(sets.map((set) => JSON.stringify(set)))}],`,
    `"rules":[${block(rules)}]`,
    '}',
    '',
  ].join('\n')
}

const block = (lines: readonly string[]): string => (lines.length === 0 ? '' : `\n${lines.join(',\n')}\n`)

/** Names are shown, never compared, so what no line can hold is left out of them. */
const printable = (text: string): string => text.replaceAll(everyControl, ' ').toWellFormed()

/** The policy, or what is wrong with it. */
export function parsePolicy(text: string): FilterPolicy | string {
  const value = parseJson(text)
  if (!hasExactly(value, policyKeys)) return `The policy does not have exactly the fields ${policyKeys.join(', ')}.`
  const { isEnabled, usesExtended, safeSearch, morphology, onFailure, names, sets, rules } = value
  if (![isEnabled, usesExtended, safeSearch, morphology].every(isBoolean)) return 'A switch is not true or false.'
  if (onFailure !== 'block' && onFailure !== 'pass') return 'onFailure is not block or pass.'
  if (!isObject(names) || !Object.entries(names).every(isName)) return 'The names of categories are not allowed.'
  if (!isList(sets, 2 * maxRules) || !sets.every(isRanges)) return 'A set of numbers is not allowed.'
  if (sets.reduce((sum, set) => sum + set.length, 0) > maxNumbers) return 'The sets of numbers are too long.'
  if (!isList(rules, maxRules)) return 'The rules are not a list, or it is too long.'
  const parsed: FilterRule[] = []
  const ids = new Set<unknown>()
  for (const one of rules) {
    const rule = parseRule(one, sets)
    if (typeof rule === 'string') return `Rule ${parsed.length + 1}: ${rule}`
    parsed.push(rule)
    ids.add(rule.id)
  }
  if (ids.size !== parsed.length) return 'Two rules have the same id.'
  return {
    isEnabled,
    usesExtended,
    safeSearch,
    morphology,
    onFailure,
    names,
    rules: parsed,
  } as FilterPolicy
}

function parseRule(value: unknown, sets: readonly Ranges[]): FilterRule | string {
  if (!hasExactly(value, ruleKeys)) return `It does not have exactly the fields ${ruleKeys.join(', ')}.`
  const { id, name, access, redirectUrl, isAny, members, addresses, categories, methods, contentTypes, times } = value
  if (!isWhole(id, Number.MAX_SAFE_INTEGER)) return 'The id is not a number.'
  if (!isText(name, 255)) return 'The name is not allowed.'
  if (!accesses.some((one) => one === access)) return 'The access is not one of the known ones.'
  const isUrl = access === 'redirect' ? isForm(redirectUrl, urlForm) : redirectUrl === null
  if (!isUrl) return 'The address to redirect to is not allowed.'
  const from = isWhole(addresses, sets.length - 1) ? sets[addresses] : undefined
  if (!isBoolean(isAny) || !isListOf(members, 100_000, memberForm) || from === undefined)
    return 'The sources are not allowed.'
  if (from.length > 0 && (from.at(-1) as number) > highestAddress) return 'An address is not one of IPv4.'
  if (!isListOf(categories, 10_000, categoryForm)) return 'The categories are not allowed.'
  if (!isListOf(methods, 20, methodForm)) return 'The methods are not allowed.'
  if (!isListOf(contentTypes, 1_000, typeForm)) return 'The content types are not allowed.'
  const when = times === null ? null : isWhole(times, sets.length - 1) ? sets[times] : undefined
  if (when === undefined) return 'The times are not allowed.'
  const sources = { isAny, members, addresses: from }
  return { id, name, access, redirectUrl, sources, categories, methods, contentTypes, times: when } as FilterRule
}

/** One line for each entry: the id of the category, a tab, the entry. An entry that no line can hold is left out. */
export function printUserCategories(categories: readonly UserCategoryEntries[]): string {
  const lines: string[] = []
  for (const { id, entries } of categories)
    for (const entry of entries) if (isText(entry, maxEntryLength) && entry !== '') lines.push(`${id}\t${entry}\n`)
  return lines.join('')
}

/** Categories in the order of their first line, or what is wrong with the file. */
export function parseUserCategories(text: string): readonly UserCategoryEntries[] | string {
  const byId = new Map<string, string[]>()
  let [count, begin] = [0, 0]
  while (begin < text.length) {
    const end = text.indexOf('\n', begin)
    if (end < 0) return 'The last line is not complete.'
    count++
    if (count > maxEntries) return `It has more than ${maxEntries} entries.`
    const tab = text.indexOf('\t', begin)
    const id = text.slice(begin, tab < 0 || tab > end ? end : tab)
    const entry = text.slice(begin + id.length + 1, end)
    const list = byId.get(id) ?? (userCategoryForm.test(id) ? [] : null)
    if (list === null || entry === '' || !isText(entry, maxEntryLength)) return `Line ${count} is not allowed.`
    list.push(entry)
    byId.set(id, list)
    begin = end + 1
  }
  return [...byId].map(([id, entries]) => ({ id, entries }))
}

const dictionaryKeys = ['id', 'title', 'threshold', 'words'] as const
const wordKeys = ['value', 'weight'] as const

export function printDictionaries(dictionaries: readonly FilterDictionary[]): string {
  const printed = dictionaries.map(({ id, title, threshold, words }) => {
    const lines = words.map(({ value, weight }) => JSON.stringify({ value: printable(value), weight }))
    const head = `"id":${JSON.stringify(id)},"title":${JSON.stringify(printable(title))},"threshold":${threshold}`
    return `{${head},"words":[${block(lines)}]}`
  })
  return `[${block(printed)}]\n`
}

/** The enabled dictionaries, or what is wrong with the file. */
export function parseDictionaries(text: string): readonly FilterDictionary[] | string {
  const value = parseJson(text)
  if (!isList(value, maxDictionaries)) return 'The dictionaries are not a list, or it is too long.'
  let count = 0
  for (const [at, one] of value.entries()) {
    const isKnown = hasExactly(one, dictionaryKeys) && isForm(one.id, idForm) && isText(one.title, 255)
    if (!isKnown || !isWhole(one.threshold, 2_147_483_648)) return `Dictionary ${at + 1} is not allowed.`
    if (!isList(one.words, maxWords) || !one.words.every(isWord))
      return `The words of dictionary ${at + 1} are not allowed.`
    count += one.words.length
  }
  // Cast: each dictionary was checked above.
  return count > maxWords ? `There are more than ${maxWords} words.` : (value as unknown as readonly FilterDictionary[])
}

const isWord = (value: unknown): boolean =>
  hasExactly(value, wordKeys) && isText(value.value, 255) && isWhole(value.weight, Number.MAX_SAFE_INTEGER)

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
const isForm = (value: unknown, form: RegExp): value is string => typeof value === 'string' && form.test(value)
const isText = (value: unknown, longest: number): value is string =>
  typeof value === 'string' && value.length <= longest && !control.test(value) && value.isWellFormed()
const isWhole = (value: unknown, highest: number): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= highest
const isList = (value: unknown, longest: number): value is unknown[] => Array.isArray(value) && value.length <= longest
const isListOf = (value: unknown, longest: number, form: RegExp): value is string[] =>
  isList(value, longest) && value.every((one) => isForm(one, form))
const isName = ([id, name]: [string, unknown]): boolean => categoryForm.test(id) && isText(name, 255)

/** Sorted and disjoint, of whole numbers: addresses and times are both found by halving. */
function isRanges(value: unknown): value is Ranges {
  if (!isList(value, maxNumbers) || value.length % 2 !== 0) return false
  let last = -1
  for (let at = 0; at < value.length; at += 2) {
    const [low, high] = [value[at], value[at + 1]]
    if (!isWhole(low, highestTime) || !isWhole(high, highestTime) || low <= last || high < low) return false
    last = high
  }
  return true
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function hasExactly<K extends string>(value: unknown, keys: readonly K[]): value is Record<K, unknown> {
  return isObject(value) && Object.keys(value).length === keys.length && keys.every((key) => Object.hasOwn(value, key))
}
