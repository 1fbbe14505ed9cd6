// The fast path in the status of the firewall: where the kernel has one and the plan opens it. Active is what the kernel lists.

import type { StatusItem } from '../../core/contract/fields.ts'
import type { Observation } from '../../core/plan/artifacts.ts'
import { inactive, type State } from '../../core/plan/observed.ts'
import { type FastPathObservation, fastPathWay } from '../../engines/fast-path/observed.ts'
import { say } from '../../shared/said.ts'

export function fastPathStatus(observation: Observation | null): StatusItem[] {
  const seen = observation?.ways?.[fastPathWay] as FastPathObservation | undefined
  return seen?.isAble ? [{ name: 'fast-path', ...stateOf(seen) }] : []
}

function stateOf({ devices, isGivenUp, fault }: FastPathObservation): State {
  if (isGivenUp) return inactive(say`This kernel cannot end connections on the fast path, so there is none.`)
  if (devices.length === 0)
    return inactive(
      fault === '' ? say`The fast path is not open now.` : say`The kernel refuses the fast path: ${fault}`,
    )
  const cards = devices.join(', ')
  return {
    status: 'active',
    msg: [say`Open connections between ${cards} skip the rules when nothing has to look at their packets.`],
  }
}
