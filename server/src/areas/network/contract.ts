// Network interfaces (docs/behaviour/network.md): connections, aggregated interfaces, GRE tunnels, interfaces passed into virtual
// environments, mirror interfaces, and what the machine makes of them.

import type { Static } from 'typebox'
import { collectionEndpoints } from '../../core/contract/collections.ts'
import { type Endpoint, endpoint } from '../../core/contract/endpoint.ts'
import { Comment, CreatedInteger, nullable, oneOf, patchOf, strictObject, text } from '../../core/contract/fields.ts'
import { shapesOf } from '../../core/contract/object-shapes.ts'
import { Type } from '../../core/contract/schema.ts'
import {
  Address,
  Addresses,
  Card,
  CardOrAggregated,
  InterfaceAlias,
  NetflowIndex,
  Server,
  ShortTitle,
  Title,
  VlanTag,
  Zone,
} from './contract-fields.ts'

export { showCards } from './contract-cards.ts'
export type { KernelSettingState } from './contract-kernel.ts'
export { showKernelSettings, showStatus } from './contract-kernel.ts'

/** A named group of interfaces; served among the objects. */
export const zoneShapes = shapesOf('zone', {})

export const connectionTypes = ['lan', 'wan', 'pptp', 'l2tp', 'pppoe', 'loopback'] as const
export type ConnectionType = (typeof connectionTypes)[number]

/** Which types have the field is in `fieldsOf`; this is its form in all of them. */
const optionalFields = {
  mac: Type.Optional(nullable(CardOrAggregated)),
  enable_dhcp: Type.Optional(Type.Boolean({ description: 'Take address and gateway from DHCP.' })),
  addresses: Type.Optional(Addresses),
  gateway: Type.Optional(nullable(Address)),
  dns: Type.Optional(Type.Array(Address, { maxItems: 2, uniqueItems: true })),
  server: Type.Optional(Server),
  login: Type.Optional(text({ minLength: 1, maxLength: 255 })),
  password: Type.Optional(
    text({ 'x-secret': true, minLength: 1, maxLength: 255, description: 'Shown to full administrators only.' }),
  ),
  service: Type.Optional(text({ maxLength: 255, description: 'PPPoE service name; may be empty.' })),
  concentrator: Type.Optional(text({ maxLength: 255, description: 'PPPoE concentrator name; may be empty.' })),
  comment: Type.Optional(Comment),
  vlan_tag: Type.Optional(VlanTag),
  zone: Type.Optional(Zone),
  is_vce_vlan: Type.Optional(Type.Boolean({ description: 'Built on a VLAN passed into a virtual environment.' })),
  netflow_index: Type.Optional(NetflowIndex),
}

const Kind = oneOf(connectionTypes, 'Decides which of the other fields the connection has.')

export const NewConnection = strictObject({
  type: Kind,
  title: Title,
  enabled: Type.Boolean(),
  ...optionalFields,
})
export type NewConnection = Static<typeof NewConnection>

const ProviderPassword = text({
  'x-secret': true,
  minLength: 1,
  maxLength: 255,
  description: 'Shown to full administrators only; *** or null keeps the stored one.',
})

/** Clients send back the whole object that they read, so it may contain what never changes. */
export const ConnectionPatch = patchOf(
  strictObject({
    ...NewConnection.properties,
    id: Type.Integer({ description: 'Never changes.' }),
    osdevname: Type.String({ maxLength: 64, description: 'Loopback only; never changes.' }),
    password: nullable(ProviderPassword),
  }),
)
export type ConnectionPatch = Static<typeof ConnectionPatch>

export const ShownConnection = strictObject({
  id: Type.Integer(),
  type: Kind,
  title: Title,
  enabled: Type.Boolean(),
  ...optionalFields,
  osdevname: Type.Optional(Type.String({ description: 'Loopback only: name of the device.' })),
})
export type ShownConnection = Static<typeof ShownConnection>

interface FieldRule {
  readonly required: readonly string[]
  /** Left out at a creation, they have these values. */
  readonly defaults: Readonly<Record<string, unknown>>
}

const cardDefaults = { vlan_tag: null, zone: null, is_vce_vlan: false, netflow_index: 0 }
const ethernet: FieldRule = {
  required: ['mac', 'enable_dhcp', 'addresses'],
  defaults: { gateway: null, dns: [], ...cardDefaults },
}
const overEthernet: FieldRule = {
  required: [...ethernet.required, 'server', 'login', 'password'],
  defaults: ethernet.defaults,
}

