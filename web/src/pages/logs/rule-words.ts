// Rules in the facets and chips of the explorer, as people call them: "FWD 3 Branch office". The log has ids, which a rule keeps while
// its place changes, and the same id can be in several tables.

import { useMemo } from 'react'
import { useRuleNumbers } from '../../api/rule-numbers.ts'
import { type NumberOf, sayNumber, tableNamed } from '../../util/rule-numbers.ts'
import type { LogLine } from './lines.ts'
import type { LogSource, RuleMention } from './source.ts'

/** By id: the rules that lines name with it. */
export function mentionsIn(source: LogSource, lines: readonly LogLine[]): ReadonlyMap<string, readonly RuleMention[]> {
  const found = new Map<string, RuleMention[]>()
  for (const line of lines) {
    const rule = source.ruleOf?.(line) ?? null
    if (!rule || rule.table === 'absent' || rule.table === 'SYS' || !/^\d+$/.test(rule.id)) continue
    const known = found.get(rule.id)
    if (known === undefined) found.set(rule.id, [rule])
    else if (!known.some(({ table }) => table === rule.table)) known.push(rule)
  }
  return found
}

/** What a value of the column `rule_id` is called; null where it is not a rule of an administrator. */
export function sayRules(
  rules: readonly RuleMention[] | undefined,
  numberOf: NumberOf,
  nameOf: (rule: RuleMention) => string,
): string | null {
  if (rules === undefined) return null
  return rules
    .map((rule) => {
      const table = tableNamed(rule.table)
      const number = table === null ? rule.id : sayNumber(numberOf(table, rule.id), rule.id)
      const shown = table === null && rule.table === 'web' ? '' : rule.table.toUpperCase()
      return [shown, number, nameOf(rule)].filter((word) => word !== '').join(' ')
    })
    .join(', ')
}

export type RuleWord = (column: string, value: string) => string | null

export function useRuleWords(
  source: LogSource,
  lines: readonly LogLine[],
  nameOf: (rule: RuleMention) => string,
): RuleWord {
  const mentions = useMemo(() => mentionsIn(source, lines), [source, lines])
  const tables = useMemo(
    () => [...new Set([...mentions.values()].flat().flatMap(({ table }) => tableNamed(table) ?? []))],
    [mentions],
  )
  const numberOf = useRuleNumbers(tables)
  return (column, value) => (column === 'rule_id' ? sayRules(mentions.get(value), numberOf, nameOf) : null)
}
