// What the firewall does with hosts that are authorized or not, from the settings and rules of authorization. Pure.

import { type Config, perState, read } from '../../core/model/slots.ts'
import type { LocalSide } from '../../domain/policy/local-side.ts'
import type { AuthorizationStage, Span } from '../../domain/policy/model.ts'
import { portal } from '../../engines/portal/index.ts'
import { noRanges, type Ranges, toRanges, unite } from '../../shared/net/ranges.ts'
import { userId, users } from '../users/public.ts'
import { claimNetworks, claimsOf, spanOf } from './claims.ts'
import { authorizationRules, settings } from './config.ts'
import type { AuthorizationRule } from './contract.ts'

export interface StageContext {
  readonly side: LocalSide
  /** Does a rule of the firewall name a user or a group? */
  readonly namesMembers: boolean
  /** Does device discovery want to know of hosts that nothing authorizes? */
  readonly notesUnknown: boolean
}

/** Null when it would neither refuse nor notice anything. */
export function authorizationStage(
  config: Config,
  { side, namesMembers, notesUnknown }: StageContext,
): AuthorizationStage | null {
  const { allow_internet_to_everyone, web_authorization, session_minutes } = read(config, settings)
  const byRules = authorizedByRules(config)
  const hasRules = read(config, authorizationRules).some(({ enabled }) => enabled)
  if (allow_internet_to_everyone && !hasRules && !namesMembers && !notesUnknown) return null
  const isEnforced = !allow_internet_to_everyone
  return {
    isEnforced,
    side,
    ...byRules,
    idleSeconds: session_minutes * 60,
    portalPort: isEnforced && web_authorization ? portal.ports.http.destinationPort : null,
    notesUnknown,
  }
}

type ByRules = Pick<AuthorizationStage, 'hosts' | 'networks' | 'pairs' | 'macs'>

const remembered = new WeakMap<
  readonly AuthorizationRule[],
  { readonly denied: ReadonlySet<string>; readonly byRules: ByRules }
>()

const deniedUsers = perState(
  [users],
  (config) => new Set(read(config, users).flatMap(({ id, enabled }) => (enabled ? [id] : []))),
)

/** The same lists while the rules and who is denied access are the same, so that their sets are not made again. */
function authorizedByRules(config: Config): ByRules {
  const rules = read(config, authorizationRules)
  const denied = deniedUsers(config)
  const known = remembered.get(rules)
  if (known && known.denied.size === denied.size && denied.isSubsetOf(known.denied)) return known.byRules
  const byRules = resolved(denied, rules)
  remembered.set(rules, { denied, byRules })
  return byRules
}

function resolved(denied: ReadonlySet<string>, rules: readonly AuthorizationRule[]): ByRules {
  // Mostly there is none, and no id is made for each of ten thousand rules.
  const isDenied = (userNumber: number): boolean => denied.size > 0 && denied.has(userId(userNumber))
  const hosts: Span[] = []
  const pairs: { readonly address: number; readonly mac: string }[] = []
  const macs = new Set<string>()
  for (const rule of rules) {
    if (!rule.enabled || isDenied(rule.user_id)) continue
    const span = spanOf(rule)
    if (span === null) {
      if (rule.mac !== null) macs.add(rule.mac)
    } else if (span[0] === span[1]) {
      if (rule.mac === null) hosts.push(span)
      else pairs.push({ address: span[0], mac: rule.mac })
    }
  }
  return { hosts: toRanges(hosts), networks: networksOf(rules, isDenied), pairs, macs: [...macs] }
}

/** A host of a user who is denied access does not get in with the network around it. */
function networksOf(rules: readonly AuthorizationRule[], isDenied: (userNumber: number) => boolean): Ranges {
  if (!rules.some(({ ip }) => ip?.includes('/'))) return noRanges
  const { hosts, networks } = claimsOf(rules)
  const outside = [...hosts].flatMap(([address, userNumber]) => (isDenied(userNumber) ? [address] : []))
  const claims = claimNetworks(networks, outside).filter(({ userNumber }) => !isDenied(userNumber))
  return unite(claims.map(({ ranges }) => ranges))
}
