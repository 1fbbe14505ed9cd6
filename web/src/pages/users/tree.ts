// Users and groups as rows of a tree: groups before users, open or closed, narrowed by a search. Pure.

import type { ReplyOf } from '@gateway/server/contract'
import type { groups, users } from '@gateway/server/contract/users'

export type User = ReplyOf<typeof users.list>[number]
export type Group = ReplyOf<typeof groups.list>[number]

export interface TreeRow {
  readonly id: string
  readonly depth: number
  readonly parentId: string
  /** Null for a user. */
  readonly isOpen: boolean | null
  /** Users in the group, those of its groups included; 1 for a user. */
  readonly count: number
  readonly group: Group | null
  readonly user: User | null
}

/** All users, and devices that connect by VPN. They cannot be removed. */
export const builtInGroups = ['group.id.1', 'group.id.2'] as const
export const rootGroup = builtInGroups[0]

export interface TreeIndex {
  readonly groups: ReadonlyMap<string, Group>
  readonly users: ReadonlyMap<string, User>
  readonly groupsIn: ReadonlyMap<string, readonly Group[]>
  readonly usersIn: ReadonlyMap<string, readonly User[]>
  readonly counts: ReadonlyMap<string, number>
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => a.name.localeCompare(b.name)

function groupBy<T extends { readonly parent_id: string }>(items: readonly T[]): Map<string, T[]> {
  const found = new Map<string, T[]>()
  for (const item of items) {
    const list = found.get(item.parent_id)
    if (list) list.push(item)
    else found.set(item.parent_id, [item])
  }
  return found
}

export function indexTree(allGroups: readonly Group[], allUsers: readonly User[]): TreeIndex {
  const groupsIn = groupBy([...allGroups].sort(byName))
  const usersIn = groupBy([...allUsers].sort(byName))
  const counts = new Map<string, number>()
  const count = (id: string, above: ReadonlySet<string>): number => {
    if (above.has(id)) return 0
    const inside = new Set([...above, id])
    const sum = (groupsIn.get(id) ?? []).reduce((rest, group) => rest + count(group.id, inside), 0)
    const total = sum + (usersIn.get(id)?.length ?? 0)
    counts.set(id, total)
    return total
  }
  for (const group of groupsIn.get('') ?? []) count(group.id, new Set())
  return {
    groups: new Map(allGroups.map((group) => [group.id, group])),
    users: new Map(allUsers.map((user) => [user.id, user])),
    groupsIn,
    usersIn,
    counts,
  }
}

export interface Narrowing {
  readonly text: string
  /** Only users that are denied access. */
  readonly isDeniedOnly?: boolean
}

/** Rows as they are below each other. While something is looked for, all that leads to a find is open. */
export function treeRows(index: TreeIndex, open: ReadonlySet<string>, narrowing: Narrowing = { text: '' }): TreeRow[] {
  const needle = narrowing.text.trim().toLowerCase()
  const isNarrowed = needle !== '' || narrowing.isDeniedOnly === true
  const fits = (user: User): boolean =>
    (needle === '' || [user.name, user.login, user.comment, user.phone_number ?? ''].some(has(needle))) &&
    (narrowing.isDeniedOnly !== true || user.enabled)
  const rows: TreeRow[] = []

  const addGroup = (group: Group, depth: number, parentId: string, isFound: boolean): boolean => {
    const at = rows.length
    const isHit = isFound || (narrowing.isDeniedOnly !== true && needle !== '' && has(needle)(group.name))
    const isOpen = isNarrowed || open.has(group.id)
    rows.push({ id: group.id, depth, parentId, isOpen, count: index.counts.get(group.id) ?? 0, group, user: null })
    if (!isOpen) return true
    let isKept = !isNarrowed || isHit
    for (const inner of index.groupsIn.get(group.id) ?? [])
      if (addGroup(inner, depth + 1, group.id, isHit)) isKept = true
    for (const user of index.usersIn.get(group.id) ?? []) {
      if (isNarrowed && !isHit && !fits(user)) continue
      rows.push({ id: user.id, depth: depth + 1, parentId: group.id, isOpen: null, count: 1, group: null, user })
      isKept = true
    }
    if (!isKept) rows.length = at
    return isKept
  }

  for (const group of index.groupsIn.get('') ?? []) addGroup(group, 0, '', false)
  return rows
}

const has =
  (needle: string) =>
  (text: string): boolean =>
    text.toLowerCase().includes(needle)

/** The groups around an item, the nearest first. */
export function pathTo(index: TreeIndex, id: string): string[] {
  const path: string[] = []
  let at = index.users.get(id)?.parent_id ?? index.groups.get(id)?.parent_id ?? ''
  while (at !== '' && !path.includes(at)) {
    path.push(at)
    at = index.groups.get(at)?.parent_id ?? ''
  }
  return path
}

export const isLocal = ({ domain_type }: Pick<User, 'domain_type'>): boolean => domain_type === 'local'

/** Whether the items may be moved into the group: not into itself, what is in it, or a group of another origin. */
export function mayMove(index: TreeIndex, ids: readonly string[], target: string): boolean {
  const group = index.groups.get(target)
  if (!group || !isLocal(group)) return false
  const around = [target, ...pathTo(index, target)]
  return ids.every((id) => {
    const item = index.users.get(id) ?? index.groups.get(id)
    if (!item || !isLocal(item) || (builtInGroups as readonly string[]).includes(id)) return false
    return !around.includes(id) && item.parent_id !== target
  })
}
