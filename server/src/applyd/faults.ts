// Faults of an apply, each with the object that caused it.

import type { Problem } from '../core/contract/error.ts'
import { wordsOf } from '../engines/kit/text.ts'
import type { Verdict } from './kernel/kernel.ts'

/** Several faults at once, each with the object that caused it. */
export class Faults extends Error {
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super(problems.map(({ field, message }) => `${field}: ${message}`).join(' '))
    this.problems = problems
  }
}

export const problemsOf = (fault: unknown): readonly Problem[] =>
  fault instanceof Faults ? fault.problems : [{ field: 'apply', message: wordsOf(fault) }]

export function throwIfFailed({ problems, unchecked }: Verdict): void {
  if (problems.length > 0) throw new Faults(problems)
  if (unchecked !== null) throw new Error(unchecked)
}
