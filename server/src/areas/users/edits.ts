// What can be done to users and groups, and what holds of them: names and logins are taken once, groups make a tree, and
// what comes from elsewhere is not changed here. What is removed takes along what is in it and its authorization rules.
// Hashing happens before.

import { GatewayError, notFound, type Problem, refuse } from '../../contract/error.ts'
import { addItem, removeItem, requireItem, updateItem } from '../../model/list-edits.ts'
import type { Reference } from '../../model/references.ts'
import { refuseInUse } from '../../model/references.ts'
import type { Sealed } from '../../model/secret.ts'
import { type Config, read, write } from '../../model/slots.ts'
import { authorizationRules } from '../authorization/public.ts'
import { findGroup, fixedGroups, groupId, groupPath, groups, type StoredUser, userId, users } from './config.ts'
import type { DomainType, Group, GroupFields, NewGroup, NewUser, UserFields } from './contract.ts'

/** Seals a hash for the user with this id. */
export type SealHash = (id: string) => Sealed

/** Ids in a path or body may be the number alone. */
const withPrefix = (idOf: (number: string) => string, given: string | number): string =>
  /^[1-9]\d*$/.test(String(given)) ? idOf(String(given)) : String(given)

export const requireUser = (config: Config, given: string): StoredUser =>
  requireItem(config, users, withPrefix(userId, given), 'user')

export function addUser(config: Config, number: number, fields: NewUser, seal: SealHash): Config {
  const { psw: _plain, phone_number = null, ...rest } = fields
  const id = userId(number)
  const user: StoredUser = {
    ...rest,
    id,
    parent_id: withPrefix(groupId, fields.parent_id),
    phone_number,
    enabled: false,
    domain_type: 'local',
    domain_name: '',
    ldap_guid: '',
    password_hash: seal(id),
  }
  refuse(placeProblems(config, user))
  refuseTaken(config, user)
  return addItem(config, users, user)
}

/** What may be changed here of a user who comes from elsewhere (seed, "User"). */
const changeableOfUser: Readonly<Record<DomainType, readonly string[] | null>> = {
  local: null,
  radius: ['enabled', 'comment', 'name'],
  ad: [],
  ald: [],
  device: [],
}

export function updateUser(config: Config, given: string, fields: UserFields): Config {
  const current = requireUser(config, given)
  const next: StoredUser = {
    ...current,
    ...fields,
    parent_id: withPrefix(groupId, fields.parent_id),
    phone_number: fields.phone_number ?? null,
    password_hash: fields.domain_type === 'local' ? current.password_hash : null,
  }
  refuseForeign(`user "${current.name}"`, current, next, changeableOfUser[current.domain_type])
  if (isPlacedAnew(current, next)) refuse(placeProblems(config, next))
  refuseTaken(config, next, current)
  return updateItem(config, users, next)
}

export function changePassword(config: Config, given: string, seal: SealHash): Config {
  const current = requireUser(config, given)
  refuseForeignPassword(current)
  return updateItem(config, users, { ...current, password_hash: seal(current.id) })
}

export function refuseForeignPassword({ name, domain_type }: StoredUser): void {
  if (domain_type === 'local') return
  const message = `The user "${name}" was not made here, so the password is not kept here either.`
  throw new GatewayError('conflict', message, { problems: [{ field: 'password', message }] })
}

type MentionsOf = (id: string) => readonly Reference[]

/** The authorization rules of a user go along. */
export function removeUser(config: Config, given: string, mentionsOf: MentionsOf): Config {
  const { id, name } = requireUser(config, given)
  refuseInUse(`user "${name}"`, mentionsElsewhere([id], mentionsOf))
  return withoutRules(removeItem(config, users, id, 'user'), new Set([id]))
}

function withoutRules(config: Config, userIds: ReadonlySet<string>): Config {
  const rules = read(config, authorizationRules)
  const rest = rules.filter((rule) => !userIds.has(userId(rule.user_id)))
  return rest.length === rules.length ? config : write(config, authorizationRules, rest)
}

/** A pass over all users for what is new; an index would have to be made anew after every change. */
function refuseTaken(config: Config, { id, name, login }: StoredUser, current?: StoredUser): void {
  const isTaken = (field: 'name' | 'login', value: string): boolean =>
    value !== current?.[field] && read(config, users).some((other) => other[field] === value && other.id !== id)
  const problems: Problem[] = []
  if (isTaken('name', name)) problems.push({ field: 'name', message: `A user with the name "${name}" exists.` })
  if (isTaken('login', login)) problems.push({ field: 'login', message: `A user with the login ${login} exists.` })
  refuse(problems, 'conflict')
}

export function addGroup(config: Config, id: string, fields: NewGroup): Config {
  const group: Group = {
    id,
    name: fields.name,
    parent_id: withPrefix(groupId, fields.parent_id),
    domain_type: 'local',
    domain_name: '',
    ldap_guid: '',
  }
  refuse(placeProblems(config, group))
  refuseTakenGroup(config, group)
  return addItem(config, groups, group)
}

const changeableOfGroup: Readonly<Record<DomainType, readonly string[] | null>> = {
  ...changeableOfUser,
  radius: ['name'],
}

