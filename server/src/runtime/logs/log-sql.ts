// Questions over journals as SQL. Names of columns come from the contract and are never a client's words; values are bound.

import type { Cell, Condition, SortItem } from '../../contract/table-query.ts'

export interface SqlPart {
  readonly text: string
  readonly values: readonly Cell[]
}

/** The expression of a column in small letters. */
export type Folded = (column: string) => string

export function sqlOf(condition: Condition, folded: Folded): SqlPart {
  switch (condition.kind) {
    case 'all':
      return joined(condition.of, 'AND', '1', folded)
    case 'any':
      return joined(condition.of, 'OR', '0', folded)
    case 'not': {
      const { text, values } = sqlOf(condition.of, folded)
      return { text: `NOT ${text}`, values }
    }
    case 'contains':
      return {
        text: `(${condition.texts.map(() => `instr(${folded(condition.column)}, ?) > 0`).join(' OR ')})`,
        values: condition.texts,
      }
    case 'equals':
      return {
        text: `(${condition.column} IN (${condition.cells.map(() => '?').join(', ')}))`,
        values: condition.cells,
      }
    case 'compare':
      return { text: `(${condition.column} ${condition.operator} ?)`, values: [condition.bound] }
  }
}

function joined(of: readonly Condition[], word: 'AND' | 'OR', empty: string, folded: Folded): SqlPart {
  if (of.length === 0) return { text: empty, values: [] }
  const parts = of.map((condition) => sqlOf(condition, folded))
  return { text: `(${parts.map(({ text }) => text).join(` ${word} `)})`, values: parts.flatMap(({ values }) => values) }
}

export const orderSql = (order: readonly SortItem[]): string =>
  order.map(({ field, direction }) => `${field} ${direction === 'asc' ? 'ASC' : 'DESC'}`).join(', ')
