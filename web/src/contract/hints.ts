// What the contract does not say about a field yet. Each line is a gap in the annotations of the contract: the table only shrinks.

import type { FieldSpec } from './define.ts'

/** By the name of the field, or with the name of the object around it. */
const table: Readonly<Record<string, FieldSpec>> = {
  parent_id: { refers: ['group'] },
}

export const hintOf = (name: string): FieldSpec => table[name] ?? table[name.slice(name.lastIndexOf('.') + 1)] ?? {}
export const hintNames: readonly string[] = Object.keys(table)
