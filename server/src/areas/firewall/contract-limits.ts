// How many connections one host may have, and what is refused by that now (docs/behaviour/limits-per-host.md).

import type { Static } from 'typebox'
import { settingsEndpoints } from '../../core/contract/collections.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'

/** Fewer would stop a host that does nothing wrong. 0 stands for the number that the gateway chooses. */
export const fewestConnections = 512

const Limit = (description: string) =>
  Type.Integer({
    minimum: 0,
    maximum: 4_194_304,
    examples: [0],
    description: `${description} 0: automatic, else ${fewestConnections} or more.`,
  })

export const ConnectionLimits = strictObject({
  local_host: Limit('Of one local host.'),
  outside_host: Limit('Of one host outside.'),
  forwarded: Limit('From so many on none is forwarded.'),
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
  summary: 'Show the limits in force and what they refused',
  reply: strictObject({
    tracked: Type.Integer(),
    table_size: Type.Integer(),
    local_host: Type.Integer(),
    outside_host: Type.Integer(),
    forwarded: Type.Integer(),
    is_full: Type.Boolean(),
    refused_local: Type.Integer(),
    refused_outside: Type.Integer(),
    refused_full: Type.Integer(),
    refused_dns: Type.Integer(),
    hosts: Type.Array(Type.String()),
  }),
})
