// What can be done to profiles of the web application firewall, their categories, rules and excluded rules.

import { invalid, notFound, type Problem, refuse } from '../../contract/error.ts'
import { addItem, type Placement, removeItem, requireItem, updateItem } from '../../model/list-edits.ts'
import { addItemOf, itemsOf, moveItemOf, removeItemsOf, requireItemOf } from '../../model/owned-edits.ts'
import type { Config } from '../../model/slots.ts'
import { isKnownObject } from '../objects/public.ts'
import { categories, findCategory } from './categories.ts'
import { exceptions, profiles, rules } from './config.ts'
import type { Category, ExceptionFields, ProfileFields, RuleFields, StoredProfile, StoredRule } from './contract.ts'

const item = 'profile of the web application firewall'
const ruleItem = 'rule of this profile'
const exceptionItem = 'excluded rule of this profile'

export const requireProfile = (config: Config, id: string): StoredProfile => requireItem(config, profiles, id, item)

export function addProfile(config: Config, id: string, fields: ProfileFields): Config {
  return addItem(config, profiles, checkedProfile({ ...fields, id, from_central_console: false }))
}

export function updateProfile(config: Config, id: string, patch: Partial<ProfileFields>): Config {
  const current = requireProfile(config, id)
  const { from_central_console } = current
  return updateItem(config, profiles, checkedProfile({ ...current, ...patch, from_central_console }))
}

export const removeProfile = (config: Config, id: string): Config =>
  removeItemsOf(removeItemsOf(removeItem(config, profiles, id, item), rules, id), exceptions, id)

const mustStay = 'This category is required and cannot be switched off.'

function checkedProfile(profile: StoredProfile): StoredProfile {
  const problems = profile.disabled_categories.flatMap((id, index) => {
    const found = findCategory(id)
    if (found && !found.required) return []
    return [{ field: `disabled_categories[${index}]`, message: found ? mustStay : `There is no category ${id}.` }]
  })
  refuse(problems)
  return profile
}

export const enabledCategories = ({ disabled_categories }: StoredProfile): Category[] =>
  categories.filter(({ id }) => !disabled_categories.includes(id))

export function switchCategory(config: Config, profileId: string, id: string, isEnabled: boolean | undefined): Config {
  const profile = requireProfile(config, profileId)
  const found = findCategory(id)
  if (!found) throw notFound(`category with the id ${id.slice(0, 80)}`)
  if (isEnabled === undefined) return config
  if (found.required && !isEnabled) throw invalid('enabled', mustStay)
  const others = profile.disabled_categories.filter((one) => one !== id)
  const disabled_categories = isEnabled ? others : [...others, id]
  return updateItem(config, profiles, { ...profile, disabled_categories })
}

export function addRule(
  config: Config,
  profileId: string,
  id: number,
  fields: RuleFields,
  placement: Placement,
): Config {
  requireProfile(config, profileId)
  const rule = { ...fields, id, profile_id: profileId }
  return addItemOf(config, rules, checkedRule(config, rule), placement)
}

export function updateRule(config: Config, profileId: string, id: string, patch: Partial<RuleFields>): Config {
  return updateItem(config, rules, checkedRule(config, { ...requireRule(config, profileId, id), ...patch }))
}

export const moveRule = (config: Config, profileId: string, id: number, placement: Placement): Config =>
  moveItemOf(config, rules, requireRule(config, profileId, id), placement)

export const removeRule = (config: Config, profileId: string, id: string): Config =>
  removeItem(config, rules, requireRule(config, profileId, id).id, ruleItem)

function requireRule(config: Config, profileId: string, id: string | number): StoredRule {
  requireProfile(config, profileId)
  return requireItemOf(config, rules, profileId, id, ruleItem)
}

const maxSources = 2_000
const sourceForm = /^(?:ip|subnet|iplist|list_of_iplists)\./

/** Sources are of the right kind and exist, and all rules of the profile together have no more than the engine takes. */
function checkedRule(config: Config, rule: StoredRule): StoredRule {
  const problems = rule.aliases.flatMap((id, index): Problem[] => {
    const field = `aliases[${index}]`
    if (!sourceForm.test(id))
      return [{ field, message: `${id} is no IP address, subnet, country or list of countries.` }]
    return isKnownObject(config, id) ? [] : [{ field, message: `There is no object with the id ${id}.` }]
  })
  refuse(problems)
  const others = itemsOf(config, rules, rule.profile_id).filter(({ id }) => id !== rule.id)
  const count = others.reduce((sum, { aliases }) => sum + aliases.length, rule.aliases.length)
  if (count > maxSources)
    throw invalid('aliases', `The rules of a profile have at most ${maxSources} sources together.`)
  return rule
}

export function addException(config: Config, profileId: string, id: string, fields: ExceptionFields): Config {
  requireProfile(config, profileId)
  return addItem(config, exceptions, { ...fields, id, profile_id: profileId })
}

export function updateException(
  config: Config,
  profileId: string,
  id: string,
  patch: Partial<ExceptionFields>,
): Config {
  requireProfile(config, profileId)
  const current = requireItemOf(config, exceptions, profileId, id, exceptionItem)
  return updateItem(config, exceptions, { ...current, ...patch })
}

export function removeException(config: Config, profileId: string, id: string): Config {
  requireProfile(config, profileId)
  return removeItem(
    config,
    exceptions,
    requireItemOf(config, exceptions, profileId, id, exceptionItem).id,
    exceptionItem,
  )
}
