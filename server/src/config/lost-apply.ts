// What an administrator reads when the apply service stopped answering during a change. The change is always reverted in
// the configuration by then; whether the machine ever had it is found out by looking.

import { GatewayError } from '../contract/error.ts'
import type { Applier } from '../plan/artifacts.ts'

/** `revision` is that of the change. Faults other than a missing answer are returned as they are. */
export async function explainLostApply(applier: Applier, revision: number, error: unknown): Promise<unknown> {
  if (!(error instanceof GatewayError) || error.code !== 'unavailable') return error
  const notKept = 'The apply service stopped answering during the change. The change was not kept.'
  return new GatewayError('unavailable', `${notKept} ${await look(applier, revision)}`, {
    cause: error,
    retryAfterSeconds: 1,
  })
}

/** Waits until the service is back, as long as any request waits for it. */
async function look(applier: Applier, revision: number): Promise<string> {
  try {
    const { appliedRevision } = await applier.observe()
    if (appliedRevision === revision) return 'The machine had already taken it over and is being reverted.'
    return 'The machine has the previous configuration.'
  } catch {
    return 'Whether the machine has it is not known until the service answers again; then the machine is reverted.'
  }
}
