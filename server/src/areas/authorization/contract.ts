// Authorization of hosts by IP and MAC address (docs/behaviour/users.md 4).

import type { Static } from 'typebox'
import { collectionEndpoints, settingsEndpoints } from '../../core/contract/collections.ts'
import { Comment, nullable, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { addressPattern } from '../../shared/net/ipv4.ts'

export { endSession, listSessions, status } from './contract-sessions.ts'

const Ip = Type.String({
  pattern: `^${addressPattern}(?:/(?:[1-9]|[12]\\d|3[01]))?$`,
  'x-fault': 'Must be an IPv4 address such as 192.168.0.10, or a network such as 192.168.5.0/24.',
})

const Mac = Type.String({
  pattern: '^(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}$',
  'x-fault': 'Must be a MAC address such as 11:22:33:aa:bb:cc.',
})

const fields = {
  enabled: Type.Boolean(),
  ip: nullable(Ip),
  mac: nullable(Mac),
  user_id: Type.Integer({ minimum: 1, 'x-refers': ['user'], description: 'Number of the user the host belongs to.' }),
  always_logged: Type.Boolean({ description: 'Authorized without waiting for traffic; only with an ip.' }),
  comment: Comment,
}

export const NewAuthorizationRule = strictObject(fields)
export type NewAuthorizationRule = Static<typeof NewAuthorizationRule>

export const AuthorizationRule = strictObject({ id: Type.String(), ...fields })
export type AuthorizationRule = Static<typeof AuthorizationRule>

export const authorizationRules = collectionEndpoints({
  path: '/auth/rules',
  title: 'authorization rules',
  item: 'an authorization rule',
  change: 'accounts',
  idName: 'rule_id',
  fields: NewAuthorizationRule,
  shown: AuthorizationRule,
})

export const AuthorizationSettings = strictObject({
  allow_internet_to_everyone: Type.Boolean({
    description: 'Hosts need no authorization to reach external networks. Rules that name users work all the same.',
  }),
  web_authorization: Type.Boolean({
    description: 'Browsers of hosts that are not authorized are sent to the sign-in page.',
  }),
  session_minutes: Type.Integer({
    minimum: 10,
    maximum: 1440,
    'x-unit': 'minutes',
    description: 'A session ends after so many minutes without traffic.',
  }),
})
export type AuthorizationSettings = Static<typeof AuthorizationSettings>

export const authorizationSettings = settingsEndpoints({
  path: '/auth/settings',
  title: 'settings of the authorization of users',
  schema: AuthorizationSettings,
  change: 'accounts',
})
