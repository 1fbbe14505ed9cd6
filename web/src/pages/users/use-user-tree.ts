// The tree of users and groups as it is read, and which of its groups are open.

import { groups, users } from '@gateway/server/contract/users'
import { useEffect, useMemo, useState } from 'react'
import { useRead } from '../../api/reads.ts'
import { usePlace } from '../../place.ts'
import { indexTree, pathTo, rootGroup, type TreeRow, treeRows } from './tree.ts'

export type UserTree = ReturnType<typeof useUserTree>

export function useUserTree() {
  const { item, search } = usePlace()
  const people = useRead(users.list)
  const folders = useRead(groups.list)
  const index = useMemo(() => indexTree(folders.data?.data ?? [], people.data?.data ?? []), [folders.data, people.data])
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set([rootGroup]))
  const isDeniedOnly = search.denied === '1'
  const rows = useMemo(
    () => treeRows(index, open, { text: search.q ?? '', isDeniedOnly }),
    [index, open, search.q, isDeniedOnly],
  )

  // An item of the address is shown in the tree, wherever it is.
  useEffect(() => {
    if (item === null) return
    const around = pathTo(index, item)
    if (around.length > 0) setOpen((now) => (around.every((id) => now.has(id)) ? now : new Set([...now, ...around])))
  }, [item, index])

  const toggle = ({ id }: TreeRow): void =>
    setOpen((now) => {
      const next = new Set(now)
      if (!next.delete(id)) next.add(id)
      return next
    })
  return {
    people,
    folders,
    etags: { users: people.data?.etag ?? null, groups: folders.data?.etag ?? null },
    index,
    rows,
    isDeniedOnly,
    toggle,
  }
}
