// Routes for declared lists and settings, so that an area with nothing special writes one line.

import { randomUUID } from 'node:crypto'
import type { TObject } from 'typebox'
import { say } from '../../shared/said.ts'
import type { settingsEndpoints } from '../contract/collections.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import { invalid } from '../contract/error.ts'
import { maxRows } from '../contract/table-query.ts'
import { idOf, type ListDeclaration, type SettingsDeclaration } from '../model/declarations.ts'
import type { Placement } from '../model/list-edits.ts'
import {
  addTo,
  copyIn,
  itemsIn,
  moveIn,
  removeFrom,
  replaceIn,
  requireIn,
  requireStored,
  updateIn,
  updateSettings,
} from '../model/lists.ts'
import { type Config, commonEnds, type Item, type ItemId, read, type SingleSlot } from '../model/slots.ts'
import { type CsvRow, csvHeader, csvLines, csvRows, toCsv } from './csv.ts'
import { type Context, type EditTools, handle, type Route, show } from './handle.ts'
import { streamOf } from './pieces.ts'
import { type RawReply, rawReply } from './raw-reply.ts'

type SettingsEndpoints = ReturnType<typeof settingsEndpoints<TObject>>

/** A slot alone is enough for settings without further rules. */
export function settingsRoutes<T extends object>(
  endpoints: SettingsEndpoints,
  declared: SettingsDeclaration<T> | SingleSlot<T>,
): Route[] {
  const settings = 'slot' in declared ? declared : { slot: declared, noun: '' }
  const { slot } = settings
  return [
    show(endpoints.show, (config) => read(config, slot), slot),
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
  readonly copy?: Endpoint
  readonly update?: Endpoint
  readonly replace?: Endpoint
  readonly move?: Endpoint
  readonly remove?: Endpoint
}

interface ListOptions<T extends Item> {
  /** The items as replies show them; as stored, without secrets and the owner, unless given. */
  readonly shown?: (items: readonly T[], context: Context) => unknown
  /** What is stored of a body when that takes more than the body: a sealed secret, a hash, a number of a device. */
  readonly prepare?: (context: Context, body: object) => Prepared | Promise<Prepared>
  /** Serves `copy`: how a copy differs from its original, and lists whose items are copied with their owner. */
  readonly copying?: Parameters<typeof copyIn>[5]
}

/** Called in the change's turn, with the id of the item and, for one that is there, what is stored. */
type Prepared = (id: ItemId, tools: EditTools, config: Config) => object

/**
 * The endpoints of a list. The last variable of a path is the item, the first one the owner where items have owners. A
 * creation and a copy reply with the id; an update or a replacement whose endpoint has a reply gives the item.
 */
export function listRoutes<T extends Item>(
  endpoints: ListEndpoints,
  list: ListDeclaration<T>,
  { shown: ownShown, prepare = asSent, copying }: ListOptions<T> = {},
): Route[] {
  const { slot } = list
  const stored = asStored(list)
  const shown = ownShown ?? stored
  const ownerIn = ({ params }: Context): string | undefined => (list.owner ? firstIn(params) : undefined)
  const shownItem = (item: T, context: Context): unknown => ([shown([item], context)].flat() as unknown[])[0]
  const route = (endpoint: Endpoint | undefined, answer: (context: Context) => unknown): Route[] =>
    endpoint ? [handle(endpoint, answer, { slot })] : []
  // What an owner has depends on two lists, so the tag of one of them does not prove that it is the same.
  const reading = (endpoint: Endpoint | undefined, answer: (context: Context) => unknown): Route[] =>
    endpoint ? [handle(endpoint, answer, list.owner ? {} : { slot })] : []
  const listing = (endpoint: Endpoint): Route[] =>
    list.owner || ownShown
      ? reading(endpoint, (context) => {
          const owner = ownerIn(context)
          requireOwnerIn(context.config, list, owner)
          return shown(itemsIn(context.config, list, owner), context)
        })
      : [show(endpoint, (config) => stored(itemsIn(config, list, undefined)), slot)]
  const editing = (
    endpoint: Endpoint | undefined,
    edit: (config: Config, id: string, body: object, owner: string | undefined) => Config,
  ): Route[] =>
    route(endpoint, async (context) => {
      const prepared = await prepare(context, context.body as object)
      const [id, owner] = [itemIn(context.params), ownerIn(context)]
      return context.change((config, tools) => {
        const { id: stored } = requireStored(config, list, id, owner)
        const next = edit(config, id, prepared(stored, tools, config), owner)
        return [next, endpoint?.reply ? shownItem(requireIn(next, list, id, owner), context) : undefined] as const
      })
    })
  return [
    ...(endpoints.list ? listing(endpoints.list) : []),
    ...reading(endpoints.show, (context) => {
      const owner = ownerIn(context)
      requireOwnerIn(context.config, list, owner)
      return shownItem(requireIn(context.config, list, itemIn(context.params), owner), context)
    }),
    ...route(endpoints.create, async (context) => {
      const prepared = await prepare(context, context.body as object)
      const owner = ownerIn(context)
      return context.change((config, tools) => {
        // The owner's id as it is stored: that of a path is always a text.
        const ownerField =
          list.owner && owner !== undefined
            ? { [list.owner.field]: requireStored(config, list.owner.list, owner).id }
            : {}
        const [id, shownId] = newId(list, tools)
        const body = { ...prepared(id, tools, config), ...ownerField }
        return [addTo(config, list, id, body, context.query as Placement), { id: shownId }] as const
      })
    }),
    ...route(copying && endpoints.copy, ({ params, change }) =>
      change((config, tools) => {
        const [id, shownId] = newId(list, tools)
        const newIdOf = (owned: ListDeclaration): ItemId => newId(owned, tools)[0]
        return [copyIn(config, list, itemIn(params), id, newIdOf, copying), { id: shownId }] as const
      }),
    ),
    ...editing(endpoints.update, (config, id, patch, owner) => updateIn(config, list, id, patch, owner)),
    ...editing(endpoints.replace, (config, id, body, owner) => replaceIn(config, list, id, body, owner)),
    ...route(endpoints.move, ({ body, change }) => {
      const { params } = body as { readonly params: Placement & Readonly<Record<string, ItemId>> }
      const { anchor_item_id, insert_after } = params
      const names = namesMoved(endpoints.move)
      const owner = list.owner ? params[names[0] ?? ''] : undefined
      const placement = {
        ...(anchor_item_id === undefined ? {} : { anchor_item_id }),
        ...(insert_after === undefined ? {} : { insert_after }),
      }
      return change((config) => moveIn(config, list, params[names.at(-1) ?? ''] ?? '', placement, owner))
    }),
    ...route(endpoints.remove, (context) => {
      const [id, owner] = [itemIn(context.params), ownerIn(context)]
      return context.change((config, tools) => removeFrom(config, list, id, tools.referencesTo, owner))
    }),
  ]
}

const asSent =
  (_: Context, body: object): Prepared =>
  () =>
    body

const itemIn = (params: Context['params']): string => Object.values(params).at(-1) ?? ''

function firstIn(params: Context['params']): string {
  const [first] = Object.values(params)
  if (first === undefined) throw new Error('a path of a list with owners does not name the owner')
  return first
}

function requireOwnerIn(config: Config, { owner }: ListDeclaration, id: ItemId | undefined): void {
  if (owner && id !== undefined) requireIn(config, owner.list, id)
}

/** The fields of a move that name the owner, if there is one, and the item. In the order of the schema: a body has any order. */
function namesMoved(endpoint: Endpoint | undefined): readonly string[] {
  const { params } = (endpoint?.body as TObject | null | undefined)?.properties ?? {}
  return Object.keys((params as TObject | undefined)?.properties ?? {}).filter(
    (name) => name !== 'anchor_item_id' && name !== 'insert_after',
  )
}

/** The id that is stored, and the one that the reply shows. */
export function newId({ ids, slot }: ListDeclaration, tools: EditTools): readonly [ItemId, ItemId] {
  if (ids.kind === 'given') throw new Error(`an item of ${slot.key} brings its id along`)
  if (ids.kind === 'uuid') {
    const id = randomUUID()
    return [id, id]
  }
  const number = tools.nextId(slot)
  const id = idOf(ids, number)
  return [id, ids.kind === 'prefixed' && ids.isShownAsNumber ? number + (ids.after ?? 0) : id]
}

/** After a change the items that stayed are the very values whose bytes are kept. */
function asStored<T extends Item>({
  secrets = [],
  owner,
}: ListDeclaration<T>): (items: readonly T[]) => readonly object[] {
  const hidden = [...secrets, ...(owner ? [owner.field] : [])]
  if (hidden.length === 0) return (items) => items
  return perItem((item: T) => Object.fromEntries(Object.entries(item).filter(([name]) => !hidden.includes(name))))
}

/** The list as the query asks for it: JSON, or CSV of the named columns. */
export function tableReply<T extends object>(
  query: { readonly format_type?: 'JSON' | 'CSV'; readonly columns?: readonly string[] },
  allColumns: readonly string[],
  rows: readonly T[],
): T[] | RawReply {
  if (query.format_type !== 'CSV') return rows as T[]
  return csvReply(query.columns && query.columns.length > 0 ? query.columns : allColumns, rows)
}

/** Longer tables are made while they are sent. */
const wholeRows = 200

export function csvReply(columns: readonly string[], rows: readonly object[]): RawReply {
  const table = rows as readonly CsvRow[]
  const isShort = table.length <= wholeRows
  return rawReply('text/csv; charset=utf-8', isShort ? toCsv(columns, table) : streamOf(csvLines(columns, table)))
}

/** A table that is read while it is sent. */
export function csvOfPages(columns: readonly string[], pages: AsyncIterable<readonly object[]>): RawReply {
  async function* texts(): AsyncGenerator<string> {
    yield csvHeader(columns)
    for await (const rows of pages) yield csvRows(columns, rows as readonly CsvRow[])
  }
  return rawReply('text/csv; charset=utf-8', texts())
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

interface Pieces {
  texts(columns: readonly string[] | null): AsyncIterable<{ readonly bytes: Uint8Array; readonly rows: number }>
}

interface AskedFile {
  readonly sort?: readonly unknown[] | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  readonly format_type?: string | undefined
}

/** Sorted rows are held until all are known, so there are not more than a reply may have. A file that ended there would look
 *  whole. */
export async function refuseLongSort(found: Pieces & { readonly total: number }, asked: AskedFile): Promise<void> {
  const { sort = [], limit, offset = 0, format_type } = asked
  const rows = found.total - offset
  if (format_type !== 'CSV' || sort.length === 0 || limit !== undefined || rows <= maxRows) return
  // Gives back the place of this query.
  for await (const _piece of found.texts(null)) break
  const [most, all] = [maxRows, rows].map((count) => count.toLocaleString('en'))
  throw invalid(
    'sort',
    say`Sorted CSV has at most ${most} rows, and ${all} match. Leave the sort out, set a limit or narrow the filter.`,
  )
}

/** The rows that a log query found: CSV of these columns, or JSON between a beginning and an end, sent in pieces. */
export function logReply(
  found: Pieces,
  columns: readonly string[] | null,
  [begin, end]: readonly [string, (rows: number) => string] = ['[', () => ']'],
): RawReply {
  return columns
    ? rawReply('text/csv; charset=utf-8', csvPieces(found, columns))
    : rawReply('application/json; charset=utf-8', jsonPieces(found, begin, end))
}

async function* csvPieces(found: Pieces, columns: readonly string[]): AsyncGenerator<Uint8Array | string> {
  yield csvHeader(columns)
  for await (const { bytes } of found.texts(columns)) yield bytes
}

async function* jsonPieces(
  found: Pieces,
  begin: string,
  end: (rows: number) => string,
): AsyncGenerator<Uint8Array | string> {
  yield begin
  let sent = 0
  for await (const { bytes, rows } of found.texts(null)) {
    if (rows === 0) continue
    if (sent > 0) yield ','
    yield bytes
    sent += rows
  }
  yield end(sent)
}
