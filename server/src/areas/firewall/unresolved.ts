// The rules that are not in the kernel, or not wholly, because a domain or a country that they name has no known addresses.

import { type Config, read } from '../../core/model/slots.ts'
import { type Policy, type PolicyRule, ruleTables } from '../../domain/policy/model.ts'
import { type Unresolved, unresolvedOf } from '../../domain/policy/unresolved.ts'
import { type SaidText, say } from '../../shared/said.ts'
import { domains } from '../objects/public.ts'

export interface UnresolvedRules {
  /** A sentence for each rule. */
  readonly rules: readonly SaidText[]
  /** Why the domains have no addresses, as far as DNS said so. */
  readonly reasons: readonly SaidText[]
  /** DNS has not answered yet about any of them. */
  readonly isPending: boolean
}

/** What DNS said about a domain object, by its id. */
type DomainStates = ReadonlyMap<string, { readonly resolvedAt: number | null; readonly error: string | null }>

const maxRules = 20

/** What a rule lacks, and a sentence about both. */
type Lacking = Pick<Unresolved, 'names' | 'text'>

const known = new WeakMap<readonly PolicyRule[], readonly Lacking[]>()

/** Pages ask every few seconds, so ten thousand rules are looked through once. */
function lackingIn(rules: readonly PolicyRule[]): readonly Lacking[] {
  const found =
    known.get(rules) ??
    rules.flatMap((rule) => {
      const lacking = unresolvedOf(rule)
      if (lacking === null) return []
      return [{ names: lacking.names, text: say`${rule.table.toUpperCase()} rule ${rule.id}: ${lacking.text}` }]
    })
  known.set(rules, found)
  return found
}

/** Null when every rule has the addresses it names. */
export function findUnresolved(config: Config, policy: Policy, states: DomainStates): UnresolvedRules | null {
  const found = ruleTables.flatMap((table) => lackingIn(policy.rules[table]))
  if (found.length === 0) return null
  const names = new Set(found.flatMap((one) => one.names))
  const named = read(config, domains).filter(({ value }) => names.has(value))
  const isAsked = ({ id }: { readonly id: string }): boolean => {
    const state = states.get(id)
    return state !== undefined && state.error === null && state.resolvedAt === null
  }
  return {
    rules: [
      ...found.slice(0, maxRules).map(({ text }) => text),
      ...(found.length > maxRules ? [say`The same holds for ${found.length - maxRules} more rules.`] : []),
    ],
    reasons: named.slice(0, maxRules).flatMap(({ id, value }) => {
      const error = states.get(id)?.error ?? null
      return error === null ? [] : [say`${value}: ${error}`]
    }),
    isPending: named.length === names.size && named.every(isAsked),
  }
}
