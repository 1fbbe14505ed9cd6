// Which page an address means: the longest page path that the address begins with; the rest is the open item.

import type { PageEntry } from '../page.ts'
import { type Place, readSearch, root } from '../place.ts'

export interface Located extends Place {
  readonly entry: PageEntry | null
}

/** Addresses that once were, or are shorter to type, and where they lead. */
export const firstPage = 'overview/dashboard'

/** Undecodable text stays as it is: an address is anything that was typed. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function locate(pages: readonly PageEntry[], pathname: string, search: string): Located {
  const bare = pathname.startsWith(root) ? pathname.slice(root.length) : pathname.replace(/^\/(ui$)?/, '')
  const path = bare.replace(/^\/+|\/+$/g, '')
  const query = readSearch(search)
  const entry = pages
    .filter((page) => path === page.path || path.startsWith(`${page.path}/`))
    .toSorted((a, b) => b.path.length - a.path.length)[0]
  if (!entry) return { path, item: null, search: query, entry: null }
  const rest = path.slice(entry.path.length + 1)
  return { path: entry.path, item: rest === '' ? null : decode(rest), search: query, entry }
}

/** The first page of the group or section that an address without a page of its own means, such as `policy`. */
export function firstBelow(pages: readonly PageEntry[], path: string): PageEntry | null {
  if (path === '') return pages.find((page) => page.path === firstPage) ?? pages[0] ?? null
  return pages.find((page) => page.path.startsWith(`${path}/`)) ?? null
}
