// What the network area stores, and the names other areas know its interfaces by. A connection is a discriminated union
// on `type`; passwords of providers are sealed.

import { strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { Sealed } from '../../core/model/secret.ts'
import { type ListSlot, list } from '../../core/model/slots.ts'
import { Aggregated, ShownConnection, Span, Tunnel, VceConnection, zoneShapes } from './contract.ts'

interface Common {
  readonly id: number
  readonly title: string
  readonly enabled: boolean
  readonly vlan_tag: number | null
  readonly zone: string | null
  readonly is_vce_vlan: boolean
  readonly netflow_index: number
}

interface OnCard extends Common {
  /** MAC of a card, or the id of an aggregated interface. */
  readonly mac: string
}

interface Addressed {
  readonly enable_dhcp: boolean
  readonly addresses: readonly string[]
  readonly gateway: string | null
  readonly dns: readonly string[]
}

interface WithLogin {
  readonly login: string
  readonly password: Sealed
}

export interface EthernetConnection extends OnCard, Addressed {
  readonly type: 'lan' | 'wan'
}

/** A provider's tunnel over a separate Ethernet connection. */
export interface VpnConnection extends OnCard, Addressed, WithLogin {
  readonly type: 'pptp' | 'l2tp'
  readonly server: string
}

export interface PppoeConnection extends OnCard, WithLogin {
  readonly type: 'pppoe'
  readonly service: string
  readonly concentrator: string
}

export interface LoopbackConnection extends Common {
  readonly type: 'loopback'
  readonly mac: null
  readonly addresses: readonly string[]
  readonly osdevname: string
  readonly comment: string
}

export type Connection = EthernetConnection | VpnConnection | PppoeConnection | LoopbackConnection
export type CardConnection = Exclude<Connection, LoopbackConnection>

const StoredConnection = strictObject({ ...ShownConnection.properties, password: Type.Optional(Sealed) })

export const zones = list('objects.zones', zoneShapes.stored)

export const connections: ListSlot<Connection> = {
  kind: 'list',
  key: 'network.connections',
  schema: StoredConnection,
  initial: [],
}
export const aggregated = list('network.aggregated', Aggregated)
export const tunnels = list('network.tunnels', Tunnel)
export const vceConnections = list('network.vce_conns', VceConnection)

export const spans = list('network.span', Span)

export const slots = [connections, aggregated, tunnels, vceConnections, spans, zones]

/** Where the vault binds the password of a connection to. */
export const passwordPlace = (connectionId: number): string => `${connections.key}/${connectionId}/password`

/** How rules and other areas name a connection or a tunnel. */
export const connectionAlias = (connection: { readonly id: number }): string => `interface.id.${connection.id}`
export const tunnelAlias = (tunnel: { readonly id: string }): string => `interface.tunnel.${tunnel.id}`

export const isPpp = (connection: Connection): connection is VpnConnection | PppoeConnection =>
  connection.type === 'pptp' || connection.type === 'l2tp' || connection.type === 'pppoe'

export const isExternal = (connection: Connection): boolean => connection.type === 'wan' || isPpp(connection)

/** Connections with addresses on an Ethernet device. */
export const isAddressed = (connection: Connection): connection is EthernetConnection | VpnConnection =>
  'enable_dhcp' in connection

/** The fixed names beside those of single interfaces (docs/behaviour/network.md 2). `utm_outgoing` is not a device. */
export const specialAliases = [
  'interface.external_any',
  'interface.external_eth',
  'interface.external_vpn',
  'interface.ipsec_any',
  'interface.local_any',
  'interface.tunnel_any',
  'interface.wccp_gre_any',
  'interface.utm_outgoing',
  'interface.vpn_traffic',
] as const
