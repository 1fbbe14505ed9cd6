// The lists of users and groups: names and logins are taken once, groups form a tree, and what comes from elsewhere is not
// changed here. What is in a group is removed with it.

import type { Problem } from '../../core/contract/error.ts'
import { declareList, namesOne, readId } from '../../core/model/declarations.ts'
import type { Config, Item } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
import { sayText } from '../../shared/said-texts.ts'
import { findGroup, fixedGroups, groupIds, groupPath, groups, userIds, users } from './config.ts'
import type { DomainType, Group, NewUser } from './contract.ts'

interface Member {
  readonly id: string
  readonly name: string
  readonly parent_id: string
  readonly domain_type: DomainType
}

/** Ids in a body may be the number alone. */
const fullGroupId = (given: string | number): string => String(readId({ ids: groupIds }, given))

const inGroup = namesOne<Member>('parent_id', { prefixes: ['group.'], isRemovedAlong: true })

export const groupList = declareList({
  slot: groups,
  noun: 'group',
  ids: groupIds,
  nameOf: ({ name }) => `group "${name}"`,
  builtIn: fixedGroups,
  defaults: { domain_type: 'local', domain_name: '', ldap_guid: '' },
  fieldsOf: ({ parent_id, ...fields }: { readonly parent_id: string | number }) => ({
    ...fields,
    parent_id: fullGroupId(parent_id),
  }),
  problemsOf: (config, group) => [...placeProblems(config, group), ...loopProblems(config, group)],
  lockedOf: (group, current) => foreignChanges('group', group, current, changeableOfGroup),
  unique: [
    {
      field: 'name',
      keyOf: placeOf,
      isTaken: (place) => fixedGroups.some((group) => placeOf(group) === place),
      messageOf: ({ name }) => say`A group with the name "${name}" exists there.`,
    },
  ],
  references: [inGroup],
  reads: [groups],
})

export const userList = declareList({
  slot: users,
  noun: 'user',
  ids: userIds,
  nameOf: ({ name }) => `user "${name}"`,
  defaults: { enabled: false, domain_type: 'local', domain_name: '', ldap_guid: '' },
  fieldsOf: ({ parent_id, phone_number = null, ...fields }: Pick<NewUser, 'parent_id' | 'phone_number'>) => ({
    ...fields,
    parent_id: fullGroupId(parent_id),
    phone_number,
  }),
  problemsOf: placeProblems,
  lockedOf: (user, current) => foreignChanges('user', user, current, changeableOfUser),
  unique: [
    { field: 'name', keyOf: ({ name }) => name, messageOf: ({ name }) => say`A user with the name "${name}" exists.` },
    {
      field: 'login',
      keyOf: ({ login }) => login,
      messageOf: ({ login }) => say`A user with the login ${login} exists.`,
    },
  ],
  references: [inGroup],
  secrets: ['password_hash'],
  reads: [groups],
})

function placeOf({ parent_id, name }: Group): string {
  return `${parent_id} ${name}`
}

/** Groups of a directory or a RADIUS server hold only what comes from there (docs/behaviour/users.md 3). */
function placeProblems(config: Config, { parent_id, domain_type }: Member): Problem[] {
  const parent = findGroup(config, parent_id)
  if (!parent) return [{ field: 'parent_id', message: say`There is no group with the id ${parent_id}.` }]
  return parent.domain_type === 'local' || parent.domain_type === domain_type
    ? []
    : [{ field: 'parent_id', message: say`The group "${parent.name}" accepts only members of the same origin.` }]
}

const loopProblems = (config: Config, { id, parent_id }: Group): Problem[] =>
  groupPath(config, parent_id).includes(id)
    ? [{ field: 'parent_id', message: say`A group cannot be moved into itself or into a group inside it.` }]
    : []

/** What can be changed here of what comes from elsewhere, null for everything (docs/behaviour/users.md 2). */
type Changeable = Readonly<Record<DomainType, readonly string[] | null>>

const changeableOfUser: Changeable = {
  local: null,
  radius: ['enabled', 'comment', 'name'],
  ad: [],
  ald: [],
  device: [],
}
const changeableOfGroup: Changeable = { ...changeableOfUser, radius: ['name'] }

function foreignChanges<T extends Member & Item>(noun: string, next: T, current: T, changeable: Changeable): Problem[] {
  const allowed = changeable[current.domain_type]
  if (allowed === null) return []
  const before = current as Readonly<Record<string, unknown>>
  const rule =
    allowed.length === 0 ? say`nothing of it can be changed here` : say`only ${allowed.join(', ')} can be changed here`
  return Object.entries(next)
    .filter(([field, value]) => value !== before[field] && !allowed.includes(field))
    .map(([field]) => ({ field, message: say`The ${sayText(noun)} "${current.name}" comes from elsewhere: ${rule}.` }))
}
