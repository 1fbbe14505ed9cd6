// What the configuration says of hosts and users, for the keeper of sessions. The index of the rules follows their changes, so
// that no answer grows with the number of rules or users.

import { findIn } from '../../core/model/item-index.ts'
import { type Config, commonEnds, type Item, read } from '../../core/model/slots.ts'
import { networkAround, parseNetwork } from '../../shared/net/ipv4.ts'
import { findUser, groupPath, groups, userId, users } from '../users/public.ts'
import { authorizationRules, settings } from './config.ts'
import type { AuthorizationRule } from './contract.ts'

export type HostRuleType = 'ip' | 'mac' | 'ip_mac' | 'net'

export interface HostRule {
  readonly id: string
  readonly userId: string
  readonly type: HostRuleType
  readonly address: string | null
  readonly mac: string | null
  readonly isAlways: boolean
}

export const typeOfRule = ({ ip, mac }: Pick<AuthorizationRule, 'ip' | 'mac'>): HostRuleType => {
  if (ip === null) return 'mac'
  if (mac !== null) return 'ip_mac'
  return ip.includes('/') ? 'net' : 'ip'
}

const keyOf = (ip: string | null, mac: string | null): string => `${ip} ${mac}`

/** Rules by their addresses, of which no two have the same. */
class RuleIndex {
  #rules: readonly AuthorizationRule[] = []
  readonly #byAddresses = new Map<string, AuthorizationRule>()
  readonly #always = new Set<string>()
  /** How many rules are for networks with a prefix of this length. */
  readonly #prefixes = new Map<number, number>()

  follow(rules: readonly AuthorizationRule[]): this {
    if (rules === this.#rules) return this
    const [removed, added] = difference(this.#rules, rules)
    for (const rule of removed) this.#forget(rule)
    for (const rule of added) this.#remember(rule)
    this.#rules = rules
    return this
  }

  find(ip: string | null, mac: string | null): AuthorizationRule | undefined {
    return this.#byAddresses.get(keyOf(ip, mac))
  }

  always(): Iterable<string> {
    return this.#always
  }

  prefixes(): Iterable<number> {
    return this.#prefixes.keys()
  }

  #remember(rule: AuthorizationRule): void {
    this.#byAddresses.set(keyOf(rule.ip, rule.mac), rule)
    if (rule.always_logged) this.#always.add(rule.id)
    this.#countPrefix(rule, 1)
  }

  #forget(rule: AuthorizationRule): void {
    this.#byAddresses.delete(keyOf(rule.ip, rule.mac))
    this.#always.delete(rule.id)
    this.#countPrefix(rule, -1)
  }

  #countPrefix({ ip }: AuthorizationRule, by: number): void {
    const prefix = ip?.includes('/') ? (parseNetwork(ip)?.prefix ?? null) : null
    if (prefix === null) return
    const count = (this.#prefixes.get(prefix) ?? 0) + by
    if (count > 0) this.#prefixes.set(prefix, count)
    else this.#prefixes.delete(prefix)
  }
}

/** What is in only one of two states of a list. Items that did not change are the very same. */
function difference<T extends Item>(before: readonly T[], after: readonly T[]): readonly [removed: T[], added: T[]] {
  if (before === after) return [[], []]
  const [head, tail] = commonEnds(before, after)
  const [old, now] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)]
  const [known, kept] = [new Set(old), new Set(now)]
  return [old.filter((item) => !kept.has(item)), now.filter((item) => !known.has(item))]
}

const noNews = { users: new Set<string>(), rules: new Set<string>() }

const idsOf = (items: readonly (readonly { readonly id: string }[])[]): string[] => items.flat().map(({ id }) => id)

export function createKnownHosts(config: () => Config) {
  const index = new RuleIndex()
  const rules = (): RuleIndex => index.follow(read(config(), authorizationRules))
  let followed = config()

  return {
    user(id: string) {
      const user = findUser(config(), id)
      return user
        ? {
            login: user.login,
            isDenied: user.enabled,
            groups: groupPath(config(), user.parent_id),
            credential: JSON.stringify(user.password_hash),
          }
        : null
    },
    rule: (id: string) => known(findIn(config(), authorizationRules, id)),
    ruleFor(address: string, mac: string | null) {
      const all = rules()
      const [both, card] = mac === null ? [] : [all.find(address, mac), all.find(null, mac)]
      return known(both) ?? known(all.find(address, null)) ?? known(card) ?? networkRule(address)
    },
    networkRuleFor: networkRule,
    *always() {
      for (const id of rules().always()) {
        const rule = known(findIn(config(), authorizationRules, id))
        if (rule) yield rule
      }
    },
    idleSeconds: () => read(config(), settings).session_minutes * 60,
    news() {
      const [before, now] = [followed, config()]
      followed = now
      if ([groups, users, authorizationRules].every(({ key }) => before[key] === now[key])) return noNews
      const moved = difference(read(before, groups), read(now, groups))
      const parents = new Map(moved[1].map(({ id, parent_id }) => [id, parent_id]))
      const isTreeSame = moved[0].every(({ id, parent_id }) => parents.get(id) === parent_id)
      return {
        users: isTreeSame ? new Set(idsOf(difference(read(before, users), read(now, users)))) : ('all' as const),
        rules: new Set(idsOf(difference(read(before, authorizationRules), read(now, authorizationRules)))),
      }
    },
  }

  function known(rule: AuthorizationRule | undefined): HostRule | null {
    const id = userId(rule?.user_id ?? 0)
    if (!rule?.enabled || findUser(config(), id)?.enabled !== false) return null
    const { ip: address, mac, always_logged: isAlways } = rule
    return { id: rule.id, userId: id, type: typeOfRule(rule), address, mac, isAlways }
  }

  function networkRule(address: string): HostRule | null {
    for (const prefix of rules().prefixes()) {
      const rule = known(index.find(networkAround(address, prefix), null))
      if (rule) return rule
    }
    return null
  }
}
