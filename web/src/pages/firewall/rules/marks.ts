// Marks in the margin of a rule from the findings of hygiene: the worst one in words, and which rules cause it. Pure.

import type { ReplyOf } from '@gateway/server/contract'
import type { showHygiene } from '@gateway/server/contract/firewall'
import { type NumberOf, renumber, sayNumber } from '../../../util/rule-numbers.ts'
import { heard, msg, t } from '../../../words.ts'
import type { TableName } from './tables.ts'

export type Finding = ReplyOf<typeof showHygiene>[number]

export interface Mark {
  readonly severity: Finding['severity']
  readonly kinds: readonly string[]
  /** Short, for the margin: "shadowed by 3", which is the third rule. */
  readonly words: string
  readonly findings: readonly Finding[]
}

const weight = { high: 3, medium: 2, low: 1 } as const

export const kindWords: Readonly<Record<Finding['kind'], string>> = {
  shadowed: msg('shadowed'),
  redundant: msg('repeats another rule'),
  never_hit: msg('never hit'),
  expired: msg('expired'),
  too_wide: msg('too wide'),
  unresolved: msg('lacks addresses'),
}

export const severityWords: Readonly<Record<Finding['severity'], string>> = {
  high: msg('high'),
  medium: msg('medium'),
  low: msg('low'),
}

export function sayFinding(
  { kind, proof, table }: Pick<Finding, 'kind' | 'proof' | 'table'>,
  numberOf: NumberOf,
): string {
  const rules = proof.rules
    .slice(0, 3)
    .map((id) => sayNumber(numberOf(table, id), id))
    .join(', ')
  if (kind === 'shadowed' && rules !== '') return t('shadowed by {rules}', { rules })
  if (kind === 'redundant' && rules !== '') return t('repeats {rules}', { rules })
  return t(kindWords[kind])
}

export function marksOf(findings: readonly Finding[], table: TableName, numberOf: NumberOf): ReadonlyMap<number, Mark> {
  const byRule = new Map<number, Finding[]>()
  for (const finding of findings) {
    if (finding.table !== table) continue
    const known = byRule.get(finding.rule_id)
    if (known) known.push(finding)
    else byRule.set(finding.rule_id, [finding])
  }
  return new Map([...byRule].map(([id, found]) => [id, markOf(found, numberOf)]))
}

function markOf(found: readonly Finding[], numberOf: NumberOf): Mark {
  const sorted = found
    .toSorted((a, b) => weight[b.severity] - weight[a.severity])
    .map((one) => ({ ...one, text: renumber(heard(one.text), numberOf, one.table) }))
  const [worst] = sorted
  return {
    severity: worst?.severity ?? 'low',
    kinds: sorted.map(({ kind }) => kind),
    words: worst ? sayFinding(worst, numberOf) : '',
    findings: sorted,
  }
}
