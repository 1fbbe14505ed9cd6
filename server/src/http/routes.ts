// Routes for declared lists and settings, so that an area with nothing special writes one line.

import { randomUUID } from 'node:crypto'
import { setImmediate as others } from 'node:timers/promises'
import type { TObject } from 'typebox'
import type { settingsEndpoints } from '../contract/collections.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import { idOf, type ListDeclaration, type SettingsDeclaration } from '../model/declarations.ts'
import type { Placement } from '../model/list-edits.ts'
import { addTo, itemsIn, moveIn, removeFrom, replaceIn, requireIn, updateIn, updateSettings } from '../model/lists.ts'
import { type Config, commonEnds, type Item, type ItemId, read, type SingleSlot } from '../model/slots.ts'
import { toCsv } from './csv.ts'
import { type Context, type EditTools, handle, type RawReply, type Route, rawReply } from './handle.ts'

type SettingsEndpoints = ReturnType<typeof settingsEndpoints<TObject>>

/** A slot alone is enough for settings without further rules. */
export function settingsRoutes<T extends object>(
  endpoints: SettingsEndpoints,
  declared: SettingsDeclaration<T> | SingleSlot<T>,
): Route[] {
  const settings = 'slot' in declared ? declared : { slot: declared, noun: '' }
  const { slot } = settings
  return [
    handle<Endpoint>(endpoints.show, ({ config }) => read(config, slot), { slot }),
    handle<Endpoint>(
      endpoints.update,
      ({ body, change }) => change((config) => updateSettings(config, settings, body as Partial<T>)),
      { slot },
    ),
  ]
}

/** An area answers itself what it leaves out here. */
interface ListEndpoints {
  readonly list?: Endpoint
  readonly show?: Endpoint
  readonly create?: Endpoint
  readonly update?: Endpoint
  readonly replace?: Endpoint
  readonly move?: Endpoint
  readonly remove?: Endpoint
}

interface ListOptions<T extends Item> {
  /** The items as replies show them; as stored, without secrets, unless given. */
  readonly shown?: (items: readonly T[], context: Context) => unknown
  /** What is stored of a body when that takes more than the body: a sealed secret, a hash, a number of a device. */
  readonly prepare?: (context: Context, body: object) => Prepared | Promise<Prepared>
}

/** Called in the change's turn, with the id of the item and, for one that is there, what is stored. */
type Prepared = (id: ItemId, tools: EditTools, config: Config) => object

/**
 * The endpoints of a list. The last variable of a path is the item, the first one the owner where items have owners; what
 * the reply of a creation shows is the id.
 */
export function listRoutes<T extends Item>(
  endpoints: ListEndpoints,
  list: ListDeclaration<T>,
  { shown = withoutSecrets(list), prepare = asSent }: ListOptions<T> = {},
): Route[] {
  const { slot } = list
  const ownerIn = ({ params }: Context): string | undefined => (list.owner ? requireOwner(list, params) : undefined)
  const route = (endpoint: Endpoint | undefined, answer: (context: Context) => unknown): Route[] =>
    endpoint ? [handle(endpoint, answer, { slot })] : []
  const editing =
    (edit: (config: Config, id: string, body: object, owner: string | undefined) => Config) =>
    async (context: Context): Promise<void> => {
      const prepared = await prepare(context, context.body as object)
      const [id, owner] = [itemIn(context.params), ownerIn(context)]
      return context.change((config, tools) => {
        requireOwnerIn(config, list, owner)
        const { id: stored } = requireIn(config, list, id, owner)
        return edit(config, id, prepared(stored, tools, config), owner)
      })
    }
  return [
    ...route(endpoints.list, (context) => {
      const owner = ownerIn(context)
      requireOwnerIn(context.config, list, owner)
      return shown(itemsIn(context.config, list, owner), context)
    }),
    ...route(endpoints.show, (context) => {
      const item = requireIn(context.config, list, itemIn(context.params), ownerIn(context))
      return ([shown([item], context)].flat() as unknown[])[0]
    }),
    ...route(endpoints.create, async (context) => {
      const prepared = await prepare(context, context.body as object)
      const owner = ownerIn(context)
      const ownerField = list.owner && owner !== undefined ? { [list.owner.field]: owner } : {}
      return context.change((config, tools) => {
        requireOwnerIn(config, list, owner)
        const [id, shownId] = newId(list, tools)
        const body = { ...prepared(id, tools, config), ...ownerField }
        return [addTo(config, list, id, body, context.query as Placement), { id: shownId }] as const
      })
    }),
    ...route(
      endpoints.update,
      editing((config, id, patch, owner) => updateIn(config, list, id, patch, owner)),
    ),
    ...route(
      endpoints.replace,
      editing((config, id, body, owner) => replaceIn(config, list, id, body, owner)),
    ),
    ...route(endpoints.move, ({ body, change }) => {
      const { params } = body as { readonly params: Placement & Readonly<Record<string, ItemId>> }
      const { anchor_item_id, insert_after, ...names } = params
      const owner = list.owner ? Object.values(names)[0] : undefined
      const placement = {
        ...(anchor_item_id === undefined ? {} : { anchor_item_id }),
        ...(insert_after === undefined ? {} : { insert_after }),
      }
      return change((config) => {
        requireOwnerIn(config, list, owner)
        return moveIn(config, list, Object.values(names).at(-1) ?? '', placement, owner)
      })
    }),
    ...route(endpoints.remove, (context) => {
      const [id, owner] = [itemIn(context.params), ownerIn(context)]
      return context.change((config, tools) => {
        requireOwnerIn(config, list, owner)
        return removeFrom(config, list, id, tools.referencesTo, owner)
      })
    }),
  ]
}

