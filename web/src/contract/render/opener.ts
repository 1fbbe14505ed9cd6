// Which item of a list is open, kept in the address: in the path for the list of a page, in the search for a list inside of an item.

import { useMemo } from 'react'
import { itemPath, useGo, usePlace } from '../../place.ts'

export interface Extra {
  /** A new item begins as a copy of this one, or as the example of the page. */
  readonly from?: string
  readonly after?: string
  readonly before?: string
  readonly tab?: string
}

export interface Opener {
  /** `new` for a new one. */
  readonly id: string | null
  readonly extra: Extra
  readonly open: (id: string | null, extra?: Extra) => void
  readonly setTab: (tab: string) => void
  readonly query: string
  readonly sort: string | undefined
  readonly setQuery: (text: string) => void
  readonly setSort: (sort: string | null) => void
}

const own = ['from', 'after', 'before', 'tab'] as const

const pick = (search: Readonly<Record<string, string>>, prefix: string): Extra =>
  Object.fromEntries(own.flatMap((name) => (search[prefix + name] ? [[name, search[prefix + name]]] : [])))

/** The list of the page itself. */
export function usePageOpener(): Opener {
  const { path, item, search } = usePlace()
  const go = useGo()
  return useMemo(() => {
    const kept = Object.fromEntries(Object.entries(search).filter(([name]) => !own.some((one) => one === name)))
    return {
      id: item,
      extra: pick(search, ''),
      open: (id, extra = {}) => go.open(itemPath(path, id), { ...kept, ...extra }),
      setTab: (tab) => go.setSearch({ tab }, { replace: true }),
      query: search.q ?? '',
      sort: search.sort,
      setQuery: (text) => go.setSearch({ q: text === '' ? null : text }, { replace: true }),
      setSort: (sort) => go.setSearch({ sort }, { replace: true }),
    }
  }, [path, item, search, go])
}

/** A list inside of the open item: everything of it is in the search, below its own name. */
export function useInsideOpener(name: string): Opener {
  const { search } = usePlace()
  const go = useGo()
  return useMemo(() => {
    const prefix = `${name}-`
    const cleared = Object.fromEntries(own.map((one) => [prefix + one, null]))
    return {
      id: search[name] ?? null,
      extra: pick(search, prefix),
      open: (id, extra = {}) =>
        go.setSearch({
          ...cleared,
          [name]: id,
          ...Object.fromEntries(Object.entries(extra).map(([key, value]) => [prefix + key, value])),
        }),
      setTab: (tab) => go.setSearch({ [`${prefix}tab`]: tab }, { replace: true }),
      query: search[`${prefix}q`] ?? '',
      sort: search[`${prefix}sort`],
      setQuery: (text) => go.setSearch({ [`${prefix}q`]: text === '' ? null : text }, { replace: true }),
      setSort: (sort) => go.setSearch({ [`${prefix}sort`]: sort }, { replace: true }),
    }
  }, [name, search, go])
}