/** The fields of each type beside type, title and enabled. */
export const fieldsOf: Readonly<Record<ConnectionType, FieldRule>> = {
  lan: ethernet,
  wan: ethernet,
  pptp: overEthernet,
  l2tp: overEthernet,
  pppoe: { required: ['mac', 'login', 'password'], defaults: { service: '', concentrator: '', ...cardDefaults } },
  loopback: { required: ['addresses'], defaults: { comment: '', mac: null, ...cardDefaults } },
}

const fieldList = connectionTypes
  .map((type) => {
    const { required, defaults } = fieldsOf[type]
    return `${type} has ${required.join(', ')} and optionally ${Object.keys(defaults).join(', ')}.`
  })
  .join(' ')

export const connections = {
  list: endpoint({
    method: 'GET',
    path: '/network/connections',
    access: 'view',
    summary: 'List the connections',
    reply: Type.Array(ShownConnection),
  }),
  create: endpoint({
    method: 'POST',
    path: '/network/connections',
    access: 'configure',
    summary: 'Add a connection',
    description: `Beside type, title and enabled: ${fieldList}`,
    body: NewConnection,
    reply: CreatedInteger,
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/network/connections/:connection_id',
    access: 'configure',
    summary: 'Change a connection',
    description: 'Any subset of the fields; what is not sent stays. Type, id and osdevname never change.',
    body: ConnectionPatch,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/network/connections/:connection_id',
    access: 'configure',
    summary: 'Remove a connection',
  }),
}

/** The untagged connections of two cards, as the first set-up needs them. */
export const FirstSetup = strictObject({
  outside: strictObject({
    mac: Card,
    enable_dhcp: Type.Boolean({ description: 'Take address and gateway from DHCP.' }),
    addresses: Addresses,
    gateway: nullable(Address),
    dns: Type.Array(Address, { maxItems: 2, uniqueItems: true }),
  }),
  inside: strictObject({ mac: Card, addresses: Addresses }),
  keep_ssh_port: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 1,
        maximum: 65_535,
        description:
          'A TCP port of the gateway that stays open from outside, by a rule of the table INPUT in the same change: the port of SSH ' +
          'that the administrator is connected through. Absent or null: no rule is added.',
      }),
    ),
  ),
})
export type FirstSetup = Static<typeof FirstSetup>

export const setUpNetwork = endpoint({
  method: 'PUT',
  path: '/network/setup',
  access: 'configure',
  summary: 'Set up a card for the provider and one for the local network',
  description:
    'One change for both: each card gets one connection without a VLAN tag. A connection that it has already is changed if ' +
    'it is of the same type, otherwise replaced. Connections of other cards stay. New connections from outside are dropped; ' +
    'keep_ssh_port leaves one port open there. Use Portcullis-Confirm-Within where you are connected over one of the cards.',
  errors: ['conflict'],
  body: FirstSetup,
  reply: strictObject({
    outside: Type.Integer({ description: 'Id of the connection to the provider.' }),
    inside: Type.Integer({ description: 'Id of the connection to the local network.' }),
  }),
})

const linkStatus = oneOf(['down', 'going-up', 'up'])
const Errors = Type.Array(Type.String(), { description: 'Messages of the kernel where it refused something.' })
const Device = nullable(Type.String())
const Texts = Type.Array(Type.String())

export const ConnectionState = strictObject({
  id: Type.Integer(),
  zone: nullable(Type.String()),
  type: oneOf(connectionTypes),
  ether: strictObject({
    device: Device,
    vlan_tag: nullable(Type.Integer()),
    addresses: Texts,
    gateway: nullable(Type.String()),
    dns: Texts,
    status: linkStatus,
    errors: Errors,
  }),
  ppp: nullable(
    strictObject({
      device: Device,
      remote_address: nullable(Type.String()),
      local_address: nullable(Type.String()),
      dns: Texts,
      status: linkStatus,
      errors: Errors,
    }),
  ),
  summary: strictObject({
    device: Device,
    addresses: Texts,
    dns: Texts,
    gateway: nullable(Type.String()),
    ifindex: nullable(Type.Integer()),
    scope: oneOf(['kernel', 'vpp'], 'Which network stack owns the interface.'),
  }),
})
export type ConnectionState = Static<typeof ConnectionState>

export const showStates = endpoint({
  method: 'GET',
  path: '/network/states',
  access: 'view',
  summary: 'Show the state of the connections',
  description: 'Read from the machine at the time of the call.',
  reply: Type.Array(ConnectionState),
})

