// What an entry of a user category covers (docs/behaviour/content-filter.md 2.3), and which of two entries is more specific.
// Pure.

import { canonicalHost, canonicalPath, isAddressHost, isHost } from './hosts.ts'
import type { FilterQuestion } from './model.ts'

export interface UrlEntry {
  /** In its canonical form. */
  readonly host: string
  /** The host alone (addresses and pages), with its subdomains, or only those. */
  readonly covers: 'host' | 'domain' | 'subdomains'
  readonly scheme: 'http' | 'https' | null
  readonly port: number | null
  /** In its canonical form, from the first slash on; null: every page. */
  readonly path: string | null
}

/** What is asked, with host and path in their canonical forms. */
export type EntryQuestion = Pick<FilterQuestion, 'host' | 'path' | 'scheme' | 'port'>

const schemeForm = /^([a-z][a-z0-9+.-]{0,30}):\/\//i
const portForm = /:([0-9]{1,5})$/

/** Null for what covers nothing: the interface keeps any text. */
export function parseEntry(text: string): UrlEntry | null {
  const trimmed = text.trim()
  const [prefix = '', name] = schemeForm.exec(trimmed) ?? []
  const scheme = name?.toLowerCase() ?? null
  if (scheme !== null && scheme !== 'http' && scheme !== 'https') return null
  const rest = trimmed.slice(prefix.length)
  const end = rest.search(/[/?#]/)
  const authority = end < 0 ? rest : rest.slice(0, end)
  const place = placeOf(authority.slice(authority.lastIndexOf('@') + 1))
  if (place === null) return null
  const path = end < 0 ? null : pathOf(rest.slice(end))
  const { host, isWild, port } = place
  const isExact = isAddressHost(host) || path !== null
  if (isWild && isAddressHost(host)) return null
  return { host, covers: isWild ? 'subdomains' : isExact ? 'host' : 'domain', scheme, port, path }
}

function placeOf(authority: string): { host: string; isWild: boolean; port: number | null } | null {
  const isBare = !authority.startsWith('[') && authority.indexOf(':') !== authority.lastIndexOf(':')
  const digits = isBare ? undefined : portForm.exec(authority)?.[1]
  const named = digits === undefined ? authority : authority.slice(0, -digits.length - 1)
  const isWild = named.startsWith('*.')
  // A dot in front is how other filters write a domain with its subdomains.
  const host = canonicalHost(named.slice(isWild ? 2 : named.startsWith('.') ? 1 : 0))
  const port = digits === undefined ? null : Number(digits)
  return isHost(host) && (port ?? 0) <= 65_535 ? { host, isWild, port } : null
}

function pathOf(rest: string): string | null {
  const hash = rest.indexOf('#')
  const sent = hash < 0 ? rest : rest.slice(0, hash)
  if (sent === '' || sent === '/') return null
  return canonicalPath(sent.startsWith('/') ? sent : `/${sent}`)
}

/** Whether the entry covers what is asked, without regard to other entries. */
export function isCovered(entry: UrlEntry, { host, path, scheme, port }: EntryQuestion): boolean {
  if (entry.scheme !== null && entry.scheme !== scheme) return false
  if (entry.port !== null && entry.port !== port) return false
  const isSame = host === entry.host
  const isBelow = !isSame && !isAddressHost(host) && host.endsWith(`.${entry.host}`)
  const isOn = entry.covers === 'subdomains' ? isBelow : isSame || (entry.covers === 'domain' && isBelow)
  return isOn && (entry.path === null || (path !== null && isPathCovered(entry.path, path)))
}

/** A page and what is below it, at the borders of segments and of parameters. */
const isPathCovered = (entry: string, path: string): boolean =>
  path.startsWith(entry) &&
  (path.length === entry.length ||
    isBorder(entry.charCodeAt(entry.length - 1)) ||
    isBorder(path.charCodeAt(entry.length)))

/** `/`, `?` and `&` */
export const isBorder = (code: number): boolean => code === 47 || code === 63 || code === 38

/**
 * Of two entries that cover the same request the one with the longer host is more specific; then one for subdomains alone,
 * the longer page, a port, a scheme. Positive when `a` is more specific.
 */
export const compareEntries = (a: UrlEntry, b: UrlEntry): number =>
  a.host.length - b.host.length ||
  Number(a.covers === 'subdomains') - Number(b.covers === 'subdomains') ||
  (a.path?.length ?? 0) - (b.path?.length ?? 0) ||
  Number(a.port !== null) - Number(b.port !== null) ||
  Number(a.scheme !== null) - Number(b.scheme !== null)
