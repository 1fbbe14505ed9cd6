// What an administrator should review: rules that never decide, that others make redundant, that nothing has hit,
// whose time is over, that let too much through. Each finding with its proof. Times and hits come from the caller. Pure.

import { highestAddress } from '../../shared/net/ipv4.ts'
import { sizeOf } from '../../shared/net/ranges.ts'
import { type SaidText, say } from '../../shared/said.ts'
import type { RuleField } from './evaluate-match.ts'
import { type Covered, findCovered } from './hygiene-cover.ts'
import { listWiderFields, type Shape, shapeOf } from './hygiene-shape.ts'
import { type AddressMatch, type Policy, type PolicyRule, type RuleTable, ruleTables } from './model.ts'
import { unresolvedOf } from './unresolved.ts'

export type FindingKind = 'shadowed' | 'redundant' | 'never_hit' | 'expired' | 'too_wide' | 'unresolved'
export type Severity = 'high' | 'medium' | 'low'

export interface Proof {
  /** Ids of the rules of the same table that make it so. */
  readonly rules: readonly number[]
  /** Fields in which those rules are wider, or which are too wide themselves. */
  readonly fields: readonly RuleField[]
  /** Unix seconds since when no packet has hit the rule. */
  readonly since: number | null
}

export interface Finding {
  readonly kind: FindingKind
  readonly severity: Severity
  readonly table: RuleTable
  readonly rule_id: number
  readonly proof: Proof
  readonly text: string
}

export interface HitState {
  readonly packets: number
  /** Unix seconds: when counting began for this rule as it is now. */
  readonly since: number
}

export interface HygieneInput {
  /** Without disabled rules. */
  readonly rules: Policy['rules']
  /** By origin; a rule that is not in it is not judged. */
  readonly hits: ReadonlyMap<string, HitState>
  /** Origins of rules whose times are all in the past. */
  readonly expired: ReadonlySet<string>
  /** Equal for rules that do the same to a packet; without it the action decides. */
  readonly effectOf?: (rule: PolicyRule) => string
  /** What was found by the rules of a table before, for who asks again with other hits. */
  readonly covered?: WeakMap<readonly PolicyRule[], readonly Covered[]>
}

const noProof: Proof = { rules: [], fields: [], since: null }

/** Findings in the order of the tables and their rules. Takes seconds for ten thousand rules. */
export const findHygiene = (input: HygieneInput): Finding[] => ruleTables.flatMap((table) => checkTable(input, table))

function coveredIn({ rules: all, covered: known, effectOf = actionText }: HygieneInput, table: RuleTable) {
  const rules = all[table]
  const before = known?.get(rules)
  if (before) return before
  const shapes = rules.map((rule) => shapeOf(rule, effectOf(rule)))
  // Of logging rules the last match decides.
  const found = findCovered(table === 'log' ? shapes.toReversed() : shapes)
  known?.set(rules, found)
  return found
}

const actionText = ({ action }: PolicyRule): string => JSON.stringify(action)

function checkTable(input: HygieneInput, table: RuleTable): Finding[] {
  const { hits, expired } = input
  const rules = input.rules[table]
  const covered = coveredIn(input, table)
  const byRule = new Map(covered.map((it) => [it.inner.rule, it]))
  const findings: Finding[] = []
  for (const rule of rules) {
    const cover = byRule.get(rule)
    if (cover !== undefined) findings.push(describeCovered(cover))
    if (expired.has(rule.origin)) findings.push(describeExpired(rule))
    findings.push(...describeUnresolved(rule), ...describeUnhit(rule, hits.get(rule.origin)), ...describeWidth(rule))
  }
  return findings
}

const finding = (
  rule: PolicyRule,
  kind: FindingKind,
  severity: Severity,
  proof: Partial<Proof>,
  text: string,
): Finding => ({
  kind,
  severity,
  table: rule.table,
  rule_id: rule.id,
  proof: { ...noProof, ...proof },
  text,
})

