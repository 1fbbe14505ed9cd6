// What can be done to profiles and their rules. The template is never touched, and a profile in use stays.

import { GatewayError, type Problem, refuse } from '../../contract/error.ts'
import { addItem, type Placement, removeItem, requireItem, updateItem } from '../../model/list-edits.ts'
import { addItemOf, itemsOf, moveItemOf, removeItemsOf, requireItemOf } from '../../model/owned-edits.ts'
import type { Reference } from '../../model/references.ts'
import { refuseInUse } from '../../model/references.ts'
import { type Config, read, write } from '../../model/slots.ts'
import { profileRules, profiles, template, templateRules } from './config.ts'
import { type Profile, type ProfileRule, type RuleFields, type StoredRule, templateId } from './contract-profiles.ts'

const item = 'profile of intrusion prevention'
const ruleItem = 'rule of this profile'

export const requireProfile = (config: Config, id: string): Profile =>
  id === templateId ? template : requireItem(config, profiles, id, item)

/** Rules as they are shown, in their order. */
export const shownRules = (config: Config, profileId: string): readonly ProfileRule[] =>
  profileId === templateId
    ? templateRules
    : itemsOf(config, profileRules, profileId).map(({ profile_id: _, ...rule }) => rule)

/** For everything that changes: the template is refused before anything else is looked at. */
function requireOwn(config: Config, id: string): Profile {
  if (id === templateId) throw new GatewayError('conflict', 'The template cannot be changed; copy it instead.')
  return requireItem(config, profiles, id, item)
}

function requireRule(config: Config, profileId: string, id: string | number): StoredRule {
  requireOwn(config, profileId)
  return requireItemOf(config, profileRules, profileId, id, ruleItem)
}

type Fields = Pick<Profile, 'name' | 'comment'>
type NextId = () => number

export function addProfile(
  config: Config,
  id: string,
  fields: Fields,
  rules: readonly RuleFields[],
  nextId: NextId,
): Config {
  refuse(rules.flatMap((rule, index) => filterProblems(rule, `rules[${index}].`)))
  const added = rules.map((rule) => ({ ...rule, id: nextId(), profile_id: id }))
  const next = addItem(config, profiles, { id, ...fields })
  return added.length === 0 ? next : write(next, profileRules, [...read(next, profileRules), ...added])
}

export function copyProfile(config: Config, fromId: string, id: string, nextId: NextId): Config {
  const { name } = requireProfile(config, fromId)
  const rules = shownRules(config, fromId).map(({ id: _, ...fields }) => fields)
  return addProfile(config, id, { name, comment: '' }, rules, nextId)
}

export const updateProfile = (config: Config, id: string, patch: Partial<Fields>): Config =>
  updateItem(config, profiles, { ...requireOwn(config, id), ...patch })

export function removeProfile(config: Config, id: string, users: readonly Reference[]): Config {
  const { name } = requireOwn(config, id)
  refuseInUse(`${item} "${name}"`, users)
  return removeItemsOf(removeItem(config, profiles, id, item), profileRules, id)
}

export function addProfileRule(
  config: Config,
  profileId: string,
  id: number,
  fields: RuleFields,
  placement: Placement,
): Config {
  requireOwn(config, profileId)
  refuse(filterProblems(fields, ''))
  return addItemOf(config, profileRules, { id, profile_id: profileId, ...fields }, placement)
}

export function updateProfileRule(config: Config, profileId: string, id: string, patch: Partial<RuleFields>): Config {
  const rule = { ...requireRule(config, profileId, id), ...patch }
  refuse(filterProblems(rule, ''))
  return updateItem(config, profileRules, rule)
}

export const moveProfileRule = (config: Config, profileId: string, id: number, placement: Placement): Config =>
  moveItemOf(config, profileRules, requireRule(config, profileId, id), placement)

export const removeProfileRule = (config: Config, profileId: string, id: string): Config =>
  removeItem(config, profileRules, requireRule(config, profileId, id).id, ruleItem)

/** Sids are numbers, everything else is text. */
const filterProblems = ({ filters }: Pick<RuleFields, 'filters'>, prefix: string): Problem[] =>
  filters.flatMap(({ key, values }, filter) =>
    values.flatMap((value, index) => {
      const wanted = key === 'sid' ? 'number' : 'string'
      if (typeof value === wanted) return []
      const message = key === 'sid' ? 'Must be a whole number: the key is sid.' : 'Must be a text.'
      return [{ field: `${prefix}filters[${filter}].values[${index}]`, message }]
    }),
  )
