// Endpoints of the DHCP server and relay.

import { randomUUID } from 'node:crypto'
import { handle, type Route } from '../../http/handle.ts'
import { removeItem } from '../../model/list-edits.ts'
import { read } from '../../model/slots.ts'
import { entries, staticLeases } from './config.ts'
import * as contract from './contract.ts'
import { addEntry, addStaticLease, entryItem, leaseItem, updateEntry, updateStaticLease } from './edits.ts'
import { showLeases } from './leases.ts'
import { dhcpStatusItems } from './status.ts'

const entryRoutes: readonly Route[] = [
  handle(contract.entries.list, ({ config }) => read(config, entries) as never, { slot: entries }),
  handle(
    contract.entries.create,
    async ({ body, change }) => {
      const id = randomUUID()
      await change((config) => addEntry(config, id, body))
      return { id }
    },
    { slot: entries },
  ),
  handle(
    contract.entries.update,
    ({ params, body, change }) => change((config) => updateEntry(config, params.settings_id ?? '', body)),
    { slot: entries },
  ),
  handle(
    contract.entries.remove,
    ({ params, change }) => change((config) => removeItem(config, entries, params.settings_id ?? '', entryItem)),
    { slot: entries },
  ),
]

const leaseRoutes: readonly Route[] = [
  handle(contract.staticLeases.list, ({ config }) => read(config, staticLeases) as never, { slot: staticLeases }),
  handle(
    contract.staticLeases.create,
    async ({ body, change }) => {
      const id = randomUUID()
      await change((config) => addStaticLease(config, id, body))
      return { id }
    },
    { slot: staticLeases },
  ),
  handle(
    contract.staticLeases.update,
    ({ params, body, change }) => change((config) => updateStaticLease(config, params.lease_id ?? '', body)),
    { slot: staticLeases },
  ),
  handle(
    contract.staticLeases.remove,
    ({ params, change }) => change((config) => removeItem(config, staticLeases, params.lease_id ?? '', leaseItem)),
    { slot: staticLeases },
  ),
]

export const routes: readonly Route[] = [
  handle(contract.showStatus, async ({ config, services }) =>
    dhcpStatusItems({ config, facts: services.facts(), machine: await services.observe() }),
  ),
  ...entryRoutes,
  ...leaseRoutes,
  handle(contract.listLeases, async ({ config, services }) => {
    const seconds = Math.floor(services.clock.now().getTime() / 1000)
    return showLeases(config, (await services.dhcpLeases?.list(seconds)) ?? [])
  }),
]
