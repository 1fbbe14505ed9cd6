// What runs of the portal, from what applyd observes at the time of asking.

import type { Machine } from '../../core/area/handle.ts'
import type { StatusItem } from '../../core/contract/fields.ts'
import { engineUnit } from '../../core/engine/artifacts.ts'
import type { Config } from '../../core/model/slots.ts'
import type { Facts } from '../../core/plan/facts.ts'
import { inactive, type State, unitStatus } from '../../core/plan/observed.ts'
import { portal } from '../../engines/portal/index.ts'
import { type SaidText, say } from '../../shared/said.ts'
import { isCaptive, isServed, servedAddresses } from './resolve.ts'

export interface PortalView extends Machine {
  readonly config: Config
  readonly facts: Facts
}

export const portalStatusItems = (view: PortalView): StatusItem[] => [{ name: 'portal', ...stateOf(view) }]

function stateOf(view: PortalView): State {
  const { config, facts } = view
  if (!isServed(config))
    return inactive(
      say`The portal is not needed: web authorization is not enforced and the personal portal is disabled.`,
    )
  const { status, msg } = unitStatus(view, engineUnit(portal, 'portal').name, say`The portal is not running.`)
  return { status, msg: [...msg, ...(status === 'active' ? notes(config, facts) : [])] }
}

const notes = (config: Config, facts: Facts): SaidText[] => [
  isCaptive(config)
    ? say`Browsers of hosts that are not authorized are sent to the sign-in page.`
    : say`Only the personal portal is served; web authorization is not enforced.`,
  ...(servedAddresses(config, facts).length === 0 ? [say`The gateway has no address in a local network.`] : []),
]
