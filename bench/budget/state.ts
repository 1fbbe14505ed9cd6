// The state that the operations are counted on: the same things each time, in sizes that are read quickly.

import { administrators } from '../../server/src/areas/administrators/config.ts'
import { masterZones } from '../../server/src/areas/dns/config.ts'
import { read, write } from '../../server/src/core/model/slots.ts'
import { makeAdministrators } from '../administrators.ts'
import { makeZones } from '../dns/zones.ts'
import { fillRules } from '../firewall/gateway.ts'
import { changeState, type Fill, makeState } from '../state.ts'

const rules = 100
export const listed = 1_000
export const records = 10

export interface CountedState {
  readonly zone: string
}

/** With `listed` administrators, some firewall rules and one zone. */
export async function makeCountedState(stateDir: string): Promise<CountedState> {
  const zones = makeZones(1, records)
  await makeState(stateDir, (config, tools) => write(fillRules(rules)(config, tools), masterZones, zones))
  await changeState(stateDir, (_services, vault): Fill => {
    const more = makeAdministrators(vault, listed - 1)
    return (config) => write(config, administrators, [...read(config, administrators), ...more])
  })
  return { zone: zones[0]?.id ?? '' }
}
