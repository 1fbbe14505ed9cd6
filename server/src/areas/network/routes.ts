// Endpoints of network interfaces.

import { randomUUID } from 'node:crypto'
import { secretMask } from '../../contract/fields.ts'
import { type Context, handle, type Route, type Services, signedIn } from '../../http/handle.ts'
import { perValue } from '../../http/routes.ts'
import { removeItem, requireItem, updateItem } from '../../model/list-edits.ts'
import { refuseInUse } from '../../model/references.ts'
import { type Config, type Item, type ListSlot, read } from '../../model/slots.ts'
import {
  aggregated,
  type Connection,
  connectionAlias,
  connections,
  passwordPlace,
  spans,
  tunnelAlias,
  tunnels,
  vceConnections,
} from './config.ts'
import * as contract from './contract.ts'
import {
  addAggregated,
  addConnection,
  addSpan,
  addTunnel,
  addVce,
  replaceAggregated,
  replaceTunnel,
  type SealPassword,
  updateConnection,
  updateSpan,
} from './edits.ts'
import { aggregatedStates, connectionStates, type NetworkView, tunnelStates } from './status.ts'

const masked = perValue((stored: readonly Connection[]): contract.ShownConnection[] =>
  stored.map((one) => shown(one, () => secretMask)),
)

const shown = (connection: Connection, passwordOf: (connection: Connection) => string): contract.ShownConnection =>
  ('password' in connection ? { ...connection, password: passwordOf(connection) } : connection) as never

/** Passwords of providers are for full administrators only, and each look at them is in the journal. */
function listConnections(context: Context<typeof contract.connections.list>): contract.ShownConnection[] {
  const { config, services } = context
  const stored = read(config, connections)
  const { role, login } = signedIn(context)
  if (role !== 'predefined_admin_write' || !stored.some((one) => 'password' in one)) return masked(stored)
  services.audit.note({
    event: 'action',
    who: login,
    address: context.address,
    what: 'GET /network/connections',
    result: 'ok',
    message: 'Passwords of connections were shown.',
    request_id: context.requestId,
    revision: null,
    changes: [],
  })
  return stored.map((one) =>
    shown(one, () => ('password' in one ? services.vault.reveal(one.password, passwordPlace(one.id)) : '')),
  )
}

const sealWith =
  ({ vault }: Services): SealPassword =>
  (password, id) =>
    vault.seal(password, passwordPlace(id))

/** An object that others mention stays; they are named. */
function removeUnused<T extends Item>(
  services: Services,
  config: Config,
  slot: ListSlot<T>,
  id: string,
  what: string,
  aliasOf: (item: T) => string,
): Config {
  refuseInUse(what, services.referencesTo(config, aliasOf(requireItem(config, slot, id, what))))
  return removeItem(config, slot, id, what)
}

const viewOf = async ({ config, services }: Context): Promise<NetworkView> => ({
  config,
  facts: services.facts(),
  machine: await services.observe(),
})

/** Numbers for names of devices; the list's own ids are texts. */
const numbered = (slot: unknown): ListSlot<Item & { readonly id: number }> => slot as never

const connectionRoutes: readonly Route[] = [
  handle(contract.connections.list, listConnections, { slot: connections }),
  handle(
    contract.connections.create,
    ({ body, change, services }) =>
      change((config, tools) => {
        const id = tools.nextId(connections)
        return [addConnection(config, id, body, sealWith(services)), { id }] as const
      }),
    { slot: connections },
  ),
  handle(
    contract.connections.update,
    ({ params, body, change, services }) =>
      change((config) => updateConnection(config, params.connection_id ?? '', body, sealWith(services))),
    { slot: connections },
  ),
  handle(
    contract.connections.remove,
    ({ params, change, services }) =>
      change((config) =>
        removeUnused(services, config, connections, params.connection_id ?? '', 'connection', connectionAlias),
      ),
    { slot: connections },
  ),
  handle(contract.showStates, async (context) => connectionStates(await viewOf(context))),
]

