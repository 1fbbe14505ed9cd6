// What must hold for rules, categories and dictionaries beyond the form of their fields. The functions for one item name
// fields as in the body of a call, verify() as in the configuration.

import type { Problem } from '../../contract/error.ts'
import { findIn } from '../../model/item-index.ts'
import { type Config, read } from '../../model/slots.ts'
import { isAddressId, isKnownObject, isTimeId } from '../objects/public.ts'
import { isFixedCategory, originOf, rules, userCategories, withDefaults } from './config.ts'
import { maxUrlsOverAll } from './contract-categories.ts'
import type { Dictionary } from './contract-dictionaries.ts'
import type { ContentRule } from './contract-rules.ts'

const problem = (field: string, message: string): Problem => ({ field, message })

export function verify(config: Config): Problem[] {
  const full = withDefaults(config)
  return [
    ...read(full, rules).flatMap((rule) =>
      ruleProblems(full, rule).map(({ field, message }) => problem(`${originOf(rule)}.${field}`, message)),
    ),
    ...urlProblems(full).map(({ message }) => problem(userCategories.key, message)),
  ]
}

/** `config` has its defaults filled in. */
export const ruleProblems = (config: Config, rule: ContentRule): Problem[] => [
  ...objectProblems(config, 'aliases', rule.aliases, isAddressId, 'user, group or address'),
  ...objectProblems(config, 'timetable', rule.timetable, isTimeId, 'time'),
  ...rule.categories.flatMap((id, index) =>
    isFixedCategory(id) || findIn(config, userCategories, id)
      ? []
      : [problem(`categories[${index}]`, `There is no category with the id ${id}.`)],
  ),
  ...redirectProblems(rule),
]

/** `["any"]`, or ids of one kind. */
function objectProblems(
  config: Config,
  field: string,
  ids: readonly string[],
  isOfKind: (id: string) => boolean,
  kind: string,
): Problem[] {
  if (ids.includes('any')) return ids.length === 1 ? [] : [problem(field, 'any must stand alone in its list.')]
  return ids.flatMap((id, index) => {
    if (!isOfKind(id)) return [problem(`${field}[${index}]`, `${id} is not the id of a ${kind} object.`)]
    return isKnownObject(config, id) ? [] : [problem(`${field}[${index}]`, `There is no object with the id ${id}.`)]
  })
}

function redirectProblems({ access, redirect_url }: ContentRule): Problem[] {
  if (access !== 'redirect')
    return redirect_url === null ? [] : [problem('redirect_url', 'Must be null unless access is redirect.')]
  if (redirect_url === null) return [problem('redirect_url', 'Must be an address when access is redirect.')]
  return URL.canParse(redirect_url) ? [] : [problem('redirect_url', 'This is no address that a browser could open.')]
}

/** `config` has its defaults filled in. */
export function urlProblems(config: Config): Problem[] {
  const count = read(config, userCategories).reduce((sum, { urls }) => sum + urls.length, 0)
  return count > maxUrlsOverAll
    ? [problem('urls', `At most ${maxUrlsOverAll} entries over all user categories are allowed.`)]
    : []
}

/** A word counts once, whatever its case. */
export function wordProblems({ words }: Pick<Dictionary, 'words'>): Problem[] {
  const seen = new Set<string>()
  return words.flatMap(({ value }, index) => {
    const word = value.toLowerCase()
    if (seen.has(word)) return [problem(`words[${index}].value`, 'This word is already in the dictionary.')]
    seen.add(word)
    return []
  })
}
