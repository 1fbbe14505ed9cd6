// Device discovery (docs/behaviour/users.md 7): its settings, its state, and the devices that are seen in local networks.

import type { Static } from 'typebox'
import { settingsEndpoints } from '../../core/contract/collections.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { nullable, StatusItem, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { addressPattern } from '../../shared/net/ipv4.ts'

const Network = Type.String({
  pattern: `^${addressPattern}/(?:[0-9]|[12]\\d|3[0-2])$`,
  'x-fault': 'Must be an IPv4 network such as 192.168.0.0/24.',
})

export const DiscoverySettings = strictObject({
  enabled: Type.Boolean({
    description: 'Unknown hosts of local networks that try to reach an external network become users.',
  }),
  group_id: Type.Integer({
    minimum: 1,
    'x-refers': ['group'],
    description: 'Number of the group into which found devices are added.',
  }),
  networks: Type.Array(Network, {
    uniqueItems: true,
    maxItems: 1_000,
    description: 'Local networks whose devices are added and authorized; empty means all.',
  }),
})
export type DiscoverySettings = Static<typeof DiscoverySettings>

export const discoverySettings = settingsEndpoints({
  path: '/netscan_backend/settings',
  title: 'settings of device discovery',
  schema: DiscoverySettings,
  change: 'configure',
})

export const showStatus = endpoint({
  method: 'GET',
  path: '/netscan_backend/status',
  access: 'view',
  summary: 'Show the state of device discovery',
  reply: Type.Array(StatusItem),
})

export const Device = strictObject({
  ip: Type.String(),
  mac: Type.String(),
  vendor: Type.String({
    description: 'Maker of the network card; “random address” when the host made its MAC up, empty when not known.',
  }),
  hostname: Type.String({ description: 'Name that the host gave to the DHCP server; may be empty.' }),
  device: Type.String({ description: 'Network device of the gateway; empty when it is not known.' }),
  last_seen: nullable(Type.Integer({ 'x-time': 'unix', description: 'Unix seconds; null when it is not known.' })),
  user_id: nullable(
    Type.Integer({
      'x-refers': ['user'],
      description: 'Number of the user whom an authorization rule gives the host to.',
    }),
  ),
})
export type Device = Static<typeof Device>

export const listDevices = endpoint({
  method: 'GET',
  path: '/netscan_backend/devices',
  access: 'view',
  summary: 'List the devices that are seen in local networks',
  description:
    'Neighbours of the gateway in its local networks, and hosts that have a lease of its DHCP server; in the order of their addresses, at most 4096.',
  reply: Type.Array(Device),
  errors: ['unavailable'],
})
