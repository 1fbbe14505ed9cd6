// What can be done with the objects of a list: add, copy, look where they are used, remove; by key and by button.

import { listAll, useCounts } from '@gateway/server/contract/objects'
import { useState } from 'react'
import { useReview } from '../../api/apply.ts'
import { type Editing, useEditing } from '../../api/editing.ts'
import { useGo, usePlace } from '../../place.ts'
import type { GridKey } from '../../ui/grid/types.ts'
import { toast } from '../../ui/toast.tsx'
import { kindOfId } from '../../util/objects.ts'
import { t } from '../../words.ts'
import { kindById, type ObjectKind } from './kinds.ts'
import type { ObjectRow } from './rows.ts'

export interface ObjectActs {
  readonly editing: Editing
  readonly selection: ReadonlySet<string>
  readonly setSelection: (selection: ReadonlySet<string>) => void
  readonly add: (kind: string) => void
  readonly remove: (rows: readonly ObjectRow[]) => void
  readonly onKey: (event: GridKey<ObjectRow>) => boolean
}

export function useObjectActs(kinds: readonly ObjectKind[]): ObjectActs {
  const place = usePlace()
  const go = useGo()
  const review = useReview()
  const editing = useEditing('firewall')
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set())
  const add = (kind: string): void => go.open(`${place.path}/new`, { ...place.search, kind })
  const remove = (targets: readonly ObjectRow[]): void => {
    const free = targets.filter(({ isFixed }) => !isFixed)
    const used = free.filter(({ uses: count }) => count > 0)
    if (used.length > 0) {
      toast(
        t('{count, plural, one {{name} is used and stays.} other {# objects are used and stay.}}', {
          count: used.length,
          name: used[0]?.object.title ?? '',
        }),
        { tone: 'warn' },
      )
    }
    const gone = free.filter(({ uses: count }) => count === 0)
    if (gone.length === 0) return
    review.open({
      title: t('{count, plural, one {Remove {name}} other {Remove # objects}}', {
        count: gone.length,
        name: gone[0]?.object.title ?? '',
      }),
      calls: gone.flatMap(({ key }) => {
        const endpoint = kindById.get(kindOfId(key))?.collection.endpoints.remove
        return endpoint ? [{ endpoint, params: { object_id: key } }] : []
      }),
      reads: [
        listAll,
        useCounts,
        ...new Set(gone.flatMap(({ key }) => kindById.get(kindOfId(key))?.collection.endpoints.list ?? [])),
      ],
      onApplied: () => {
        setSelection(new Set())
        if (gone.some(({ key }) => key === place.item)) go.openItem(null)
      },
    })
  }

  const onKey = ({ key, row, rows: targets }: GridKey<ObjectRow>): boolean => {
    const change = (act: () => void): boolean => {
      if (editing.isAllowed) act()
      else if (editing.why) toast(editing.why)
      return true
    }
    switch (key) {
      case 'o':
        return change(() => add(row && !row.isFixed ? kindOfId(row.key) : (kinds[0]?.id ?? 'ip')))
      case 'c':
        return row === null || row.isFixed
          ? false
          : change(() => go.open(`${place.path}/new`, { ...place.search, kind: kindOfId(row.key), copy: row.key }))
      case 'u':
        if (row) go.open(`${place.path}/${encodeURIComponent(row.key)}`, { ...place.search, tab: 'used' })
        return true
      case 'Delete':
        return change(() => remove(targets))
      default:
        return false
    }
  }
  return { editing, selection, setSelection, add, remove, onKey }
}
