// The route that a method and a path belong to, with the variables of the path: of a request, and of calls that come as data inside
// of another one. The framework can find routes too, but what it prepares for each of them took a sixth of the start of gatewayd
// (decision 123).

import type { Route } from '../../core/area/handle.ts'

export interface RoutePlace {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

export interface FoundRoute extends RoutePlace {
  readonly query: Readonly<Record<string, string>>
}

/** What may follow a part of a path. */
interface Branch {
  readonly fixed: Map<string, Branch>
  variable: Branch | null
  /** What ends here, by method. */
  readonly routes: Map<string, Target>
}

interface Target {
  readonly route: Route
  /** The variables, in the order of the path. */
  readonly names: readonly string[]
}

const newBranch = (): Branch => ({ fixed: new Map(), variable: null, routes: new Map() })

const trees = new WeakMap<readonly Route[], Branch>()

function treeOf(routes: readonly Route[]): Branch {
  const known = trees.get(routes)
  if (known) return known
  const tree = newBranch()
  for (const route of routes) {
    const { method, path } = route.endpoint
    const parts = path.split('/')
    const names = parts.filter(isVariable).map((part) => part.slice(1))
    parts.reduce(branchFor, tree).routes.set(method, { route, names })
  }
  trees.set(routes, tree)
  return tree
}

const isVariable = (part: string): boolean => part.startsWith(':')

function branchFor(branch: Branch, part: string): Branch {
  if (isVariable(part)) {
    branch.variable ??= newBranch()
    return branch.variable
  }
  const next = branch.fixed.get(part) ?? newBranch()
  branch.fixed.set(part, next)
  return next
}

/** Ends of branches that fit, with the values of their variables. A fixed part such as `/move` goes before a variable. */
function* endsAt(branch: Branch, parts: readonly string[], at = 0, values: readonly string[] = []): Generator<End> {
  const part = parts[at]
  if (part === undefined) {
    yield { routes: branch.routes, values }
    return
  }
  const fixed = branch.fixed.get(part)
  if (fixed) yield* endsAt(fixed, parts, at + 1, values)
  if (branch.variable) yield* endsAt(branch.variable, parts, at + 1, [...values, part])
}

interface End {
  readonly routes: ReadonlyMap<string, Target>
  readonly values: readonly string[]
}

/** `url` is what a request asks for. A HEAD is answered by the route of its GET. Null when there is no such route. */
export function findPlace(routes: readonly Route[], method: string, url: string): RoutePlace | null {
  const parts = partsOf(pathOf(url))
  return parts && findTarget(endsAt(treeOf(routes), parts), method === 'HEAD' ? 'GET' : method)
}

/** `path` comes with its query. Null when there is no such route. */
export function findRoute(routes: readonly Route[], method: string, path: string): FoundRoute | null {
  const [place = '', search = ''] = path.split('?')
  const parts = partsOf(place)
  const found = parts && findTarget(wholeEnds(routes, parts), method)
  return found && { ...found, query: fieldsOf(search) }
}

/** The methods that a path takes, in the order of their names. */
export function methodsAt(routes: readonly Route[], url: string): string[] {
  const parts = partsOf(pathOf(url))
  const ends = parts ? wholeEnds(routes, parts) : []
  const methods = new Set(ends.flatMap((end) => [...end.routes.keys()]))
  if (methods.has('GET')) methods.add('HEAD')
  return [...methods].sort()
}

/** Without those that fit only because a variable may be empty, as in a list of no ids. */
const wholeEnds = (routes: readonly Route[], parts: readonly string[]): readonly End[] =>
  [...endsAt(treeOf(routes), parts)].filter(({ values }) => !values.includes(''))

function findTarget(ends: Iterable<End>, method: string): RoutePlace | null {
  for (const { routes, values } of ends) {
    const target = routes.get(method)
    if (target) return { route: target.route, params: paramsOf(target.names, values) }
  }
  return null
}

const paramsOf = (names: readonly string[], values: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']))

/** A client may send the whole address, and a fragment that has no meaning for a server. */
const pathOf = (url: string): string => url.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0] ?? ''

/** Without a prototype: a parameter called __proto__ is an unknown one like any other. */
function fieldsOf(search: string): Readonly<Record<string, string>> {
  const fields = Object.create(null) as Record<string, string>
  for (const [name, value] of new URLSearchParams(search)) fields[name] = value
  return fields
}

/** More than any route has. A client may send thousands without a session, and those behind are not looked at. */
export const mostParts = 32

/** Null when its encoding is wrong. */
function partsOf(place: string): readonly string[] | null {
  try {
    return place.split('/', mostParts).map(decodeURIComponent)
  } catch {
    return null
  }
}
