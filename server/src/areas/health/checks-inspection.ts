// Deep inspection, judged: whether every channel in use is inspected with the newest rules. Pure.

import type { Finding } from '../../core/contract/health.ts'
import { type InspectionState, overrunSays } from '../../core/contract/inspection-state.ts'
import type { QueueObservation } from '../../engines/inspection/observed.ts'
import { say } from '../../shared/said.ts'

const [id, title] = ['inspection', say`Inspection`]

/** While nothing is inspected there is nothing to judge. */
export function inspectionFindings(state: InspectionState, queues?: QueueObservation): Finding[] {
  const { channels, message, failedCount } = state
  if (state.state === 'off') return []
  const closed = channels.filter(({ inForce, isFailOpen }) => inForce === null && !isFailOpen)
  const open = channels.filter(({ inForce, isFailOpen }) => inForce === null && isFailOpen)
  const effect = [
    ...(open.length > 0 ? [say`Connections of channels ${numbersOf(open)} pass without inspection.`] : []),
    ...(closed.length > 0 ? [say`Connections of channels ${numbersOf(closed)} are blocked.`] : []),
  ]
  const passing = queues?.isOverrun === true ? channels.filter(({ isFailOpen }) => isFailOpen) : []
  if (state.state === 'active' && passing.length > 0) {
    const message = [overrunSays, say`Connections of channels ${numbersOf(passing)} pass without inspection.`]
    const advice = say`Look at who sends so much, inspect less, or give the gateway more processor cores.`
    return [{ id, title, state: 'failed', message, advice }]
  }
  if (state.state === 'active') {
    const left = failedCount > 0 ? say`Signatures that are not used: ${failedCount}.` : ''
    return [{ id, title, state: 'ok', message: [say`Every channel in use is inspected.`, left], advice: '' }]
  }
  return [
    {
      id,
      title,
      state: state.state === 'failed' ? 'failed' : 'warning',
      message: [message, ...effect],
      advice: say`Look at the status of intrusion prevention and of application control, and at the log of the engine.`,
    },
  ]
}

const numbersOf = (channels: InspectionState['channels']): string => channels.map(({ number }) => number).join(', ')
