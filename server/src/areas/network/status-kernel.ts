// Settings of the kernel as applyd reads them at the time of asking, and whether the machine forwards by them.

import type { Machine } from '../../core/area/handle.ts'
import type { StatusItem } from '../../core/contract/fields.ts'
import { active, failed, machineFault } from '../../core/plan/observed.ts'
import { say, sentencesIn } from '../../shared/said.ts'
import type { KernelSettingState } from './contract-kernel.ts'

/** Empty while nothing is applied. */
export const kernelSettingStates = ({ observation }: Machine): KernelSettingState[] =>
  (observation?.settings ?? []).map((one) => ({ ...one, sentences: sentencesIn(one.message) }))

/** Does the kernel pass packets on from one network to another, and if not, why? */
export function forwardingStatus(machine: Machine): StatusItem {
  const name = 'forwarding'
  const fault = machineFault(machine)
  if (fault) return { name, ...fault }
  const found = machine.observation?.settings?.find((one) => one.name === 'net.ipv4.ip_forward')
  if (!found)
    return { name, ...failed(say`No configuration has been applied yet, so the machine forwards nothing by it.`) }
  if (found.state === 'set') return { name, ...active, msg: found.message === '' ? [] : [found.message] }
  return { name, ...failed(say`The machine does not forward between its networks. ${found.message}`) }
}
