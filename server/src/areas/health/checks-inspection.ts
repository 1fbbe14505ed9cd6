// Deep inspection, judged: whether every channel in use is inspected with the newest rules. Pure.

import type { Finding } from '../../contract/health.ts'
import type { InspectionState } from '../../contract/inspection.ts'

const [id, title] = ['inspection', 'Inspection']

/** While nothing is inspected there is nothing to judge. */
export function inspectionFindings(state: InspectionState): Finding[] {
  const { channels, message, failedCount } = state
  if (state.state === 'off') return []
  const closed = channels.filter(({ inForce, isFailOpen }) => inForce === null && !isFailOpen)
  const open = channels.filter(({ inForce, isFailOpen }) => inForce === null && isFailOpen)
  const effect = [
    ...(open.length > 0 ? [`Connections of channels ${numbersOf(open)} pass without inspection.`] : []),
    ...(closed.length > 0 ? [`Connections of channels ${numbersOf(closed)} are blocked.`] : []),
  ]
  if (state.state === 'active') {
    const left = failedCount > 0 ? ` Signatures that are not used: ${failedCount}.` : ''
    return [{ id, title, state: 'ok', message: `Every channel in use is inspected.${left}`, advice: '' }]
  }
  return [
    {
      ...{ id, title },
      state: state.state === 'failed' ? 'failed' : 'warning',
      message: [message, ...effect].filter((text) => text !== '').join(' '),
      advice: 'Look at the status of intrusion prevention and of application control, and at the log of the engine.',
    },
  ]
}

const numbersOf = (channels: InspectionState['channels']): string => channels.map(({ number }) => number).join(', ')
