// Sessions of users on the network, and the status of authorization (docs/behaviour/authorization.md).

import type { Static } from 'typebox'
import { endpoint } from '../../core/contract/endpoint.ts'
import { nullable, oneOf, StatusItem, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'

export const AuthSession = strictObject({
  id: Type.String(),
  user_id: Type.Integer({ 'x-refers': ['user'], description: 'Number of the user.' }),
  login: Type.String(),
  name: Type.String(),
  group_name: Type.String({ description: 'The group that the user is in.' }),
  domain_type: oneOf(['local', 'ad', 'ald', 'radius', 'device']),
  type: oneOf(
    ['ip', 'mac', 'ip_mac', 'net', 'web'],
    'How the host was recognised: by its address, its card, both, its network, or a sign-in.',
  ),
  ip: Type.String({ description: 'The address; the network where type is net.' }),
  mac: nullable(Type.String({ description: 'The card that the session is bound to.' })),
  state: oneOf(
    ['connected', 'over_limit'],
    'over_limit: the user has more than five; it comes back when another ends.',
  ),
  start: Type.Integer({ 'x-time': 'stamp', description: 'YYYYMMDDhhmmss in the time zone of the gateway.' }),
  time_online: Type.Integer({ 'x-unit': 'seconds', description: 'Seconds.' }),
  country_code: Type.String({ description: 'Country of the address; empty for a local one.' }),
  rule_id: nullable(Type.String({ description: 'The authorization rule; null for a sign-in.' })),
})
export type AuthSession = Static<typeof AuthSession>

export const listSessions = endpoint({
  method: 'GET',
  path: '/monitor_backend/auth_sessions',
  access: 'view',
  summary: 'List the sessions of users',
  description: 'Every host that is authorized as a user at this moment, in the order in which the sessions began.',
  reply: Type.Array(AuthSession),
})

export const endSession = endpoint({
  method: 'DELETE',
  path: '/monitor_backend/auth_sessions/:session_id',
  access: 'accounts',
  effect: 'action',
  summary: 'End a session of a user',
  description:
    'Its connections are cut. A host that an authorization rule lets through begins another session with its next packet, ' +
    'and at once where the rule says always_logged.',
})

export const status = endpoint({
  method: 'GET',
  path: '/auth/status',
  access: 'view',
  summary: 'Show the status of the authorization of users',
  reply: Type.Array(StatusItem),
})
