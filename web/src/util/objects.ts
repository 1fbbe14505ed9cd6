// Objects by their ids: what they are called, what they stand for, and which object a person means by a name or an address.
// Pure; used by every page that shows rules or objects.

import type { ReplyOf } from '@gateway/server/contract'
import type { listAll } from '@gateway/server/contract/objects'
import { highestAddress, parseSpan, printSpan } from '@gateway/server/net/ipv4'
import { noRanges, pairsOf, type Ranges, toRanges, unite } from '@gateway/server/net/ranges'

export type AnyObject = ReplyOf<typeof listAll>[number]

export interface ObjectIndex {
  readonly byId: ReadonlyMap<string, AnyObject>
  readonly all: readonly AnyObject[]
}

export const emptyIndex: ObjectIndex = { byId: new Map(), all: [] }

export const indexObjects = (all: readonly AnyObject[]): ObjectIndex => ({
  byId: new Map(all.map((object) => [object.id, object])),
  all,
})

/** The word an id begins with: `ip` of `ip.id.3`. */
export const kindOfId = (id: string): string => {
  const dot = id.indexOf('.')
  return dot < 0 ? id : id.slice(0, dot)
}

export const titleOf = (index: ObjectIndex, id: string): string => index.byId.get(id)?.title ?? id

/** Kinds that fields of rules take beside `any` (docs/behaviour/objects.md 5). */
export const addressKinds = [
  'ip',
  'ip_range',
  'subnet',
  'domain',
  'address_list',
  'ip_address_list',
  'iplist',
  'list_of_iplists',
  'user',
  'group',
  'security_group',
] as const
export const portKinds = ['port', 'port_range', 'port_list'] as const
export const timeKinds = ['time_range', 'time_list'] as const
/** Interfaces are told apart by their type, because all their ids begin with the same word. */
export const interfaceKinds = ['interface', 'zone'] as const

/** What an object stands for, as short text: an address, a port, the days of a time; '' for what only has a name. */
export function literalOf(object: AnyObject): string {
  if (object.type === 'time_range') return `${object.start ?? ''}–${object.end ?? ''}`
  if (object.start !== undefined && object.end !== undefined) return `${object.start}-${object.end}`
  return object.value === undefined ? '' : String(object.value)
}

/** Parts of an object down to what has no parts, each once; a list that names itself does not hang. */
export function leavesOf(index: ObjectIndex, id: string, seen: Set<string> = new Set()): AnyObject[] {
  if (seen.has(id)) return []
  seen.add(id)
  const object = index.byId.get(id)
  if (!object) return []
  if (object.type === 'ip_address_list' || object.values === undefined) return [object]
  return object.values.flatMap((member) => leavesOf(index, member, seen))
}

/** Addresses of domains, by id of the domain. */
export type DomainAddresses = ReadonlyMap<string, readonly string[]>

export interface Resolved {
  readonly ranges: Ranges
  /** Names of what has no addresses that are known here: countries, users, domains without an answer. */
  readonly unknown: readonly AnyObject[]
}

const spanOf = (text: string): readonly [number, number] | null => parseSpan(text)

/** The addresses that an object stands for now. */
export function resolveAddresses(index: ObjectIndex, id: string, domains: DomainAddresses = new Map()): Resolved {
  if (id === 'any') return { ranges: [0, highestAddress], unknown: [] }
  const sets: Ranges[] = []
  const unknown: AnyObject[] = []
  for (const leaf of leavesOf(index, id)) {
    const texts = textsOf(leaf, domains)
    if (texts === null) unknown.push(leaf)
    else sets.push(toRanges(texts.map(spanOf).filter((span) => span !== null)))
  }
  return { ranges: sets.length === 0 ? noRanges : unite(sets), unknown }
}

function textsOf(object: AnyObject, domains: DomainAddresses): readonly string[] | null {
  switch (object.type) {
    case 'ip':
    case 'subnet':
    case 'ip_range':
      return [literalOf(object)]
    case 'ip_address_list':
      return object.values ?? []
    case 'domain': {
      const found = domains.get(object.id)
      return found === undefined || found.length === 0 ? null : found
    }
    default:
      return null
  }
}

/** `10.0.0.0/24`, `10.0.0.7`, `10.0.0.1-10.0.0.9`. */
export function printRanges(ranges: Ranges, limit = Number.POSITIVE_INFINITY): string[] {
  const shown = limit < ranges.length / 2 ? ranges.slice(0, 2 * limit) : ranges
  return pairsOf(shown).map(([low, high]) => printSpan(low, high))
}

/** The object that a person means by an id, a title or a value; `several` where a title is not unique. */
export type Meant = { readonly id: string } | { readonly several: readonly string[] } | null

/** Lookups by title and value, made once for many questions. */
export interface ObjectFinder {
  readonly find: (text: string, kinds: readonly string[]) => Meant
}

export function createFinder(index: ObjectIndex): ObjectFinder {
  const byTitle = group(index.all, (object) => object.title.toLowerCase())
  const byValue = group(
    index.all.filter((object) => literalOf(object) !== '' && object.type !== 'time_range'),
    (object) => normalized(literalOf(object)),
  )
  const fits = (id: string, kinds: readonly string[]): boolean => kinds.includes(kindOfId(id))
  return {
    find(text, kinds) {
      const wanted = text.trim()
      if (wanted === '' || wanted.toLowerCase() === 'any') return { id: 'any' }
      if (index.byId.has(wanted) && fits(wanted, kinds)) return { id: wanted }
      const titled = (byTitle.get(wanted.toLowerCase()) ?? []).filter(({ id }) => fits(id, kinds))
      if (titled.length > 1) return { several: titled.map(({ id }) => id) }
      const [named] = titled
      if (named) return { id: named.id }
      const [valued] = (byValue.get(normalized(wanted)) ?? []).filter(({ id }) => fits(id, kinds))
      return valued ? { id: valued.id } : null
    },
  }
}

/** Ways to write the same addresses are the same. */
function normalized(text: string): string {
  const span = parseSpan(text)
  return span === null ? text.toLowerCase() : printSpan(span[0], span[1])
}

function group<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const known = groups.get(key)
    if (known) known.push(item)
    else groups.set(key, [item])
  }
  return groups
}

const objectKinds: ReadonlySet<string> = new Set([
  'ip',
  'ip_range',
  'subnet',
  'domain',
  'address_list',
  'ip_address_list',
  'port',
  'port_range',
  'port_list',
  'time_range',
  'time_list',
  'zone',
  'list_of_iplists',
])

/** The page that shows an object, opened on it; null for those that are always there. */
export function pageOfObject(id: string): string | null {
  const kind = kindOfId(id)
  if (kind === 'user' || kind === 'group') return `people/users/${encodeURIComponent(id)}`
  return objectKinds.has(kind) ? `objects/${encodeURIComponent(id)}` : null
}
