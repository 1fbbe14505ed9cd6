// The rows of a list as the gateway has them, with what it observes of each where the list has states.

import { useMemo } from 'react'
import type { CallOptions } from '../../api/call.ts'
import { useRead } from '../../api/reads.ts'
import { columnText, compareRows, isFound, readSort, type ShownColumn, withStates, wordsOf } from '../columns.ts'
import type { Collection, Item } from '../define.ts'
import { type Around, idOf, rowsIn } from '../plan.ts'
import type { Speaking } from '../values.ts'
import type { Opener } from './opener.ts'

const noRows: readonly Item[] = []

export function useCollectionRows(collection: Collection, around: Around) {
  const { list } = collection.endpoints
  const read = useRead(list, {
    params: around,
    query: collection.query ?? {},
    ...(collection.everyMs === undefined ? {} : { everyMs: collection.everyMs }),
  } as CallOptions)
  const states = useRead(collection.states?.endpoint ?? list, {
    isEnabled: collection.states !== undefined,
    everyMs: 10_000,
  } as CallOptions)
  const stored = useMemo(() => {
    const rows = read.data ? rowsIn(read.data.data, collection.rowsIn) : noRows
    if (!collection.states) return rows
    const { idField = 'id' } = collection.states
    return withStates(rows, rowsIn(states.data?.data, undefined), collection.idField ?? 'id', idField)
  }, [read.data, states.data, collection])
  return { read, stored, etag: read.data?.etag ?? null }
}

interface ShownSource {
  readonly collection: Collection
  readonly opener: Opener
  readonly rows: readonly Item[]
  readonly columns: readonly ShownColumn[]
  readonly speaking: Speaking
}

/** The rows that the filter of the address finds, in its order. */
export function useShownRows({ collection, opener, rows, columns, speaking }: ShownSource) {
  const { isOrdered } = collection
  const sort = useMemo(() => (isOrdered ? null : readSort(opener.sort)), [isOrdered, opener.sort])
  const words = useMemo(() => wordsOf(opener.query), [opener.query])
  const shown = useMemo(() => {
    const textOf = (row: Item): string =>
      [...columns.map((column) => columnText(column, row, speaking)), idOf(collection, row)].join('\n').toLowerCase()
    const found = words.length === 0 ? rows : rows.filter((row) => isFound(textOf(row), words))
    const column = sort === null ? undefined : columns.find(({ id }) => id === sort.id)
    if (!column || sort === null) return found
    const compare = compareRows(column, speaking)
    return found.toSorted((a, b) => (sort.isDown ? compare(b, a) : compare(a, b)))
  }, [rows, words, columns, speaking, sort, collection])
  return { sort, shown, isFiltered: words.length > 0 }
}
