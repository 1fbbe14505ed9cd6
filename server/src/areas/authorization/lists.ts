// The list of authorization rules: what must hold of a rule beyond the form of its fields. The rules of a user are removed
// with the user.

import type { Problem } from '../../core/contract/error.ts'
import { declareList } from '../../core/model/declarations.ts'
import { type Config, perState, read } from '../../core/model/slots.ts'
import { type Network, parseAddress, parseNetwork, parseSpan } from '../../shared/net/ipv4.ts'
import { type SaidText, say } from '../../shared/said.ts'
import { findUser, type StoredUser, userId, users } from '../users/public.ts'
import { authorizationRules } from './config.ts'
import type { AuthorizationRule, NewAuthorizationRule } from './contract.ts'

export const ruleList = declareList({
  slot: authorizationRules,
  noun: 'authorization rule',
  ids: { kind: 'uuid' },
  nameOf: ({ ip, mac }) => `authorization rule for ${[ip, mac].filter((address) => address !== null).join(' and ')}`,
  fieldsOf: canonical,
  problemsOf: (_, rule) => addressProblems(rule),
  conflictsOf: overlaps,
  unique: (['ip', 'mac'] as const).map((field) => ({
    field,
    // Both faults of a pair are shown, each on its field.
    keyOf: ({ [field]: own, ip, mac }: AuthorizationRule) => (own === null ? null : `${ip} ${mac}`),
    messageOf: () => say`Another authorization rule has the same addresses.`,
  })),
  references: [
    {
      field: 'user_id',
      isList: false,
      prefixes: ['user.'],
      idsOf: ({ user_id }) => [userId(user_id)],
      faultOf: userFault,
      slots: [users],
      kindOf: (user) => (user as StoredUser).domain_type,
      isRemovedAlong: true,
    },
  ],
})

/** One spelling, so that the same card is recognised. */
function canonical(fields: Partial<NewAuthorizationRule>): Partial<NewAuthorizationRule> {
  return fields.mac ? { ...fields, mac: fields.mac.toLowerCase() } : fields
}

function addressProblems({ ip, mac, always_logged }: AuthorizationRule): Problem[] {
  const problems: Problem[] = []
  const network = networkIn(ip)
  if (network && network.address !== network.low)
    problems.push({ field: 'ip', message: say`The network ${ip} has host bits set.` })
  if (network && mac !== null)
    problems.push({ field: 'mac', message: say`A rule for a network cannot have a MAC address.` })
  if (network && always_logged)
    problems.push({
      field: 'always_logged',
      message: say`Only a single address can always be authorized, not a network.`,
    })
  if (ip === null && mac === null)
    problems.push({ field: 'ip', message: say`A rule needs an IP address, a MAC address or both.` })
  if (ip === null && always_logged)
    problems.push({ field: 'always_logged', message: say`Only a host with an IP address can always be authorized.` })
  return problems
}

/** Users of a RADIUS server authorize by VPN only (docs/behaviour/users.md 4). */
function userFault(config: Config, id: string, { user_id }: AuthorizationRule): SaidText | null {
  const user = findUser(config, id)
  if (!user) return say`There is no user with the number ${user_id}.`
  return user.domain_type === 'radius'
    ? say`The user "${user.name}" comes from a RADIUS server and authorizes by VPN only.`
    : null
}

const networkIn = (ip: string | null): Network | null => (ip?.includes('/') ? parseNetwork(ip) : null)

/** Rules for networks with their spans; there are few of them. */
const networkRules = perState([authorizationRules], (config) =>
  read(config, authorizationRules).flatMap((rule) => {
    const network = networkIn(rule.ip)
    return network ? [{ rule, network }] : []
  }),
)

/** A network is one user's: neither another network rule nor an address of another user is inside (docs/behaviour/authorization.md 1). */
function overlaps(config: Config, { id, ip, user_id }: AuthorizationRule): Problem[] {
  const span = ip === null ? null : parseSpan(ip)
  if (!span) return []
  const [low, high] = span
  const isNetwork = ip?.includes('/') ?? false
  const others = networkRules(config).filter(
    ({ rule, network }) => rule.id !== id && network.low <= high && low <= network.high,
  )
  const problems = others
    .filter(({ rule }) => isNetwork || rule.user_id !== user_id)
    .map(({ rule }) => ({ field: 'ip', message: say`Overlaps the network ${rule.ip} of another authorization rule.` }))
  if (!isNetwork) return problems
  const inside = read(config, authorizationRules).find((rule) => {
    const address = rule.user_id === user_id || rule.ip === null ? null : parseAddress(rule.ip)
    return address !== null && low <= address && address <= high
  })
  return inside
    ? [...problems, { field: 'ip', message: say`The address ${inside.ip} inside it belongs to another user.` }]
    : problems
}
