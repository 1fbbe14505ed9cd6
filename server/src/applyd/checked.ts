// What passed a check, so that the apply after it need not check again.

import { isDeepStrictEqual } from 'node:util'
import { areSame } from './pieces.ts'
import type { Difference, Target } from './vet.ts'

/** What passed a check, and on which state of the machine. */
export interface Checked {
  readonly target: Target
  readonly difference: Difference
  readonly version: number
  readonly applied: string | undefined
}

/** Equal targets are mostly the same objects. */
export function isSameState(one: Checked, other: Checked): boolean {
  if (one.version !== other.version || one.applied !== other.applied) return false
  const [before, now] = [one.target, other.target]
  const isSameFile = ([name, content]: [string, Buffer | null]): boolean => {
    const old = before.files.get(name)
    return old === content || (!!old && !!content && old.equals(content))
  }
  return (
    isDeepStrictEqual(one.difference, other.difference) &&
    isDeepStrictEqual([before.links, before.units], [now.links, now.units]) &&
    before.files.size === now.files.size &&
    [...now.files].every(isSameFile) &&
    [...now.tables].every(([name, pieces]) => areSame(before.tables.get(name) ?? [], pieces))
  )
}
