// How many connections one host may have, and what is refused by that now (docs/behaviour/limits-per-host.md).

import type { Static } from 'typebox'
import { settingsEndpoints } from '../../contract/collections.ts'
import { endpoint } from '../../contract/endpoint.ts'
import { strictObject } from '../../contract/fields.ts'
import { Type } from '../../contract/schema.ts'

/** Fewer would stop a host that does nothing wrong. 0 stands for the number that the gateway chooses. */
export const fewestConnections = 512

const Limit = (description: string) =>
  Type.Integer({
    minimum: 0,
    maximum: 4_194_304,
    description: `${description} 0: chosen by the size of the table; otherwise at least ${fewestConnections}.`,
  })

export const ConnectionLimits = strictObject({
  local_host: Limit('Tracked connections that one host of a local network may have.'),
  outside_host: Limit('Tracked connections that one host behind an external interface may have.'),
  forwarded: Limit('Tracked connections from which on no new one is forwarded. The rest is for the gateway itself.'),
})
export type ConnectionLimits = Static<typeof ConnectionLimits>

export const connectionLimits = settingsEndpoints({
  path: '/firewall/connection_limits',
  title: 'limits of tracked connections',
  schema: ConnectionLimits,
  change: 'firewall',
})

export const showConnectionLimits = endpoint({
  method: 'GET',
  path: '/firewall/connection_limits/state',
  access: 'view',
  summary: 'Show the limits of tracked connections that are in force, and who meets them',
  description: 'Read from the kernel at the time of the call.',
  reply: strictObject({
    tracked: Type.Integer({ description: 'Connections that the kernel tracks now.' }),
    table_size: Type.Integer({ description: 'Connections that it can track; 0 where that cannot be read.' }),
    local_host: Type.Integer({ description: 'What one host of a local network may have.' }),
    outside_host: Type.Integer({ description: 'What one host behind an external interface may have.' }),
    forwarded: Type.Integer({ description: 'From so many on no new connection is forwarded.' }),
    is_full: Type.Boolean({ description: 'No new connection is forwarded now.' }),
    refused_local: Type.Integer({ description: 'Packets of new connections refused to hosts of local networks.' }),
    refused_outside: Type.Integer({ description: 'The same for hosts behind external interfaces.' }),
    refused_full: Type.Integer({ description: 'The same because too many are tracked in all.' }),
    refused_dns: Type.Integer({
      description: 'Packets of TCP connections to the DNS server refused to a host that has 32.',
    }),
    hosts: Type.Array(Type.String(), {
      description: 'Addresses of hosts that were refused a connection in the last minute because they have too many.',
    }),
  }),
})
