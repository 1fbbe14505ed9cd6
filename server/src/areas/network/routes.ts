// Endpoints of network interfaces.

import { type Context, handle, type Route } from '../../core/area/handle.ts'
import { listRoutes, perValue } from '../../core/area/routes.ts'
import { secretMask } from '../../core/contract/fields.ts'
import { type Connection, passwordPlace, spans, tunnels } from './config.ts'
import * as contract from './contract.ts'
import { connectionFields, spanFields, tunnelFields } from './edits.ts'
import { aggregatedList, connectionList, spanList, tunnelList, vceList } from './lists.ts'
import { aggregatedStates, connectionStates, type NetworkView, tunnelStates } from './status.ts'
import { machineCards } from './status-cards.ts'
import { forwardingStatus, kernelSettingStates } from './status-kernel.ts'

type Reveal = ReturnType<Context['revealer']>

const showAll = (stored: readonly Connection[], reveal: Reveal): object[] =>
  stored.map((one) => ('password' in one ? { ...one, password: reveal(one.password, passwordPlace(one.id)) } : one))

/** The same value for the same list, so that the bytes of the reply are kept; it holds no password. */
const masked = perValue((stored: readonly Connection[]) => showAll(stored, () => secretMask))

const viewOf = async ({ config, services }: Context): Promise<NetworkView> => ({
  config,
  facts: services.facts(),
  machine: await services.observe(),
})

export const routes: readonly Route[] = [
  ...listRoutes(contract.connections, connectionList, {
    shown: (stored, { isFullAdministrator, revealer }) =>
      isFullAdministrator ? showAll(stored, revealer('Passwords of connections were shown.')) : masked(stored),
    prepare:
      ({ services }, body) =>
      (id, _, config) =>
        connectionFields(config, Number(id), body, (password, own) =>
          services.vault.seal(password, passwordPlace(own)),
        ),
  }),
  handle(contract.showStatus, async ({ services }) => [forwardingStatus(await services.observe())]),
  handle(contract.showKernelSettings, async ({ services }) => kernelSettingStates(await services.observe())),
  handle(contract.showCards, ({ config, services }) => machineCards(config, services)),
  handle(contract.showStates, async (context) => connectionStates(await viewOf(context))),
  ...listRoutes(contract.aggregatedInterfaces, aggregatedList),
  handle(contract.showAggregatedStates, async (context) => aggregatedStates(await viewOf(context))),
  ...listRoutes(contract.greTunnels, tunnelList, {
    prepare: (_, body) => (id, tools, config) =>
      tunnelFields(config, id, body as contract.NewTunnel, () => tools.nextId(tunnels)),
  }),
  handle(contract.showTunnelStates, async (context) => tunnelStates(await viewOf(context))),
  ...listRoutes(contract.vceConnections, vceList),
  ...listRoutes(contract.spanInterfaces, spanList, {
    prepare: (_, body) => (id, tools, config) => spanFields(config, id, body, () => tools.nextId(spans)),
  }),
]
