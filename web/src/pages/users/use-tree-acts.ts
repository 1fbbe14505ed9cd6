// What can be done with users and groups: add, copy, move, deny access, remove; which of them are chosen, and which are being moved.

import { groups, users } from '@gateway/server/contract/users'
import { useState } from 'react'
import { applyNow, useReview } from '../../api/apply.ts'
import { type Editing, useEditing } from '../../api/editing.ts'
import { useGo, usePlace } from '../../place.ts'
import type { GridKey } from '../../ui/grid/types.ts'
import { t } from '../../words.ts'
import { formOf, moveInto, removeAll, updateUser } from './calls.ts'
import { builtInGroups, mayMove, pathTo, rootGroup, type TreeRow, type User } from './tree.ts'
import type { UserTree } from './use-user-tree.ts'

const reads = [users.list, groups.list]

export interface TreeActs {
  readonly editing: Editing
  readonly selection: ReadonlySet<string>
  readonly setSelection: (selection: ReadonlySet<string>) => void
  /** What a group is asked for. */
  readonly moving: readonly string[] | null
  readonly askMove: (ids: readonly string[] | null) => void
  readonly move: (ids: readonly string[], target: string) => void
  readonly remove: (ids: readonly string[]) => void
  readonly deny: (user: User, isDenied: boolean) => Promise<unknown>
  readonly addUser: (parent: string) => void
  readonly addGroup: (parent: string) => void
  readonly onKey: (event: GridKey<TreeRow>) => boolean
}

/** The group of a row: itself, or the one it is in. */
export const groupOf = (row: TreeRow | null): string => row?.group?.id ?? row?.parentId ?? rootGroup

export function useTreeActs({ index, etags }: UserTree): TreeActs {
  const { item } = usePlace()
  const go = useGo()
  const review = useReview()
  const editing = useEditing('accounts')
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set())
  const [moving, askMove] = useState<readonly string[] | null>(null)
  const nameOf = (id: string): string => index.users.get(id)?.name ?? index.groups.get(id)?.name ?? id
  const move = (ids: readonly string[], target: string): void => {
    if (!editing.isAllowed || !mayMove(index, ids, target)) return
    review.open({
      title: t('Move {what} to {group}', {
        what: ids.length === 1 ? nameOf(ids[0] ?? '') : t('{count} entries', { count: ids.length }),
        group: nameOf(target),
      }),
      calls: moveInto(index, ids, target),
      reads,
      onApplied: () => setSelection(new Set()),
    })
  }
  const remove = (ids: readonly string[]): void => {
    const removable = ids.filter((id) => !(builtInGroups as readonly string[]).includes(id))
    const calls = removeAll(index, removable, (id) => pathTo(index, id))
    const [first] = removable
    if (!editing.isAllowed || calls.length === 0 || first === undefined) return
    review.open({
      title:
        removable.length === 1
          ? t('Remove {what}', { what: nameOf(first) })
          : t('Remove {count} entries', { count: removable.length }),
      calls,
      reads,
      onApplied: () => {
        setSelection(new Set())
        if (item !== null && removable.includes(item)) go.openItem(null)
      },
    })
  }
  const deny = (user: User, isDenied: boolean): Promise<unknown> =>
    applyNow({
      title: isDenied ? t('Deny {who} access', { who: user.name }) : t('Allow {who} access', { who: user.name }),
      calls: [updateUser(user, { ...formOf(user), isDenied }, etags.users)],
      reads,
    })
  const addUser = (parent: string): void => go.open('people/users/new', { in: parent })
  const addGroup = (parent: string): void => go.open('people/users/new-group', { in: parent })
  const onKey = ({ key, row, rows: marked }: GridKey<TreeRow>): boolean => {
    const ids = marked.map(({ id }) => id)
    if (key === 'o') addUser(groupOf(row))
    else if (key === 'Shift O') addGroup(groupOf(row))
    else if (key === 'c' && row?.user) go.open('people/users/new', { copy: row.id, in: row.parentId })
    else if (key === 'm' && ids.length > 0) askMove(ids)
    else if (key === 'Delete' && ids.length > 0) remove(ids)
    else return false
    return true
  }
  return { editing, selection, setSelection, moving, askMove, move, remove, deny, addUser, addGroup, onKey }
}
