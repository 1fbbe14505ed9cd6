// Faults of an apply, each with the object that caused it.

import type { Problem } from '../core/contract/error.ts'
import { wordsOf } from '../engines/kit/text.ts'
import { say, verbatim } from '../shared/said.ts'
import type { Context, FailpointName } from './context.ts'
import type { Verdict } from './kernel/nft-kernel.ts'

/** Several faults at once, each with the object that caused it. */
export class Faults extends Error {
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super(problems.map(({ field, message }) => `${field}: ${message}`).join(' '))
    this.problems = problems
  }
}

export const problemsOf = (fault: unknown): readonly Problem[] =>
  fault instanceof Faults ? fault.problems : [{ field: 'apply', message: verbatim(wordsOf(fault)) }]

export function throwIfFailed({ problems, unchecked }: Verdict): void {
  if (problems.length > 0) throw new Faults(problems)
  if (unchecked !== null) throw new Error(unchecked)
}

/** A step of a revert; returns its faults. */
export async function tryRevert(context: Context, step: FailpointName, work: () => unknown): Promise<Problem[]> {
  try {
    context.failpoint(step)
    await work()
    return []
  } catch (fault) {
    context.log('error', 'A revert failed', { fault, step })
    return problemsOf(fault).map(({ field, message }) => ({ field, message: say`The revert failed: ${message}` }))
  }
}
