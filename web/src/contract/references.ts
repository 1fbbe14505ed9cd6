// Where the names of referenced things come from: one list for most kinds, the lists of other areas for the rest. The contract
// of an area is loaded only when a field refers to it.

import type { Endpoint } from '@gateway/server/contract'
import { loadCode } from '../ui/load-code.ts'
import { t } from '../words.ts'
import type { Item } from './define.ts'

export interface Source {
  /** Of the list, as reads are kept under it. */
  readonly path: string
  readonly load: () => Promise<Endpoint>
  readonly value: (row: Item) => string
  readonly label: (row: Item) => string
  /** Where the list is in the reply, when it is not the reply. */
  readonly rowsIn?: string
  /** What helps to choose it, in the language of the person. */
  readonly hint?: (row: Item) => string
  /** Which rows are of the kind. */
  readonly holds?: (row: Item, kind: string) => boolean
}

const named = (path: string, load: () => Promise<Endpoint>, labelField = 'name'): Source => ({
  path,
  load,
  value: (row) => String(row.id ?? ''),
  label: (row) => String(row[labelField] ?? row.id ?? ''),
})

const objects: Source = {
  ...named(
    '/aliases/all',
    async () => (await loadCode(() => import('@gateway/server/contract/objects'))).listAll,
    'title',
  ),
  holds: (row, kind) => {
    const id = String(row.id ?? '')
    if (kind === 'any') return id === 'any'
    if (kind === 'application') return row.type === 'l7'
    return id.startsWith(`${kind}.`)
  },
}

/** A card by its name and MAC; below it whether a cable is plugged in, and what uses it. */
const cards: Source = {
  path: '/network/cards',
  load: async () => (await loadCode(() => import('@gateway/server/contract/network'))).showCards,
  rowsIn: 'cards',
  value: (row) => String(row.mac ?? ''),
  label: (row) => `${row.name} · ${row.mac}`,
  hint: ({ has_carrier: carrier, connection }) => {
    const state = carrier === null ? t('switched off') : carrier === true ? t('link up') : t('no link')
    const title = (connection as Item | null)?.title
    return title === undefined ? state : t('{state}, used by {name}', { state, name: String(title) })
  },
}

const sources: Readonly<Record<string, Source>> = {
  card: cards,
  connection: named(
    '/network/connections',
    async () => (await loadCode(() => import('@gateway/server/contract/network'))).connections.list,
    'title',
  ),
  aggregated: named(
    '/network/aggregated',
    async () => (await loadCode(() => import('@gateway/server/contract/network'))).aggregatedInterfaces.list,
    'title',
  ),
  content_category: named(
    '/content-filter/categories',
    async () => (await loadCode(() => import('@gateway/server/contract/content-filter'))).categories.list,
  ),
  waf_category: named(
    '/reverse_proxy_backend/waf/categories',
    async () => (await loadCode(() => import('@gateway/server/contract/web-application-firewall'))).wafCategories.list,
    'title',
  ),
  access_list: named(
    '/acl/rules',
    async () => (await loadCode(() => import('@gateway/server/contract/firewall'))).accessLists.list,
  ),
  server_group: named(
    '/servers/groups',
    async () => (await loadCode(() => import('@gateway/server/contract/central-console'))).serverGroups.list,
  ),
  ips_profile: named(
    '/ips/profiles',
    async () => (await loadCode(() => import('@gateway/server/contract/intrusion-prevention'))).profiles.list,
  ),
  dpi_profile: named(
    '/api/application_control/profiles',
    async () =>
      (await loadCode(() => import('@gateway/server/contract/application-profiles'))).applicationProfiles.list,
  ),
}

/** Kinds that no list of the interface names: the person types the value. */
const unlisted = new Set(['security_group'])

/** Kinds whose list may be short of some: a card that is plugged in later. */
const alsoTyped = new Set(['card'])

export const sourceOf = (kind: string): Source | null => (unlisted.has(kind) ? null : (sources[kind] ?? objects))

/** Every source that these kinds need, once. */
export const sourcesOf = (kinds: readonly string[]): readonly Source[] => [
  ...new Set(kinds.flatMap((kind) => sourceOf(kind) ?? [])),
]

/** Some fields have the bare number of what they name: `user.id.7` is 7. */
export const bareNumber = (id: string): number | null => {
  const match = /(?:^|\.)(\d+)$/.exec(id)
  return match ? Number(match[1]) : null
}

/** Whether there is a list to choose from at all. */
export const isListed = (kinds: readonly string[]): boolean => kinds.some((kind) => sourceOf(kind) !== null)

/** Kinds of things that a value need not be chosen from: another text can be typed. */
export const takesTyped = (kinds: readonly string[]): boolean =>
  kinds.some((kind) => sourceOf(kind) === null || alsoTyped.has(kind))
