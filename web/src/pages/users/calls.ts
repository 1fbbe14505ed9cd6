// Changes of users and groups as calls: whole objects, because the interface takes nothing less. Pure.

import { groups, users } from '@gateway/server/contract/users'
import type { PlannedCall } from '../../api/change.ts'
import type { Group, TreeIndex, User } from './tree.ts'

/** What a person fills in for a user; the rest says where the user comes from. */
export interface UserForm {
  readonly name: string
  readonly login: string
  readonly parent_id: string
  readonly phone_number: string
  readonly comment: string
  readonly isDenied: boolean
  readonly password: string
}

export const emptyUser = (parentId: string): UserForm => ({
  name: '',
  login: '',
  parent_id: parentId,
  phone_number: '',
  comment: '',
  isDenied: false,
  password: '',
})

export const formOf = (user: User): UserForm => ({
  name: user.name,
  login: user.login,
  parent_id: user.parent_id,
  phone_number: user.phone_number ?? '',
  comment: user.comment,
  isDenied: user.enabled,
  password: '',
})

const common = ({ name, login, parent_id, phone_number, comment }: UserForm) => ({
  name,
  login,
  parent_id,
  comment,
  phone_number: phone_number === '' ? null : phone_number,
})

export const createUser = (form: UserForm, etag: string | null): PlannedCall => ({
  endpoint: users.create,
  body: { ...common(form), psw: form.password },
  etag,
})

const numberOf = (id: string): string => id.replace(/^\w+\.id\./, '')

/** `enabled` on the wire means that access is denied. */
export const updateUser = (user: User, form: UserForm, etag: string | null): PlannedCall => ({
  endpoint: users.update,
  params: { user_id: numberOf(user.id) },
  body: {
    ...common(form),
    enabled: form.isDenied,
    domain_type: user.domain_type,
    domain_name: user.domain_name,
    ldap_guid: user.ldap_guid,
  },
  etag,
})

export const changePassword = (user: User, password: string): PlannedCall => ({
  endpoint: users.changePassword,
  params: { user_id: numberOf(user.id) },
  body: { password },
})

export const createGroup = (name: string, parentId: string, etag: string | null): PlannedCall => ({
  endpoint: groups.create,
  body: { name, parent_id: parentId },
  etag,
})

export const updateGroup = (
  group: Group,
  change: Partial<Pick<Group, 'name' | 'parent_id'>>,
  etag: string | null,
): PlannedCall => {
  const { id, name, parent_id, domain_type, domain_name, ldap_guid } = group
  return {
    endpoint: groups.update,
    params: { group_id: numberOf(id) },
    body: { name, parent_id, domain_type, domain_name, ldap_guid, ...change },
    etag,
  }
}

/** Each into the group, as one change. */
export const moveInto = (index: TreeIndex, ids: readonly string[], target: string): PlannedCall[] =>
  ids.flatMap((id) => {
    const user = index.users.get(id)
    const group = index.groups.get(id)
    if (user) return [updateUser(user, { ...formOf(user), parent_id: target }, null)]
    return group ? [updateGroup(group, { parent_id: target }, null)] : []
  })

/** What is inside of another one that is removed too goes with it. */
export function removeAll(
  index: TreeIndex,
  ids: readonly string[],
  pathTo: (id: string) => readonly string[],
): PlannedCall[] {
  const chosen = new Set(ids)
  return ids
    .filter((id) => !pathTo(id).some((around) => chosen.has(around)))
    .flatMap((id): PlannedCall[] => {
      if (index.users.has(id)) return [{ endpoint: users.remove, params: { user_id: numberOf(id) } }]
      return index.groups.has(id) ? [{ endpoint: groups.remove, params: { group_id: numberOf(id) } }] : []
    })
}

/** A login and a name that no one has, for a copy. */
export function freeNames(
  index: TreeIndex,
  { name, login }: Pick<User, 'name' | 'login'>,
): { name: string; login: string } {
  const names = new Set([...index.users.values()].flatMap((user) => [user.name, user.login]))
  for (let count = 2; ; count += 1) {
    const free = { name: `${name} ${count}`, login: `${login.slice(0, 28)}-${count}` }
    if (!names.has(free.name) && !names.has(free.login)) return free
  }
}
