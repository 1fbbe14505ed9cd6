// Finds endpoints by the path a user typed: variables matched, fixed segments before variables, and near misses suggested.

import type { Endpoint, Method } from '../../../core/contract/endpoint.ts'
import { badUsage } from '../failure.ts'
import { nearest } from './suggest.ts'

export const methods: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

const isVariable = (segment: string): boolean => segment.startsWith(':')

const segmentsOf = (path: string): string[] => path.split('/').slice(1)

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) => (isVariable(part) ? segments[index] !== '' : part === segments[index]))
  )
}

const countVariables = (path: string): number => segmentsOf(path).filter(isVariable).length

/** Every endpoint whose path fits, those with fewer variables first: `/rules/move` is not a rule named "move". */
export const endpointsAt = (endpoints: readonly Endpoint[], path: string): Endpoint[] =>
  endpoints
    .filter((endpoint) => fits(segmentsOf(endpoint.path), segmentsOf(path)))
    .sort((a, b) => countVariables(a.path) - countVariables(b.path) || byMethod(a, b))

export const byMethod = (a: Endpoint, b: Endpoint): number => methods.indexOf(a.method) - methods.indexOf(b.method)

/** The endpoint a command means, or a failure that lists what exists instead. */
export function requireEndpoint(endpoints: readonly Endpoint[], method: Method, path: string): Endpoint {
  const here = endpointsAt(endpoints, path)
  const found = here.find((endpoint) => endpoint.method === method)
  if (found) {
    refusePlaceholders(found, path)
    return found
  }
  if (here.length > 0) {
    const known = here.map((endpoint) => `gw ${endpoint.method.toLowerCase()} ${path}  (${endpoint.summary})`)
    throw badUsage(`${path} does not take ${method}. It takes:`, known)
  }
  const meant = nearest(path, [...new Set(endpoints.map((endpoint) => endpoint.path))])
  throw badUsage(`There is no endpoint at ${path}.`, [
    ...(meant === null ? [] : [`Did you mean ${meant}?`]),
    'All endpoints: gw endpoints [word]',
  ])
}

function refusePlaceholders(endpoint: Endpoint, path: string): void {
  const left = segmentsOf(path).find(
    (segment, index) => segment === segmentsOf(endpoint.path)[index] && isVariable(segment),
  )
  if (left !== undefined) throw badUsage(`Replace ${left} in ${path} with a value.`)
}

/** Each segment encoded for a request line; %xx that was typed is kept. */
export const encodePath = (path: string): string =>
  path
    .split('/')
    .map((segment) => encodeURIComponent(segment).replaceAll(/%25([0-9a-f]{2})/gi, '%$1'))
    .join('/')

/**
 * How a typed beginning of a path can go on: up to the next variable, which only the person knows. An answer that
 * ends with `/` goes on there.
 */
export function completePath(paths: readonly string[], typed: string): string[] {
  if (typed === '') return unique(paths.map((path) => firstPart(segmentsOf(path), [])))
  const segments = segmentsOf(typed)
  const whole = segments.slice(0, -1)
  const partial = segments.at(-1) ?? ''
  return unique(
    paths.map(segmentsOf).flatMap((pattern) => {
      const next = pattern[whole.length]
      if (next === undefined || !fits(pattern.slice(0, whole.length), whole)) return []
      if (!isVariable(next)) return next.startsWith(partial) ? [firstPart(pattern, whole)] : []
      // A value is being typed: with it the path is whole, or goes on behind it.
      if (partial === '') return []
      return [pattern.length === segments.length ? typed : firstPart(pattern, segments)]
    }),
  )
}

function firstPart(pattern: readonly string[], given: readonly string[]): string {
  const rest = pattern.slice(given.length)
  const stop = rest.findIndex(isVariable)
  const known = stop < 0 ? rest : [...rest.slice(0, stop), '']
  return `/${[...given, ...known].join('/')}`
}

const unique = (texts: readonly string[]): string[] => [...new Set(texts)].sort()
