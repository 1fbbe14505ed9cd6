// A rule as people call it, by its place in its table, wherever only its id is known.

import type { ReactNode } from 'react'
import { useRuleNumbers } from '../../api/rule-numbers.ts'
import { sayNumber, tableNamed } from '../../util/rule-numbers.ts'

export interface RuleNumberProps {
  /** As the log or the interface writes it; what is not a table of rules keeps its id. */
  readonly table: string
  readonly id: number | string
}

/** "FWD 3", with the name of the table as it is given. */
export function RuleNumber({ table, id }: RuleNumberProps): ReactNode {
  const known = /^\d+$/.test(String(id)) ? tableNamed(table) : null
  const numberOf = useRuleNumbers(known === null ? [] : [known])
  return `${table.toUpperCase()} ${known === null ? id : sayNumber(numberOf(known, id), id)}`.trimEnd()
}