export function updateGroup(config: Config, given: string, fields: GroupFields): Config {
  const current = requireGroup(config, given)
  const next: Group = { ...current, ...fields, parent_id: withPrefix(groupId, fields.parent_id) }
  refuseForeign(`group "${current.name}"`, current, next, changeableOfGroup[current.domain_type])
  if (isPlacedAnew(current, next)) {
    refuse([...placeProblems(config, next), ...loopProblems(config, next)])
  }
  refuseTakenGroup(config, next)
  return updateItem(config, groups, next)
}

/** The groups and users in it go along, with the authorization rules of the users (users-and-admins.md 1.2 and 3.4). */
export function removeGroup(config: Config, given: string, mentionsOf: MentionsOf): Config {
  const { id, name } = requireGroup(config, given)
  const isInside = (groupId: string): boolean => groupPath(config, groupId).includes(id)
  const [goneGroups, otherGroups] = split(read(config, groups), (group) => isInside(group.id))
  const [goneUsers, otherUsers] = split(read(config, users), (user) => isInside(user.parent_id))
  const userIds = goneUsers.map((user) => user.id)
  const gone = [...goneGroups.map((group) => group.id), ...userIds]
  refuseInUse(`group "${name}"`, mentionsElsewhere(gone, mentionsOf))
  const rest = write(write(config, groups, otherGroups), users, otherUsers)
  return withoutRules(rest, new Set(userIds))
}

const split = <T>(items: readonly T[], isFirst: (item: T) => boolean): readonly [T[], T[]] => [
  items.filter(isFirst),
  items.filter((item) => !isFirst(item)),
]

/** A group that can be changed or removed. */
function requireGroup(config: Config, given: string): Group {
  const group = findGroup(config, withPrefix(groupId, given))
  if (!group) throw notFound(`group with the id ${given.slice(0, 80)}`)
  if (fixedGroups.includes(group))
    throw new GatewayError('conflict', `The group "${group.name}" is built in: it can be neither changed nor removed.`)
  return group
}

const loopProblems = (config: Config, { id, parent_id }: Group): Problem[] =>
  groupPath(config, parent_id).includes(id)
    ? [{ field: 'parent_id', message: 'A group cannot be moved into itself or into a group that is in it.' }]
    : []

function refuseTakenGroup(config: Config, { id, name, parent_id }: Group): void {
  const isTaken = [...fixedGroups, ...read(config, groups)].some(
    (other) => other.name === name && other.parent_id === parent_id && other.id !== id,
  )
  if (isTaken) refuse([{ field: 'name', message: `A group with the name "${name}" exists there.` }], 'conflict')
}

type Member = Pick<Group, 'parent_id' | 'domain_type'>

const isPlacedAnew = (current: Member, next: Member): boolean =>
  next.parent_id !== current.parent_id || next.domain_type !== current.domain_type

/** Groups of a directory or a RADIUS server hold only what comes from there (users-and-admins.md 3.4). */
function placeProblems(config: Config, { parent_id, domain_type }: Member): Problem[] {
  const parent = findGroup(config, parent_id)
  if (!parent) return [{ field: 'parent_id', message: `There is no group with the id ${parent_id}.` }]
  return parent.domain_type === 'local' || parent.domain_type === domain_type
    ? []
    : [{ field: 'parent_id', message: `The group "${parent.name}" takes only what comes from the same place as it.` }]
}

function refuseForeign(what: string, current: object, next: object, changeable: readonly string[] | null): void {
  if (changeable === null) return
  const rule =
    changeable.length === 0
      ? 'nothing of it can be changed here.'
      : `only these can be changed here: ${changeable.join(', ')}.`
  const before = current as Readonly<Record<string, unknown>>
  const problems = Object.entries(next)
    .filter(([field, value]) => value !== before[field] && !changeable.includes(field))
    .map(([field]) => ({ field, message: 'Cannot be changed here.' }))
  if (problems.length > 0)
    throw new GatewayError('conflict', `The ${what} does not belong to the gateway: ${rule}`, { problems })
}

/** What stands in these lists goes along with what it mentions. */
const goesAlong = [groups, users, authorizationRules].map(({ key }) => `${key}[`)

const mentionsElsewhere = (gone: readonly string[], mentionsOf: MentionsOf): readonly Reference[] =>
  gone.flatMap((id) => mentionsOf(id)).filter(({ object }) => !goesAlong.some((prefix) => object.startsWith(prefix)))

/** Made once for each user: after a change all but one of fifty thousand are the same. */
const mentions = new WeakMap<object, Reference>()

function mentionOf(slot: string, what: string, member: StoredUser | Group): Reference {
  const known = mentions.get(member)
  if (known) return known
  const { id, parent_id, name } = member
  const made = { id: parent_id, object: `${slot}[${id}]`, field: 'parent_id', title: `${what} "${name}"` }
  mentions.set(member, made)
  return made
}

export const canMention = (id: string): boolean => id.startsWith('group.')

/** Users and groups mention the group they are in. */
export const references = (config: Config): readonly Reference[] => [
  ...read(config, groups).map((group) => mentionOf(groups.key, 'Group', group)),
  ...read(config, users).map((user) => mentionOf(users.key, 'User', user)),
]
