// Stored users and groups, the groups that are always there, and what other areas may ask about them.

import type { Static } from 'typebox'
import { nullable } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { findIn } from '../../core/model/item-index.ts'
import { Sealed } from '../../core/model/secret.ts'
import { type Config, list, read, write } from '../../core/model/slots.ts'
import { type DomainType, Group, User } from './contract.ts'

/** Only users made here have a password; those of others are checked where they come from. */
export const StoredUser = Type.Object(
  { ...User.properties, password_hash: nullable(Sealed) },
  { additionalProperties: false },
)
export type StoredUser = Static<typeof StoredUser>

export const users = list('users.users', StoredUser)
export const groups = list('users.groups', Group)

/** Where the vault binds a password hash to. */
export const passwordPlace = (userId: string): string => `${users.key}/${userId}/password_hash`

/** Every user is in it, so a rule for it is a rule for all users. */
export const rootGroupId = 'group.id.1'

/** Made at installation, and not configuration: they cannot be changed or removed. */
export const fixedGroups: readonly Group[] = [
  { id: rootGroupId, name: 'All', parent_id: '', domain_type: 'local', domain_name: '', ldap_guid: '' },
  {
    id: 'group.id.2',
    name: 'Device VPN',
    parent_id: rootGroupId,
    domain_type: 'device',
    domain_name: '',
    ldap_guid: '',
  },
]

/** Replies give the number alone, and paths may name it alone. */
export const userIds = { kind: 'prefixed', prefix: 'user', isShownAsNumber: true } as const
export const groupIds = { ...userIds, prefix: 'group', after: fixedGroups.length } as const

export const userId = (number: number | string): string => `user.id.${number}`
export const groupId = (number: number | string): string => `group.id.${number}`

export const findUser = (config: Config, id: string): StoredUser | undefined => findIn(config, users, id)

export const findGroup = (config: Config, id: string): Group | undefined =>
  fixedGroups.find((group) => group.id === id) ?? findIn(config, groups, id)

/** The group and every group it is in, up to the topmost one. */
export function groupPath(config: Config, id: string): string[] {
  const path: string[] = []
  for (let group = findGroup(config, id); group; group = findGroup(config, group.parent_id)) {
    if (path.includes(group.id)) break
    path.push(group.id)
  }
  return path
}

/** A directory was left: its groups and users now belong to the gateway (docs/behaviour/users.md 2). */
export function makeLocal(config: Config, domainType: DomainType, domainName: string): Config {
  const isTheirs = (item: Pick<Group, 'domain_type' | 'domain_name'>): boolean =>
    item.domain_type === domainType && item.domain_name === domainName
  const local = { domain_type: 'local', domain_name: '', ldap_guid: '' } as const
  const released = write(
    config,
    users,
    read(config, users).map((user) => (isTheirs(user) ? { ...user, ...local } : user)),
  )
  return write(
    released,
    groups,
    read(config, groups).map((group) => (isTheirs(group) ? { ...group, ...local } : group)),
  )
}
