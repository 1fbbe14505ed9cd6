// What an administrator reads when the apply service stopped answering during a change. The change is not kept in the
// configuration by then; whether the machine ever had it is found out by asking.

import { say } from '../../shared/said.ts'
import { GatewayError, isUnavailable } from '../contract/error.ts'
import type { PlanApplier } from '../plan/artifacts.ts'

/** A committed change, which was reverted since. Faults other than a missing answer are returned as they are. */
export async function explainLostApply(applier: PlanApplier, revision: number, error: unknown): Promise<unknown> {
  return isUnavailable(error) ? notKept(error, await look(applier, revision)) : error
}

/** Waits until the service is back, as long as any request waits for it. */
async function look(applier: PlanApplier, revision: number): Promise<string> {
  try {
    const { appliedRevision } = await applier.observe()
    if (appliedRevision === revision) return say`The machine had already taken it over and is being reverted.`
    return hasPrevious
  } catch {
    return isUnknown
  }
}

/** A change that was tried and not committed; `isUndone`: the machine has the previous configuration. */
export const explainLostAttempt = (error: unknown, isUndone: boolean): unknown =>
  isUnavailable(error) ? notKept(error, isUndone ? hasPrevious : isUnknown) : error

const hasPrevious = say`The machine has the previous configuration.`
const isUnknown = say`Whether the machine has it is not known until the service answers again; then the machine is reverted.`

const notKept = (cause: unknown, machine: string): GatewayError =>
  new GatewayError(
    'unavailable',
    say`The apply service stopped answering during the change. The change was not kept. ${machine}`,
    { cause, retryAfterSeconds: 1 },
  )
