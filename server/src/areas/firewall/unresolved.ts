// The rules that are not in the kernel, or not wholly, because a domain or a country that they name has no known addresses.

import { type Config, read } from '../../model/slots.ts'
import { type Policy, ruleTables } from '../../policy/model.ts'
import { unresolvedOf } from '../../policy/unresolved.ts'
import { domains } from '../objects/public.ts'

export interface UnresolvedRules {
  /** A sentence for each rule. */
  readonly rules: readonly string[]
  /** Why the domains have no addresses, as far as DNS said so. */
  readonly reasons: readonly string[]
  /** DNS has not answered yet about any of them. */
  readonly isPending: boolean
}

/** What DNS said about a domain object, by its id. */
type DomainStates = ReadonlyMap<string, { readonly resolvedAt: number | null; readonly error: string | null }>

const maxRules = 20

/** Null when every rule has the addresses it names. */
export function findUnresolved(config: Config, policy: Policy, states: DomainStates): UnresolvedRules | null {
  const found = ruleTables.flatMap((table) =>
    policy.rules[table].flatMap((rule) => {
      const lacking = unresolvedOf(rule)
      return lacking ? [{ ...lacking, text: `${table.toUpperCase()} rule ${rule.id}: ${lacking.text}` }] : []
    }),
  )
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
      ...(found.length > maxRules ? [`The same holds for ${found.length - maxRules} more rules.`] : []),
    ],
    reasons: named.slice(0, maxRules).flatMap(({ id, value }) => {
      const error = states.get(id)?.error ?? null
      return error === null ? [] : [`${value}: ${error}`]
    }),
    isPending: named.length === names.size && named.every(isAsked),
  }
}
