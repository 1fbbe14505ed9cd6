// What must hold of an authorization rule beyond the form of its fields.

import type { Problem } from '../../contract/error.ts'
import type { Config } from '../../model/slots.ts'
import { findUser, userId } from '../users/public.ts'
import type { AuthorizationRule } from './contract.ts'

export const ruleProblems = (config: Config, rule: AuthorizationRule): Problem[] => [
  ...addressProblems(rule),
  ...userProblems(config, rule.user_id),
]

function addressProblems({ ip, mac, always_logged }: AuthorizationRule): Problem[] {
  const problems: Problem[] = []
  if (ip === null && mac === null)
    problems.push({ field: 'ip', message: 'A rule needs an IP address, a MAC address or both.' })
  if (ip === null && always_logged)
    problems.push({ field: 'always_logged', message: 'Only a host with an IP address can always be authorized.' })
  return problems
}

/** Users of a RADIUS server authorize by VPN only (users-and-admins.md 3.4). */
function userProblems(config: Config, number: number): Problem[] {
  const user = findUser(config, userId(number))
  if (!user) return [{ field: 'user_id', message: `There is no user with the number ${number}.` }]
  return user.domain_type === 'radius'
    ? [{ field: 'user_id', message: `The user "${user.name}" comes from a RADIUS server and authorizes by VPN only.` }]
    : []
}
