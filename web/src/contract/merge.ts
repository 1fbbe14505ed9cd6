// Two people changed the same item: what only one of them changed is taken, the rest is asked for, field by field. Pure.

import type { Item } from './define.ts'
import { isEqual } from './draft.ts'

export interface Conflict {
  readonly field: string
  readonly base: unknown
  readonly mine: unknown
  readonly theirs: unknown
}

export interface Merge {
  /** Theirs, with what only I changed. Where both changed, theirs is used until the person chooses. */
  readonly merged: Item
  readonly conflicts: readonly Conflict[]
  /** What only they changed. */
  readonly taken: readonly string[]
}

export function mergeItems(base: Item, mine: Item, theirs: Item): Merge {
  const merged: Record<string, unknown> = { ...theirs }
  const conflicts: Conflict[] = []
  const taken: string[] = []
  for (const field of Object.keys({ ...base, ...mine, ...theirs })) {
    const [before, own, other] = [base[field], mine[field], theirs[field]]
    if (isEqual(own, before)) {
      if (!isEqual(other, before)) taken.push(field)
    } else if (isEqual(other, before) || isEqual(own, other)) {
      merged[field] = own
    } else {
      conflicts.push({ field, base: before, mine: own, theirs: other })
    }
  }
  return { merged, conflicts, taken }
}

export type Choice = 'mine' | 'theirs'

export const settle = ({ merged, conflicts }: Merge, choices: Readonly<Record<string, Choice>>): Item => ({
  ...merged,
  ...Object.fromEntries(
    conflicts.flatMap(({ field, mine }) => (choices[field] === 'mine' ? [[field, mine] as const] : [])),
  ),
})
