// Rules that name a domain or a country whose addresses are not known: what the kernel does not do because of it, in an
// administrator's words, and whether the answer about a packet could be another one once they are known. Pure.

import { type SaidText, say } from '../../shared/said.ts'
import { type Flow, type Match, matchRule } from './evaluate-match.ts'
import type { AddressMatch, PolicyRule } from './model.ts'

export interface Unresolved {
  /** Domains and countries as the administrator names them. */
  readonly names: readonly string[]
  readonly fields: readonly ('source_addresses' | 'destination_addresses')[]
  /** More passes than the rule says: it does not drop something, or accepts something that it excepts. */
  readonly failsOpen: boolean
  readonly text: SaidText
}

/** Null when everything that the rule names has addresses. */
export function unresolvedOf(rule: PolicyRule): Unresolved | null {
  const { source, destination } = rule
  const lacking = [source, destination].filter((match) => lacks(match))
  if (lacking.length === 0) return null
  const names = [...new Set(lacking.flatMap((match) => match?.unresolved ?? []))]
  const effects = lacking.map((match) => effectOf(rule, match as AddressMatch))
  return {
    names,
    fields: [
      ...(lacks(source) ? (['source_addresses'] as const) : []),
      ...(lacks(destination) ? (['destination_addresses'] as const) : []),
    ],
    failsOpen: effects.some(({ failsOpen }) => failsOpen),
    text: say`No address is known for ${sayNames(names)}. ${[...new Set(effects.map(({ text }) => text))].reduce((one, other) => say`${one} ${other}`)}`,
  }
}

const lacks = (match: AddressMatch | null): boolean => (match?.unresolved?.length ?? 0) > 0

const verbs: Readonly<Record<string, string>> = {
  accept: say`accept`,
  drop: say`drop`,
  reject: say`reject`,
  dnat: say`translate`,
  snat: say`translate`,
  mark: say`mark`,
}

const does: Readonly<Record<string, string>> = {
  accept: say`accepts`,
  drop: say`drops`,
  reject: say`rejects`,
  dnat: say`translates`,
  snat: say`translates`,
  mark: say`marks`,
}

function effectOf(
  { action }: PolicyRule,
  { isNegated, ranges, members }: AddressMatch,
): { failsOpen: boolean; text: SaidText } {
  const verb = verbs[action.kind] ?? action.kind
  if (isNegated) {
    const text = say`The exception has no effect: the rule also ${does[action.kind] ?? action.kind} these connections.`
    return { failsOpen: verb === 'accept', text }
  }
  const lacking =
    ranges.length === 0 && members === undefined
      ? say`The rule is not in the kernel`
      : say`The rule is in the kernel with its other addresses only`
  const text = say`${lacking}: it does not ${verb} these connections, and later rules and the default decide about them.`
  return { failsOpen: verb === 'drop' || verb === 'reject', text }
}

const maxNames = 5

function sayNames(names: readonly string[]): string {
  const shown = names.slice(0, maxNames).join(', ')
  return names.length > maxNames ? `${shown} and ${names.length - maxNames} more` : shown
}

/** True when the rule could match, or no longer match, once the addresses are known. Domains have IPv4 addresses only. */
export function isUncertain(rule: PolicyRule, flow: Flow, match: Match): boolean {
  const { source, destination } = rule
  if (!lacks(source) && !lacks(destination)) return false
  if (flow.source === null) return false
  if (match.kind !== 'miss') return [source, destination].some((one) => lacks(one) && one?.isNegated)
  const open = { ...rule, source: lacks(source) ? null : source, destination: lacks(destination) ? null : destination }
  return matchRule(open, flow).kind !== 'miss'
}
