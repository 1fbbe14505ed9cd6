// Sends packets through a copy of the loaded rules. A separate program makes the copy, its namespace and the
// packets; this only passes its input and reads its results.

import type { TrialPacket, TrialResult } from '../core/plan/artifacts.ts'
import { run } from '../engines/kit/processes.ts'
import { oneLine } from '../engines/kit/text.ts'
import { Refusal } from '../engines/kit/values.ts'

const timeoutMs = 120_000

/**
 * The block that failed trials set is left out: with it every packet is dropped, and no trial could ever lift it. So is the
 * authorization of hosts, because the namespace of a trial has other cards and no sessions,
 * and the web proxy, which is not there: what it would open is judged as what is forwarded.
 */
export const leftOutOfTrials: readonly string[] = [
  'fwd.sys.blocked',
  'fwd.sys.authorization',
  'authorization.settings.web_authorization',
  'fwd.sys.web_proxy',
]

export interface TrialInput {
  readonly script: string
  readonly packets: readonly TrialPacket[]
}

export async function runTrial(command: readonly string[], input: TrialInput): Promise<readonly TrialResult[]> {
  const { code, failure, stdout, stderr } = await run(command, timeoutMs, JSON.stringify(input))
  if (failure === 'timeout') throw new Refusal('The trial of the packets did not finish in time.')
  if (code !== 0) throw new Refusal(`The trial of the packets failed: ${oneLine(stderr) || `status ${code}`}.`)
  const results = JSON.parse(stdout) as readonly TrialResult[]
  if (results.length !== input.packets.length) throw new Error('The trial did not report a result for every packet.')
  return results.map(({ passed, origins }) => ({ passed, origins }))
}
