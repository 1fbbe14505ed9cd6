// Where the person is: the page, the open item and the search of the address. The shell provides it from its router; pages
// read and change the address through here only.

import { createContext, useCallback, useContext, useEffect, useMemo, useRef } from 'react'

export type Search = Readonly<Record<string, string>>

export interface Place {
  /** Path of the page without /ui/, such as `network/dhcp/static`. */
  readonly path: string
  /** The open item: the rest of the path, decoded; `new` for a new one. */
  readonly item: string | null
  readonly search: Search
}

export interface Go {
  /** Any page, with an item or without: `policy/rules/forward/42`. */
  open(path: string, search?: Search): void
  /** Of this page; null closes it. */
  openItem(item: string | null): void
  setSearch(patch: Readonly<Record<string, string | null>>, options?: { readonly replace?: boolean }): void
}

export const root = '/ui/'

export const PlaceContext = createContext<Place>({ path: '', item: null, search: {} })
export const NavigateContext = createContext<(href: string, options: { readonly replace: boolean }) => void>(() => {})

export const usePlace = (): Place => useContext(PlaceContext)

/** Values are plain text: an empty one is left out, so that a cleared filter leaves no trace. */
export function searchText(search: Search): string {
  const given = Object.entries(search).filter(([, value]) => value !== '')
  const text = new URLSearchParams(given.map(([name, value]) => [name, value])).toString()
  return text === '' ? '' : `?${text}`
}

export const readSearch = (text: string): Search => Object.fromEntries(new URLSearchParams(text))

export const hrefOf = (path: string, search: Search = {}): string =>
  `${root}${path.replace(/^\/+/, '')}${searchText(search)}`

/** An item as it is in the address. Slashes in it stay part of the item. */
export const itemPath = (path: string, item: string | null): string =>
  item === null ? path : `${path}/${encodeURIComponent(item)}`

export function useGo(): Go {
  const place = usePlace()
  const navigate = useContext(NavigateContext)
  return useMemo(
    () => ({
      open: (path, search) => navigate(hrefOf(path, search), { replace: false }),
      openItem: (item) => navigate(hrefOf(itemPath(place.path, item), withoutTab(place.search)), { replace: false }),
      setSearch(patch, { replace = false } = {}) {
        const merged = Object.entries({ ...place.search, ...patch }).filter(
          (entry): entry is [string, string] => entry[1] !== null,
        )
        navigate(hrefOf(itemPath(place.path, place.item), Object.fromEntries(merged)), { replace })
      },
    }),
    [place, navigate],
  )
}

/** The tab belongs to the item that was open. */
const withoutTab = ({ tab: _, ...rest }: Record<string, string>): Search => rest

// --- what is not saved yet ---------------------------------------------------------------------------------------------------

const unsaved = new Map<symbol, () => readonly string[]>()

export const isUnsaved = (): boolean => unsaved.size > 0

/** Names of the fields that leaving the page would lose. */
export const unsavedFields = (): readonly string[] => [...unsaved.values()].flatMap((describe) => describe())

/**
 * While dirty, leaving, closing and reloading ask first and show what `describe` names. What it returns says that all of it is
 * applied: from that moment leaving asks nothing, although the page is only drawn as saved after it.
 */
export function useLeaveGuard(isDirty: boolean, describe: () => readonly string[]): () => void {
  const latest = useRef(describe)
  latest.current = describe
  const key = useRef<symbol | null>(null)
  useEffect(() => {
    if (!isDirty) return
    const own = Symbol('unsaved')
    key.current = own
    unsaved.set(own, () => latest.current())
    return () => {
      unsaved.delete(own)
    }
  }, [isDirty])
  return useCallback(() => {
    if (key.current !== null) unsaved.delete(key.current)
  }, [])
}