const aggregatedRoutes: readonly Route[] = [
  handle(contract.aggregatedInterfaces.list, ({ config }) => [...read(config, aggregated)], { slot: aggregated }),
  handle(
    contract.aggregatedInterfaces.create,
    async ({ body, change }) => {
      const id = randomUUID()
      await change((config) => addAggregated(config, id, body))
      return { id }
    },
    { slot: aggregated },
  ),
  handle(
    contract.aggregatedInterfaces.update,
    ({ params, body, change }) => change((config) => replaceAggregated(config, params.aggregated_id ?? '', body)),
    { slot: aggregated },
  ),
  handle(
    contract.aggregatedInterfaces.remove,
    ({ params, change, services }) =>
      change((config) =>
        removeUnused(services, config, aggregated, params.aggregated_id ?? '', 'aggregated interface', ({ id }) => id),
      ),
    { slot: aggregated },
  ),
  handle(contract.showAggregatedStates, async (context) => aggregatedStates(await viewOf(context))),
]

const tunnelRoutes: readonly Route[] = [
  handle(contract.greTunnels.list, ({ config }) => [...read(config, tunnels)], { slot: tunnels }),
  handle(
    contract.greTunnels.create,
    async ({ body, change }) => {
      const id = randomUUID()
      await change((config, tools) => addTunnel(config, id, tools.nextId(numbered(tunnels)), body))
      return { id }
    },
    { slot: tunnels },
  ),
  handle(
    contract.greTunnels.update,
    ({ params, body, change }) => change((config) => replaceTunnel(config, params.tunnel_id ?? '', body)),
    { slot: tunnels },
  ),
  handle(
    contract.greTunnels.remove,
    ({ params, change, services }) =>
      change((config) => removeUnused(services, config, tunnels, params.tunnel_id ?? '', 'GRE tunnel', tunnelAlias)),
    { slot: tunnels },
  ),
  handle(contract.showTunnelStates, async (context) => tunnelStates(await viewOf(context))),
]

const vceItem = 'interface passed into a virtual environment'

const vceRoutes: readonly Route[] = [
  handle(contract.vceConnections.list, ({ config }) => [...read(config, vceConnections)], { slot: vceConnections }),
  handle(
    contract.vceConnections.create,
    async ({ body, change }) => {
      const id = randomUUID()
      await change((config) => addVce(config, id, body))
      return { id }
    },
    { slot: vceConnections },
  ),
  handle(
    contract.vceConnections.update,
    ({ params, body, change }) =>
      change((config) => {
        const current = requireItem(config, vceConnections, params.vce_conn_id ?? '', vceItem)
        return updateItem(config, vceConnections, { ...current, ...body })
      }),
    { slot: vceConnections },
  ),
  handle(
    contract.vceConnections.remove,
    ({ params, change }) => change((config) => removeItem(config, vceConnections, params.vce_conn_id ?? '', vceItem)),
    { slot: vceConnections },
  ),
]

const spanRoutes: readonly Route[] = [
  handle(contract.spanInterfaces.list, ({ config }) => [...read(config, spans)], { slot: spans }),
  handle(
    contract.spanInterfaces.create,
    async ({ body, change }) => {
      const id = randomUUID()
      await change((config, tools) => addSpan(config, id, tools.nextId(numbered(spans)), body))
      return { id }
    },
    { slot: spans },
  ),
  handle(
    contract.spanInterfaces.update,
    ({ params, body, change }) => change((config) => updateSpan(config, params.span_id ?? '', body)),
    { slot: spans },
  ),
  handle(
    contract.spanInterfaces.remove,
    ({ params, change }) => change((config) => removeItem(config, spans, params.span_id ?? '', 'mirror interface')),
    { slot: spans },
  ),
]

export const routes: readonly Route[] = [
  ...connectionRoutes,
  ...aggregatedRoutes,
  ...tunnelRoutes,
  ...vceRoutes,
  ...spanRoutes,
]
