// Settings of device discovery (docs/behaviour/users.md 7).

import type { Static } from 'typebox'
import { settingsEndpoints } from '../../contract/collections.ts'
import { strictObject } from '../../contract/fields.ts'
import { Type } from '../../contract/schema.ts'
import { addressPattern } from '../../net/ipv4.ts'

const Network = Type.String({
  pattern: `^${addressPattern}/(?:[0-9]|[12]\\d|3[0-2])$`,
  'x-fault': 'Must be an IPv4 network such as 192.168.0.0/24.',
})

export const DiscoverySettings = strictObject({
  enabled: Type.Boolean({ description: 'Stored only: this release does not look for devices yet.' }),
  group_id: Type.Integer({ minimum: 1, description: 'Number of the group into which found devices are added.' }),
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
