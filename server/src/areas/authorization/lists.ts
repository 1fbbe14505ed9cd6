// The list of authorization rules: what must hold of a rule beyond the form of its fields. The rules of a user are removed
// with the user.

import type { Problem } from '../../contract/error.ts'
import { declareList } from '../../model/declarations.ts'
import type { Config } from '../../model/slots.ts'
import { findUser, userId, users } from '../users/public.ts'
import { authorizationRules } from './config.ts'
import type { AuthorizationRule, NewAuthorizationRule } from './contract.ts'

export const ruleList = declareList({
  slot: authorizationRules,
  noun: 'authorization rule',
  ids: { kind: 'uuid' },
  nameOf: ({ ip, mac }) => `authorization rule for ${[ip, mac].filter((address) => address !== null).join(' and ')}`,
  fieldsOf: canonical,
  problemsOf: (_, rule) => addressProblems(rule),
  unique: (['ip', 'mac'] as const).map((field) => ({
    field,
    // Both faults of a pair are shown, each on its field.
    keyOf: ({ [field]: own, ip, mac }: AuthorizationRule) => (own === null ? null : `${ip} ${mac}`),
    messageOf: () => 'Another authorization rule has the same addresses.',
  })),
  references: [
    {
      field: 'user_id',
      isList: false,
      prefixes: ['user.'],
      idsOf: ({ user_id }) => [userId(user_id)],
      faultOf: userFault,
      isRemovedAlong: true,
    },
  ],
  reads: [users],
})

/** One spelling, so that the same card is recognised. */
function canonical(fields: Partial<NewAuthorizationRule>): Partial<NewAuthorizationRule> {
  return fields.mac ? { ...fields, mac: fields.mac.toLowerCase() } : fields
}

function addressProblems({ ip, mac, always_logged }: AuthorizationRule): Problem[] {
  const problems: Problem[] = []
  if (ip === null && mac === null)
    problems.push({ field: 'ip', message: 'A rule needs an IP address, a MAC address or both.' })
  if (ip === null && always_logged)
    problems.push({ field: 'always_logged', message: 'Only a host with an IP address can always be authorized.' })
  return problems
}

/** Users of a RADIUS server authorize by VPN only (docs/behaviour/users.md 4). */
function userFault(config: Config, id: string, { user_id }: AuthorizationRule): string | null {
  const user = findUser(config, id)
  if (!user) return `There is no user with the number ${user_id}.`
  return user.domain_type === 'radius'
    ? `The user "${user.name}" comes from a RADIUS server and authorizes by VPN only.`
    : null
}
