// The lists of the content filter, declared: user categories, rules and dictionaries. Two categories and two rules exist from
// the start and are stored by the first change of either list.

import { invalid, type Problem } from '../../core/contract/error.ts'
import { rootGroup } from '../../core/contract/fields.ts'
import { unfoldBlock, withoutFields } from '../../core/contract/newer-forms.ts'
import { declareList, declareSettings, mustBeOfKind, mustExist, names } from '../../core/model/declarations.ts'
import { findIn } from '../../core/model/item-index.ts'
import { type Config, perState, read } from '../../core/model/slots.ts'
import { type SaidText, say } from '../../shared/said.ts'
import { isAddressId, isKnownObject, isTimeId, objectSlots } from '../objects/public.ts'
import { groups, users } from '../users/public.ts'
import {
  defaultCategories,
  defaultRules,
  dictionaries,
  isFixedCategory,
  rules,
  state,
  userCategories,
  withDefaults,
} from './config.ts'
import { maxUrlsOverAll, type UserCategory, type WholeUserCategory } from './contract-categories.ts'
import type { Dictionary, NewDictionary } from './contract-dictionaries.ts'
import { type ContentRule, neutralFields } from './contract-rules.ts'

/** Its call is of the area web-proxy, which makes the authority with it. */
export const stateSettings = declareSettings({ slot: state, noun: 'state of the content filter' })

export const categoryList = declareList<UserCategory>({
  slot: userCategories,
  noun: 'user category',
  nameOf: ({ name }) => `user category "${name}"`,
  ids: { kind: 'prefixed', prefix: 'users', after: defaultCategories.length },
  complete: withDefaults,
  defaults: { comment: '' },
  fieldsOf: ({ description, ...fields }: Partial<WholeUserCategory>) => {
    if (description === undefined) return fields
    if (fields.comment !== undefined)
      throw invalid('description', say`Send either comment or description, not both: they mean the same.`)
    return { ...fields, comment: description }
  },
  problemsOf: urlProblems,
})

const countUrls = perState([userCategories], (config) =>
  read(config, userCategories).reduce((sum, { urls }) => sum + urls.length, 0),
)

function urlProblems(config: Config): Problem[] {
  return countUrls(config) > maxUrlsOverAll
    ? [{ field: 'urls', message: say`All user categories together can have at most ${maxUrlsOverAll} entries.` }]
    : []
}

export const ruleList = declareList<ContentRule>({
  slot: rules,
  noun: 'content filter rule',
  nameOf: ({ name }) => `content filter rule "${name}"`,
  ids: { kind: 'number', after: defaultRules.length },
  complete: withDefaults,
  defaults: {
    parent_id: rootGroup,
    comment: '',
    http_methods: [],
    content_types: [],
    redirect_url: null,
    enabled: true,
    timetable: ['any'],
  },
  fieldsOf: (body) => unfoldBlock(withoutFields(body, neutralFields), 'src_aliases', { aliases: 'aliases' }, {}),
  references: [
    names('aliases', {
      allowsAny: true,
      faultOf: mustBeOfKind('a user, group or address object', isAddressId, isKnownObject),
      slots: [...objectSlots, users, groups],
    }),
    names('timetable', {
      allowsAny: true,
      faultOf: mustBeOfKind('a time object', isTimeId, isKnownObject),
      slots: objectSlots,
    }),
    names('categories', { faultOf: mustExist('category', isCategory) }),
  ],
  problemsOf: (_config, rule) => [...aliasProblems(rule), ...redirectProblems(rule)],
  reads: [userCategories],
})

function isCategory(config: Config, id: string): boolean {
  return isFixedCategory(id) || findIn(config, userCategories, id) !== undefined
}

/** It may be sent in either of two forms, so its schema requires neither. */
const aliasProblems = ({ aliases }: Partial<ContentRule>): Problem[] =>
  aliases === undefined ? [{ field: 'aliases', message: say`This field is missing.` }] : []

function redirectProblems({ access, redirect_url }: ContentRule): Problem[] {
  const problem = (message: SaidText): Problem[] => [{ field: 'redirect_url', message }]
  if (access !== 'redirect') return redirect_url === null ? [] : problem(say`Must be null unless access is redirect.`)
  if (redirect_url === null) return problem(say`Must be an address when access is redirect.`)
  return URL.canParse(redirect_url) ? [] : problem(say`Must be an address that a browser can open.`)
}

export const dictionaryList = declareList<Dictionary>({
  slot: dictionaries,
  noun: 'dictionary',
  nameOf: ({ title }) => `dictionary "${title}"`,
  ids: { kind: 'uuid' },
  defaults: { comment: '', enabled: true },
  fieldsOf: ({ read_only: _alwaysFalse, ...fields }: Partial<NewDictionary>) => fields,
  problemsOf: (_config, dictionary) => wordProblems(dictionary),
})

/** A word counts once, whatever its case. */
export function wordProblems({ words }: Pick<Dictionary, 'words'>): Problem[] {
  const seen = new Set<string>()
  return words.flatMap(({ value }, index) => {
    const word = value.toLowerCase()
    if (seen.has(word))
      return [{ field: `words[${index}].value`, message: say`This word is already in the dictionary.` }]
    seen.add(word)
    return []
  })
}

export const lists = [categoryList, ruleList, dictionaryList]
