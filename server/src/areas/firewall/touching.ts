// Which rules an address has to do with: whose source or destination it can be. Pure.

import type { Config } from '../../core/model/slots.ts'
import type { Facts } from '../../core/plan/facts.ts'
import type { AddressMatch, Span } from '../../domain/policy/model.ts'
import { covers, overlaps, type Ranges } from '../../shared/net/ranges.ts'
import { ruleTables } from './config.ts'
import type { TouchingRule } from './contract-explain.ts'
import { policyOf } from './resolve.ts'

export interface TouchedAddress {
  readonly span: Span
  /** The user there and the groups above, by id. */
  readonly members: readonly string[]
}

/** One rule a step, so that others get their turn: the rule, or null when it has nothing to do with the address. */
export function* touchingRules(
  config: Config,
  facts: Facts,
  address: TouchedAddress,
): Generator<TouchingRule | null, void> {
  const { rules } = policyOf(config, facts)
  const sideOf = createSides(address)
  for (const table of ruleTables) {
    for (const { id, source, destination } of rules[table]) {
      const sides = { source: sideOf(source), destination: sideOf(destination) }
      yield Object.values(sides).includes('named') ? { table, id, ...sides } : null
    }
  }
}

/** Thousands of rules may name the same list of a hundred thousand addresses, which is looked at once. */
function createSides({ span, members }: TouchedAddress) {
  const known = new Map<Ranges, { readonly hasSome: boolean; readonly hasAll: boolean }>()
  const look = (ranges: Ranges) => {
    const looked = known.get(ranges) ?? { hasSome: overlaps(ranges, span), hasAll: covers(ranges, span) }
    known.set(ranges, looked)
    return looked
  }
  return (match: AddressMatch | null): TouchingRule['source'] => {
    if (match === null) return 'any'
    const { hasSome, hasAll } = look(match.ranges)
    const hasMember = match.members?.some((id) => members.includes(id)) ?? false
    const isNamed = match.isNegated ? !(hasAll || hasMember) : hasSome || hasMember
    return isNamed ? 'named' : 'no'
  }
}
