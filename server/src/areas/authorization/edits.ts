// What can be done to authorization rules. Every edit is held against verify.ts.

import type { Problem } from '../../contract/error.ts'
import type { ListDeclaration } from '../../model/declarations.ts'
import type { Reference } from '../../model/references.ts'
import { type Config, read } from '../../model/slots.ts'
import { userId } from '../users/public.ts'
import { authorizationRules } from './config.ts'
import type { AuthorizationRule, NewAuthorizationRule } from './contract.ts'
import { ruleProblems } from './verify.ts'

export const ruleList: ListDeclaration<AuthorizationRule> = {
  slot: authorizationRules,
  noun: 'authorization rule',
  ids: { kind: 'uuid' },
  fieldsOf: canonical,
  problemsOf: ruleProblems,
  conflictsOf: takenAddresses,
}

/** One spelling, so that the same card is found to be the same. */
function canonical(fields: Partial<NewAuthorizationRule>): Partial<NewAuthorizationRule> {
  return fields.mac ? { ...fields, mac: fields.mac.toLowerCase() } : fields
}

function takenAddresses(config: Config, { id, ip, mac }: AuthorizationRule): Problem[] {
  const isTaken = read(config, authorizationRules).some(
    (other) => other.id !== id && other.ip === ip && other.mac === mac,
  )
  if (!isTaken) return []
  const named = Object.entries({ ip, mac }).filter(([, value]) => value !== null)
  return named.map(([field]) => ({ field, message: 'Another authorization rule has these very addresses.' }))
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
