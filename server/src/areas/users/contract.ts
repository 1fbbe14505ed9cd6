// Users and their groups (docs/behaviour/users.md).

import type { Static } from 'typebox'
import { endpoint } from '../../core/contract/endpoint.ts'
import { Comment, CreatedInteger, nullable, oneOf, pageQuery, strictObject, text } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'

export const domainTypes = ['local', 'ad', 'ald', 'radius', 'device'] as const
export type DomainType = (typeof domainTypes)[number]

/** No at-sign: what follows one names a directory. */
const Login = Type.String({
  minLength: 1,
  maxLength: 32,
  pattern: '^(?!\\d+(?:\\.\\d+){3}$)[a-z0-9._-]*$',
  'x-fault': 'Must consist of small latin letters, digits, dots, hyphens and underscores, and not be an IP address.',
})

/** As for administrators; longer ones are taken too, since users choose theirs for other services as well (decision 100). */
const Password = Type.String({
  'x-secret': true,
  minLength: 10,
  maxLength: 128,
  description: 'Never returned. Common ones and those with the login, the product name or the host name are refused.',
})

const Phone = Type.String({
  pattern: '^\\+[1-9](?:[ ()-]{0,2}\\d){5,14}$',
  'x-fault': 'Must be a plus sign, country code, area code and number, such as +12025550123.',
})

/** Client programs send back the number that the creation gave them. */
const GroupId = Type.Union(
  [
    Type.String({
      pattern: '^(?:group\\.id\\.)?[1-9]\\d{0,14}$',
      'x-fault': 'Must be the id of a group, such as group.id.1.',
    }),
    Type.Integer({ minimum: 1 }),
  ],
  { 'x-refers': ['group'], description: 'The parent group: group.id.<n>, or the number alone.' },
)

const Name = text({ minLength: 1, maxLength: 128 })

const origin = {
  domain_type: oneOf(
    domainTypes,
    'Where it comes from: made here, a directory of one of two types, a RADIUS server, or a device that connects by VPN.',
  ),
  domain_name: text({ maxLength: 255, description: 'Domain it was imported from; empty when made here.' }),
  ldap_guid: text({ maxLength: 64, description: 'Identifier of the object in the directory; empty when made here.' }),
}

const account = {
  name: Name,
  login: Login,
  parent_id: GroupId,
  phone_number: Type.Optional(nullable(Phone)),
  comment: Comment,
}

export const NewUser = strictObject({ ...account, psw: Password })
export type NewUser = Static<typeof NewUser>

const Denied = Type.Boolean({ description: 'The option “deny access”: true means that the user cannot authorize.' })

export const UserFields = strictObject({ ...account, enabled: Denied, ...origin })
export type UserFields = Static<typeof UserFields>

export const User = strictObject({
  id: Type.String({ description: 'user.id.<n>' }),
  name: Name,
  login: Login,
  parent_id: Type.String({ 'x-refers': ['group'], description: 'group.id.<n>' }),
  enabled: Denied,
  ...origin,
  phone_number: nullable(Phone),
  comment: Comment,
})
export type User = Static<typeof User>

export const NewGroup = strictObject({ name: Name, parent_id: GroupId })
export type NewGroup = Static<typeof NewGroup>

export const GroupFields = strictObject({ name: Name, parent_id: GroupId, ...origin })
export type GroupFields = Static<typeof GroupFields>

export const Group = strictObject({
  id: Type.String({ description: 'group.id.<n>' }),
  name: Name,
  parent_id: Type.String({ 'x-refers': ['group'], description: 'group.id.<n>; empty for the topmost group.' }),
  ...origin,
})
export type Group = Static<typeof Group>

const eitherId = 'The id may be written as the number alone.'

export const users = {
  list: endpoint({
    method: 'GET',
    path: '/user_backend/users',
    access: 'view',
    summary: 'List the users',
    reply: Type.Array(User),
  }),
  create: endpoint({
    method: 'POST',
    path: '/user_backend/users',
    access: 'accounts',
    summary: 'Add a user',
    description: 'Name and login are unique. A new user is not denied access.',
    body: NewUser,
    reply: CreatedInteger,
  }),
  update: endpoint({
    method: 'PUT',
    path: '/user_backend/users/:user_id',
    access: 'accounts',
    summary: 'Change a user',
    description: `${eitherId} Of a RADIUS user only enabled, comment and name can be changed; of one from a directory, and of a device, nothing.`,
    body: UserFields,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/user_backend/users/:user_id',
    access: 'accounts',
    summary: 'Remove a user',
    description: `${eitherId} The authorization rules of the user are removed too; a user that other rules name cannot be removed.`,
  }),
  changePassword: endpoint({
    method: 'PUT',
    path: '/user_backend/change_password/:user_id',
    access: 'accounts',
    summary: 'Give a user a new password',
    description: `${eitherId} Only users made here have a password on the gateway.`,
    body: strictObject({ password: Password }),
  }),
}

/** The list itself is always whole: integrators rely on it. */
export const searchUsers = endpoint({
  method: 'GET',
  path: '/user_backend/users_found',
  access: 'view',
  summary: 'Search the users, page by page',
  description: 'By name, as the list has them. Without parameters the first hundred of all.',
  query: strictObject({
    search: Type.Optional(
      Type.String({
        maxLength: 128,
        description: 'Part of name, login, phone number or comment; case does not matter.',
      }),
    ),
    group_id: Type.Optional(
      Type.String({
        pattern: '^group\\.id\\.[1-9]\\d{0,14}$',
        'x-fault': 'Must be the id of a group, such as group.id.1.',
        description: 'Only users in this group, or in a group inside it.',
      }),
    ),
    ...pageQuery,
  }),
  reply: strictObject({
    total: Type.Integer({ description: 'Users found without limit and offset.' }),
    users: Type.Array(User),
  }),
})

export const groups = {
  list: endpoint({
    method: 'GET',
    path: '/user_backend/groups',
    access: 'view',
    summary: 'List the groups of users',
    reply: Type.Array(Group),
  }),
  create: endpoint({
    method: 'POST',
    path: '/user_backend/groups',
    access: 'accounts',
    summary: 'Add a group of users',
    description: 'Its name is unique among the groups of its parent.',
    body: NewGroup,
    reply: CreatedInteger,
  }),
  update: endpoint({
    method: 'PUT',
    path: '/user_backend/groups/:group_id',
    access: 'accounts',
    summary: 'Change or move a group of users',
    description: `${eitherId} Another parent_id moves the group with everything in it.`,
    body: GroupFields,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/user_backend/groups/:group_id',
    access: 'accounts',
    summary: 'Remove a group of users',
    description: `${eitherId} The groups and users in it and their authorization rules are removed too. It cannot be removed while other rules name any of them.`,
  }),
}
