// Whether device discovery works, and what holds it back.

import type { Machine } from '../../core/area/handle.ts'
import type { StatusItem } from '../../core/contract/fields.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { failed, inactive, machineFault, type State } from '../../core/plan/observed.ts'
import { say } from '../../shared/said.ts'
import { slot } from './config.ts'
import { mostDevices } from './edits.ts'
import type { DiscoveryState } from './service.ts'

export interface DiscoveryView {
  readonly config: Config
  readonly machine: Machine
  /** Null where nothing looks for devices. */
  readonly state: DiscoveryState | null
  readonly hasVendors: boolean
  readonly mostPerMinute: number
}

export const discoveryStatusItems = (view: DiscoveryView): StatusItem[] => [
  { name: 'device-discovery', ...stateOf(view) },
]

function stateOf({ config, machine, state, hasVendors, mostPerMinute }: DiscoveryView): State {
  if (!read(config, slot).enabled) return inactive(say`Device discovery is not enabled.`)
  const fault = machineFault(machine)
  if (fault) return fault
  if (state === null) return failed(say`Nothing looks for devices.`)
  if (state.fault !== null) return failed(say`Found devices could not be added: ${state.fault}`)
  return {
    status: 'active',
    msg: [
      ...(state.isFull
        ? [
            say`The limit of ${mostDevices} found devices is reached. Remove users of devices that are not needed any more.`,
          ]
        : []),
      ...(state.isHeldBack
        ? [say`Devices that wait: ${state.waiting}. At most ${mostPerMinute} become users in a minute.`]
        : []),
      ...(hasVendors
        ? []
        : [say`Makers of network cards are not known: the Debian package ieee-data is not installed.`]),
    ],
  }
}