function describeCovered({ inner, outer, isDead }: Covered): Finding {
  const { rule } = inner
  const isSame = outer.every(({ effect }) => effect === inner.effect)
  const proof = { rules: outer.map((it) => it.rule.id), fields: widerFields(inner, outer) }
  const others = sayRules(proof.rules, (rule.table === 'log') === isDead)
  if (isDead && !isSame)
    return finding(
      rule,
      'shadowed',
      'high',
      proof,
      say`The rule never decides: ${others} everything it matches, with a different action.`,
    )
  if (isDead)
    return finding(
      rule,
      'redundant',
      'low',
      proof,
      say`The rule never decides: ${others} everything it matches, with the same action.`,
    )
  const text = say`The rule is redundant: ${others} everything it matches, with the same action, and no rule between them decides otherwise.`
  return finding(rule, 'redundant', 'low', proof, text)
}

const widerFields = (inner: Shape, outer: readonly Shape[]): RuleField[] => [
  ...new Set(outer.flatMap((it) => listWiderFields(it, inner))),
]

/** Which rules match, above or below; the verb is part of it, because it follows the number. */
function sayRules(ids: readonly number[], isBelow: boolean): SaidText {
  if (ids.length === 1) return isBelow ? say`rule ${ids[0]} below matches` : say`rule ${ids[0]} above matches`
  const all = say`${ids.slice(0, -1).join(', ')} and ${ids.at(-1)}`
  return isBelow ? say`rules ${all} together below match` : say`rules ${all} together above match`
}

const describeExpired = (rule: PolicyRule): Finding =>
  finding(
    rule,
    'expired',
    'medium',
    { fields: ['timetable'] },
    say`All times of the rule are in the past: it no longer has any effect.`,
  )

function describeUnresolved(rule: PolicyRule): Finding[] {
  const lacking = unresolvedOf(rule)
  if (lacking === null) return []
  const { fields, failsOpen, text } = lacking
  return [finding(rule, 'unresolved', failsOpen ? 'high' : 'medium', { fields }, text)]
}

function describeUnhit(rule: PolicyRule, hits: HitState | undefined): Finding[] {
  if (hits === undefined || hits.packets > 0) return []
  const since = new Date(hits.since * 1000).toISOString()
  return [finding(rule, 'never_hit', 'low', { since: hits.since }, say`No packet has hit the rule since ${since}.`)]
}

/** Accepting, or sending elsewhere, what comes from nearly anywhere for nearly anything. */
function describeWidth(rule: PolicyRule): Finding[] {
  const { table, action, protocol } = rule
  const isAccept = (table === 'forward' || table === 'input') && action.kind === 'accept'
  const hasPorts = protocol === null || protocol === 'tcp' || protocol === 'udp'
  if (!hasPorts || !isWidePorts(rule) || !isWide(rule.destination)) return []
  if (action.kind === 'dnat') {
    const text = say`The rule redirects connections to every destination and port.`
    return [finding(rule, 'too_wide', 'high', { fields: ['destination_addresses', 'destination_ports'] }, text)]
  }
  if (!isAccept || !isWide(rule.source)) return []
  const narrowing = [rule.incoming, table === 'input' ? null : rule.outgoing, rule.times, rule.holders]
  const isNarrowed = narrowing.some((it) => it !== null)
  const severity = protocol !== null ? 'low' : isNarrowed ? 'medium' : 'high'
  const fields: RuleField[] = [
    'source_addresses',
    'destination_addresses',
    protocol === null ? 'protocol' : 'destination_ports',
  ]
  const what = protocol === null ? say`everything` : say`every ${protocol} port`
  return [
    finding(
      rule,
      'too_wide',
      severity,
      { fields },
      isNarrowed
        ? say`The rule accepts ${what} from any source to any destination, limited only by interface, time or device profile.`
        : say`The rule accepts ${what} from any source to any destination.`,
    ),
  ]
}

/** More than half of what there is: a list that leaves out a few addresses is as good as any. */
function isWide(match: AddressMatch | null): boolean {
  if (match === null) return true
  const isBig = sizeOf(match.ranges) > highestAddress / 2
  return match.isNegated !== isBig
}

const isWidePorts = ({ destinationPorts }: PolicyRule): boolean =>
  destinationPorts === null || sizeOf(destinationPorts.ranges) > 32_768
