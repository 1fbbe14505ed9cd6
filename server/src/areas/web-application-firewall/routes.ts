// Endpoints of the web application firewall.

import { randomUUID } from 'node:crypto'
import { type Context, handle, type Route } from '../../http/handle.ts'
import { itemsOf } from '../../model/owned-edits.ts'
import { type Config, read } from '../../model/slots.ts'
import { categories } from './categories.ts'
import { exceptions, profiles, rules } from './config.ts'
import { wafCategories, wafExceptions, wafProfiles, wafRules } from './contract.ts'
import {
  addException,
  addProfile,
  addRule,
  enabledCategories,
  moveRule,
  removeException,
  removeProfile,
  removeRule,
  requireProfile,
  switchCategory,
  updateException,
  updateProfile,
  updateRule,
} from './edits.ts'

const profileOf = ({ params }: Pick<Context, 'params'>): string => params.profile_id ?? ''

const exceptionsOf = (config: Config, profileId: string) =>
  itemsOf(config, exceptions, profileId).map(({ profile_id: _, ...shown }) => shown)

const profileRoutes: readonly Route[] = [
  // No slot: the list also shows the excluded rules, which are a slot of their own.
  handle(wafProfiles.list, ({ config }) =>
    read(config, profiles).map((profile) => ({ ...profile, exceptions: exceptionsOf(config, profile.id) })),
  ),
  handle(
    wafProfiles.create,
    ({ body, change }) => {
      const id = randomUUID()
      return change((config) => [addProfile(config, id, body), { id }] as const)
    },
    { slot: profiles },
  ),
  handle(
    wafProfiles.update,
    ({ params, body, change }) => change((config) => updateProfile(config, profileOf({ params }), body)),
    { slot: profiles },
  ),
  handle(wafProfiles.remove, ({ params, change }) => change((config) => removeProfile(config, profileOf({ params }))), {
    slot: profiles,
  }),
  handle(wafCategories.list, () => [...categories]),
  handle(wafCategories.listEnabled, ({ params, config }) =>
    enabledCategories(requireProfile(config, profileOf({ params }))),
  ),
  handle(
    wafCategories.update,
    ({ params, body, change }) =>
      change((config) => switchCategory(config, profileOf({ params }), params.category_id ?? '', body.enabled)),
    { slot: profiles },
  ),
]

const ruleRoutes: readonly Route[] = [
  handle(wafRules.list, ({ params, config }) => {
    const { id } = requireProfile(config, profileOf({ params }))
    return itemsOf(config, rules, id).map(({ profile_id: _, ...shown }) => shown)
  }),
  handle(
    wafRules.create,
    ({ params, query, body, change }) =>
      change((config, tools) => {
        const id = tools.nextId(rules)
        return [addRule(config, profileOf({ params }), id, body, query), { id }] as const
      }),
    { slot: rules },
  ),
  handle(
    wafRules.update,
    ({ params, body, change }) =>
      change((config) => updateRule(config, profileOf({ params }), params.rule_id ?? '', body)),
    { slot: rules },
  ),
  handle(
    wafRules.move,
    ({ body, change }) => {
      const { profile_id, rule_id, ...placement } = body.params
      return change((config) => moveRule(config, profile_id, rule_id, placement))
    },
    { slot: rules },
  ),
  handle(
    wafRules.remove,
    ({ params, change }) => change((config) => removeRule(config, profileOf({ params }), params.rule_id ?? '')),
    { slot: rules },
  ),
]

const exceptionRoutes: readonly Route[] = [
  handle(wafExceptions.list, ({ params, config }) =>
    exceptionsOf(config, requireProfile(config, profileOf({ params })).id),
  ),
  handle(
    wafExceptions.create,
    ({ params, body, change }) => {
      const id = randomUUID()
      return change((config) => [addException(config, profileOf({ params }), id, body), { id }] as const)
    },
    { slot: exceptions },
  ),
  handle(
    wafExceptions.update,
    ({ params, body, change }) =>
      change((config) => updateException(config, profileOf({ params }), params.exception_id ?? '', body)),
    { slot: exceptions },
  ),
  handle(
    wafExceptions.remove,
    ({ params, change }) =>
      change((config) => removeException(config, profileOf({ params }), params.exception_id ?? '')),
    { slot: exceptions },
  ),
]

export const routes: readonly Route[] = [...profileRoutes, ...ruleRoutes, ...exceptionRoutes]
