// What the firewall does by itself for the services of the gateway, read from the engines: ports for local networks only are
// closed from outside, the others are opened where their area says that the service is on.

import { engines } from '../../engines/index.ts'
import { closedPorts } from '../../engines/views.ts'
import type { Config, Slot } from '../../model/slots.ts'
import type { Facts } from '../../plan/facts.ts'
import type { OpenService } from '../../policy/model.ts'
import { entries, openServices as openDhcp } from '../dhcp/public.ts'

interface Opener {
  /** What the answer depends on. */
  readonly slots: readonly Slot[]
  readonly open: (config: Config, facts: Facts) => readonly OpenService[]
}

/** An entry for each area with an engine whose ports are `served`. */
const openers: readonly Opener[] = [{ slots: [entries], open: openDhcp }]

export const serviceSlots: readonly Slot[] = openers.flatMap(({ slots }) => slots)

export const openServices = (config: Config, facts: Facts): readonly OpenService[] =>
  openers.flatMap(({ open }) => open(config, facts))

export const closedServicePorts = closedPorts(engines)