export const NewAggregated = strictObject({
  enabled: Type.Boolean(),
  title: Title,
  comment: Comment,
  nics: Type.Array(Card, { uniqueItems: true, maxItems: 64, description: 'MACs of the cards.' }),
})
export type NewAggregated = Static<typeof NewAggregated>

export const Aggregated = strictObject({ id: Type.String(), ...NewAggregated.properties })
export type Aggregated = Static<typeof Aggregated>

/** The same endpoints, with PUT of the whole object in place of a partial change. */
const withReplacement = <E extends { readonly update: Endpoint }>({ update, ...others }: E) => ({
  ...others,
  replace: { ...update, method: 'PUT', description: 'The whole object.' } satisfies Endpoint as E['update'],
})

export const aggregatedInterfaces = withReplacement(
  collectionEndpoints({
    path: '/network/aggregated',
    title: 'aggregated interfaces',
    item: 'an aggregated interface',
    change: 'configure',
    idName: 'aggregated_id',
    fields: NewAggregated,
    patch: NewAggregated,
    shown: Aggregated,
  }),
)

export const showAggregatedStates = endpoint({
  method: 'GET',
  path: '/network/aggregated_states',
  access: 'view',
  summary: 'Show the links of the aggregated interfaces',
  reply: Type.Array(strictObject({ id: Type.String(), link: oneOf(['up', 'down']) })),
})

export const NewTunnel = strictObject({
  title: ShortTitle,
  enabled: Type.Boolean(),
  comment: Comment,
  addresses: Addresses,
  gateway: nullable(Address),
  parent_interface: InterfaceAlias,
  osdevname: Type.Optional(text({ maxLength: 255, description: 'Read-only; ignored when sent.' })),
  server: Server,
  zone: Zone,
  netflow_index: NetflowIndex,
  local_ip: Type.Optional(nullable(Address)),
})
export type NewTunnel = Static<typeof NewTunnel>

export const Tunnel = strictObject({
  id: Type.String(),
  ...NewTunnel.properties,
  osdevname: Type.String({ description: 'Name of the device; generated.' }),
  local_ip: nullable(Address),
})
export type Tunnel = Static<typeof Tunnel>

export const greTunnels = withReplacement(
  collectionEndpoints({
    path: '/network/tunnels',
    title: 'GRE tunnels',
    item: 'a GRE tunnel',
    change: 'configure',
    idName: 'tunnel_id',
    fields: NewTunnel,
    patch: NewTunnel,
    shown: Tunnel,
  }),
)

export const showTunnelStates = endpoint({
  method: 'GET',
  path: '/network/tunnel_states',
  access: 'view',
  summary: 'Show the links of the GRE tunnels',
  description: 'inactive: the parent interface is not available.',
  reply: Type.Array(
    strictObject({ id: Type.String(), link: oneOf(['up', 'down', 'inactive']), local_ip: Type.String() }),
  ),
})

export const NewVceConnection = strictObject({
  title: Title,
  vce_id: text({ minLength: 1, maxLength: 255, description: 'The virtual environment.' }),
  mac: Card,
  vlan_tag: VlanTag,
  comment: Comment,
})
export type NewVceConnection = Static<typeof NewVceConnection>

export const VceConnection = strictObject({ id: Type.String(), ...NewVceConnection.properties })
export type VceConnection = Static<typeof VceConnection>

export const vceConnections = collectionEndpoints({
  path: '/network/vce_conns',
  title: 'interfaces passed into virtual environments',
  item: 'an interface passed into a virtual environment',
  change: 'configure',
  idName: 'vce_conn_id',
  fields: NewVceConnection,
  patch: patchOf(strictObject({ title: Title, comment: Comment })),
  shown: VceConnection,
})

export const NewSpan = strictObject({
  title: Title,
  comment: Comment,
  enabled: Type.Boolean(),
  mac: Card,
  monitor_interfaces: Type.Array(InterfaceAlias, { uniqueItems: true, maxItems: 64 }),
  direction: oneOf(['rx', 'tx', 'both']),
})
export type NewSpan = Static<typeof NewSpan>

export const Span = strictObject({
  id: Type.String(),
  ...NewSpan.properties,
  osdevindex: Type.Integer({ description: 'Suffix of the device name; generated.' }),
})
export type Span = Static<typeof Span>

export const spanInterfaces = collectionEndpoints({
  path: '/network/span',
  title: 'mirror interfaces',
  item: 'a mirror interface',
  change: 'configure',
  idName: 'span_id',
  fields: NewSpan,
  shown: Span,
})
