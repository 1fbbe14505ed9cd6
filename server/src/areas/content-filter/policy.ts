// The rules as the decision process gets them: enabled rules only, with their users, addresses and times resolved, and the
// dictionaries that are switched on. Pure but for remembering the last result.

import { type Config, perState, read, type Slot } from '../../core/model/slots.ts'
import type { Facts } from '../../core/plan/facts.ts'
import type { FilterPolicy, FilterRule } from '../../domain/web-filter/model.ts'
import type { FilterDictionary, UserCategoryEntries } from '../../domain/web-filter/policy-file.ts'
import { addressesOf, membersIn, objectKinds, timesOf } from '../objects/public.ts'
import {
  dictionaries,
  listCategories,
  morphology,
  rules,
  safeSearch,
  settings,
  showDictionaries,
  slots,
  state,
  storedCategories,
  withDefaults,
} from './config.ts'
import type { ContentRule } from './contract-rules.ts'

/** Everything that the policy depends on, beside the facts. */
export const policySlots: readonly Slot[] = [...slots, ...objectKinds.map(({ slot }) => slot)]

export type FailureMode = FilterPolicy['onFailure']

interface Remembered {
  readonly values: readonly unknown[]
  readonly policy: FilterPolicy
}
let last: Remembered | null = null

/** The same value while nothing behind it changed, so that it is compiled once. */
export function policyOf(config: Config, facts: Facts, onFailure: FailureMode): FilterPolicy {
  const { addressBook, timeZone, scheduleDay } = facts
  const values = [onFailure, addressBook, timeZone, scheduleDay, ...policySlots.map(({ key }) => config[key])]
  if (last?.values.every((value, at) => value === values[at])) return last.policy
  last = { values, policy: resolve(config, facts, onFailure) }
  return last.policy
}

function resolve(config: Config, facts: Facts, onFailure: FailureMode): FilterPolicy {
  const isEnabled = read(config, state).enabled
  return {
    isEnabled,
    usesExtended: read(config, settings).enabled_extended_categorizer,
    safeSearch: read(config, safeSearch).enabled,
    morphology: read(config, morphology).enabled,
    onFailure,
    names: namesOf(config),
    rules: isEnabled ? enabledRules(config).map((rule) => ruleOf(config, facts, rule)) : [],
  }
}

export const enabledRules = (config: Config): readonly ContentRule[] =>
  read(withDefaults(config), rules).filter(({ enabled }) => enabled)

const namesOf = (config: Config): Readonly<Record<string, string>> =>
  Object.fromEntries(listCategories(config).map(({ id, name }) => [id, name]))

const ruleOf = (config: Config, facts: Facts, rule: ContentRule): FilterRule => {
  const isAny = rule.aliases.includes('any')
  return {
    id: rule.id,
    name: rule.name,
    access: rule.access,
    redirectUrl: rule.redirect_url,
    sources: {
      isAny,
      members: isAny ? [] : membersIn(config, rule.aliases),
      // Those of users and groups are the ones that authorization rules give them; others come with their sessions.
      addresses: isAny ? [] : addressesOf(config, facts, rule.aliases),
    },
    categories: rule.categories,
    methods: rule.http_methods,
    contentTypes: [...new Set(rule.content_types.map((type) => type.toLowerCase()))],
    times: timesOf(config, facts, rule.timetable),
  }
}

export const entriesOf = perState(slots, (config): readonly UserCategoryEntries[] =>
  storedCategories(config).map(({ id, urls }) => ({ id, entries: urls })),
)

export const enabledDictionaries = (config: Config): readonly FilterDictionary[] =>
  showDictionaries(read(config, dictionaries))
    .filter(({ enabled }) => enabled)
    .map(({ id, title, threshold, words }) => ({ id, title, threshold, words }))

const daySeconds = 86_400
/** Schedules are resolved for 40 days; the last one may end within the day. */
const windowSeconds = 39 * daySeconds

/** The policy with the schedules around another time than now. */
export function policyAt(config: Config, facts: Facts, onFailure: FailureMode, time: number): FilterPolicy {
  if (time >= facts.scheduleDay && time < facts.scheduleDay + windowSeconds) return policyOf(config, facts, onFailure)
  const scheduleDay = Math.max(0, Math.floor(time / daySeconds) - 1) * daySeconds
  return resolve(config, { ...facts, scheduleDay }, onFailure)
}
