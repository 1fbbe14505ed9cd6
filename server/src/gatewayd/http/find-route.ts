// The route that a call given as data belongs to, with the variables of its path: for calls that come inside of another one.

import type { Route } from '../../core/area/handle.ts'

export interface FoundRoute {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
}

interface Pattern {
  readonly route: Route
  readonly parts: readonly string[]
}

const tables = new WeakMap<readonly Route[], ReadonlyMap<string, readonly Pattern[]>>()

/** Two thousand calls look for their route one after the other, so the routes are sorted by method and length once. */
function tableOf(routes: readonly Route[]): ReadonlyMap<string, readonly Pattern[]> {
  const known = tables.get(routes)
  if (known) return known
  const patterns = routes.map((route): Pattern => ({ route, parts: route.endpoint.path.split('/') }))
  // A fixed path such as `/move` goes before one with a variable.
  const sorted = patterns.toSorted((a, b) => a.route.endpoint.params.length - b.route.endpoint.params.length)
  const made = Map.groupBy(sorted, ({ route, parts }) => keyOf(route.endpoint.method, parts))
  tables.set(routes, made)
  return made
}

const keyOf = (method: string, parts: readonly string[]): string => `${method} ${parts.length}`

/** `path` comes with its query. Null when there is no such route. */
export function findRoute(routes: readonly Route[], method: string, path: string): FoundRoute | null {
  const [place = '', search = ''] = path.split('?')
  const parts = partsOf(place)
  const fits = (pattern: Pattern): boolean =>
    pattern.parts.every((part, index) => (part.startsWith(':') ? parts?.[index] !== '' : part === parts?.[index]))
  const found = parts && tableOf(routes).get(keyOf(method, parts))?.find(fits)
  if (!parts || !found) return null
  const named = found.parts.flatMap((name, index) =>
    name.startsWith(':') ? [[name.slice(1), parts[index] ?? ''] as const] : [],
  )
  return { route: found.route, params: Object.fromEntries(named), query: fieldsOf(search) }
}

/** Without a prototype: a parameter called __proto__ is an unknown one like any other. */
function fieldsOf(search: string): Readonly<Record<string, string>> {
  const fields = Object.create(null) as Record<string, string>
  for (const [name, value] of new URLSearchParams(search)) fields[name] = value
  return fields
}

/** Null when its encoding is wrong. */
function partsOf(place: string): readonly string[] | null {
  try {
    return place.split('/').map(decodeURIComponent)
  } catch {
    return null
  }
}
