// What can be done to authorization rules. Every edit is held against verify.ts.

import type { Reference } from '../../contract/area.ts'
import { GatewayError, refuse } from '../../contract/error.ts'
import { addItem, requireItem, updateItem } from '../../contract/list-edits.ts'
import { type Config, read } from '../../contract/slots.ts'
import { userId } from '../users/config.ts'
import { authorizationRules } from './config.ts'
import type { AuthorizationRule, NewAuthorizationRule } from './contract.ts'
import { ruleProblems } from './verify.ts'

export function addRule(config: Config, id: string, fields: NewAuthorizationRule): Config {
  const rule = canonical({ ...fields, id })
  refuseRule(config, rule)
  return addItem(config, authorizationRules, rule)
}

export function updateRule(config: Config, id: string, patch: Partial<NewAuthorizationRule>): Config {
  const rule = canonical({ ...requireItem(config, authorizationRules, id, 'authorization rule'), ...patch })
  refuseRule(config, rule)
  return updateItem(config, authorizationRules, rule)
}

/** One spelling, so that the same card is found to be the same. */
const canonical = (rule: AuthorizationRule): AuthorizationRule => ({ ...rule, mac: rule.mac?.toLowerCase() ?? null })

function refuseRule(config: Config, rule: AuthorizationRule): void {
  refuse(ruleProblems(config, rule))
  const { id, ip, mac } = rule
  const isTaken = read(config, authorizationRules).some(
    (other) => other.id !== id && other.ip === ip && other.mac === mac,
  )
  if (!isTaken) return
  const message = 'Another authorization rule has these very addresses.'
  const named = Object.entries({ ip, mac }).filter(([, value]) => value !== null)
  throw new GatewayError('conflict', message, { problems: named.map(([field]) => ({ field, message })) })
}

/** What a rule is called where it is named. */
const titleOf = ({ ip, mac }: AuthorizationRule): string =>
  `Authorization rule for ${[ip, mac].filter((address) => address !== null).join(' and ')}`

/** Rules mention their user. */
export const references = (config: Config): readonly Reference[] =>
  read(config, authorizationRules).map((rule) => ({
    id: userId(rule.user_id),
    object: `${authorizationRules.key}[${rule.id}]`,
    field: 'user_id',
    title: titleOf(rule),
  }))
