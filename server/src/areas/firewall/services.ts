// What the firewall does by itself for the services of the gateway. Ports of engines for local networks only are closed from
// outside, the others are opened where their area says that the service is on. What is switched on for outside is excepted
// from the end of INPUT, where new connections from external interfaces are dropped.

import { closedPorts } from '../../core/engine/views.ts'
import type { Config, Slot } from '../../core/model/slots.ts'
import type { Facts } from '../../core/plan/facts.ts'
import type { GuardedPort, OpenService, OutsideService } from '../../domain/policy/model.ts'
import { engines } from '../../engines/index.ts'
import { settings as authorizationSettings } from '../authorization/public.ts'
import { outsideServices as agentServices, state as agentState } from '../client-agent/public.ts'
import { state as filterState } from '../content-filter/public.ts'
import { entries, openServices as openDhcp } from '../dhcp/public.ts'
import {
  agentSettings,
  guardedSnmp,
  agentServices as monitoringServices,
  snmpServices,
  snmpSettings,
  snmpState,
} from '../monitor/public.ts'
import { connections, tunnelServices, tunnels } from '../network/public.ts'
import { openServices as openPortal, settings as portalSettings } from '../portal/public.ts'
import { authority, openServices as openProxy, settings as proxySettings } from '../web-proxy/public.ts'

interface Opener<S> {
  /** What the answer depends on. */
  readonly slots: readonly Slot[]
  readonly open: (config: Config, facts: Facts) => readonly S[]
}

/** An entry for each area with an engine whose ports are `served`. */
const openers: readonly Opener<OpenService>[] = [
  { slots: [entries], open: openDhcp },
  { slots: [portalSettings, authorizationSettings, connections], open: openPortal },
  { slots: [filterState, proxySettings, authority, connections], open: openProxy },
]

/** An entry for each area with something that other machines may reach from outside. */
const outsideOpeners: readonly Opener<OutsideService>[] = [
  { slots: [agentState], open: agentServices },
  { slots: [connections, tunnels], open: tunnelServices },
  { slots: [snmpState, snmpSettings], open: snmpServices },
  { slots: [agentSettings], open: monitoringServices },
]

export const serviceSlots: readonly Slot[] = [...openers, ...outsideOpeners].flatMap(({ slots }) => slots)

export const openServices = (config: Config, facts: Facts): readonly OpenService[] =>
  openers.flatMap(({ open }) => open(config, facts))

export const outsideServices = (config: Config, facts: Facts): readonly OutsideService[] =>
  outsideOpeners.flatMap(({ open }) => open(config, facts))

/** Ports that only listed hosts may reach. */
export const guardedPorts = (config: Config): readonly GuardedPort[] => guardedSnmp(config)

export const closedServicePorts = closedPorts(engines)