const asSent =
  (_: Context, body: object): Prepared =>
  () =>
    body

const itemIn = (params: Context['params']): string => Object.values(params).at(-1) ?? ''

function requireOwner({ owner }: ListDeclaration, params: Context['params']): string {
  const [first] = Object.values(params)
  if (first === undefined) throw new Error(`a path of a list owned by a ${owner?.list.noun} names no owner`)
  return first
}

function requireOwnerIn(config: Config, { owner }: ListDeclaration, id: ItemId | undefined): void {
  if (owner && id !== undefined) requireIn(config, owner.list, id)
}

/** The id that is stored, and the one that the reply shows. */
export function newId({ ids, slot }: ListDeclaration, tools: EditTools): readonly [ItemId, ItemId] {
  if (ids.kind === 'uuid') {
    const id = randomUUID()
    return [id, id]
  }
  const number = tools.nextId(slot)
  const id = idOf(ids, number)
  return [id, ids.kind === 'prefixed' && ids.isShownAsNumber ? number + (ids.after ?? 0) : id]
}

/** After a change the items that stayed are the very values whose bytes are kept. */
function withoutSecrets<T extends Item>({
  secrets = [],
}: ListDeclaration<T>): (items: readonly T[]) => readonly object[] {
  if (secrets.length === 0) return (items) => items
  return perItem((item: T) => Object.fromEntries(Object.entries(item).filter(([name]) => !secrets.includes(name))))
}
/** The list in the format the query requests: JSON, or CSV of the named columns. */
export function tableReply<T extends object>(
  query: { readonly format_type?: 'JSON' | 'CSV'; readonly columns?: readonly string[] },
  allColumns: readonly string[],
  rows: readonly T[],
): T[] | RawReply {
  if (query.format_type !== 'CSV') return rows as T[]
  const columns = query.columns && query.columns.length > 0 ? query.columns : allColumns
  return rawReply('text/csv; charset=utf-8', toCsv(columns, rows as readonly Readonly<Record<string, unknown>>[]))
}

/** Remembers what an immutable value was turned into, so that replies of unchanged lists keep their bytes. */
export function perValue<A extends object, B extends object>(turn: (value: A) => B): (value: A) => B {
  const known = new WeakMap<A, B>()
  return (value) => {
    const found = known.get(value)
    if (found) return found
    const made = turn(value)
    known.set(value, made)
    return made
  }
}

/** A list with each item shown in its way. After a change the others stay the very values whose bytes are kept. */
export function perItem<A extends object, B extends object>(show: (item: A) => B): (items: readonly A[]) => B[] {
  const shown = perValue(show)
  let last: { readonly items: readonly A[]; readonly made: B[] } = { items: [], made: [] }
  return perValue((items: readonly A[]) => {
    // Most often one item differs from the last time; looking each of fifty thousand up would take longer than sending them.
    const [head, tail] = commonEnds(last.items, items)
    const between = items.slice(head, items.length - tail).map(shown)
    const made = last.made.slice(0, head).concat(between, last.made.slice(last.made.length - tail))
    last = { items, made }
    return made
  })
}

/** Records looked at before others get their turn; about ten milliseconds. */
const stepRecords = 2_000

/** Every record of a journal, newest first, in steps between which other requests are answered. */
export async function* pagesOf<T extends { readonly sequence: number }>(
  pageBefore: (sequence: number, limit: number) => readonly T[],
): AsyncGenerator<readonly T[]> {
  let oldest = Number.MAX_SAFE_INTEGER
  for (;;) {
    const page = pageBefore(oldest, stepRecords)
    yield page
    const last = page.at(-1)
    if (!last || page.length < stepRecords) return
    oldest = last.sequence
    await others()
  }
}
