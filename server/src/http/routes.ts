// Routes for the declared shapes of contract/collections.ts, so that an area with nothing special writes one line.

import { randomUUID } from 'node:crypto'
import { setImmediate as others } from 'node:timers/promises'
import type { TObject } from 'typebox'
import type { settingsEndpoints } from '../contract/collections.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import { addTo, type ItemList, replaceIn, updateIn } from '../model/item-list.ts'
import { moveItem, type Placement, removeItem, updateSingle } from '../model/list-edits.ts'
import { type Config, commonEnds, type Item, read, type SingleSlot } from '../model/slots.ts'
import { toCsv } from './csv.ts'
import { type Handler, handle, type RawReply, type Route, rawReply } from './handle.ts'

export const settingsRoutes = <T extends object>(
  endpoints: ReturnType<typeof settingsEndpoints<TObject>>,
  slot: SingleSlot<T>,
): Route[] => [
  handle(endpoints.show, ({ config }) => read(config, slot) as never, { slot }),
  handle(endpoints.update, ({ body, change }) => change((config) => updateSingle(config, slot, body as Partial<T>)), {
    slot,
  }),
]

/** An area answers itself what it leaves out here. */
interface ListEndpoints {
  readonly list?: Endpoint
  readonly create?: Endpoint
  readonly update?: Endpoint
  readonly replace?: Endpoint
  readonly remove?: Endpoint
}

interface OrderedEndpoints extends ListEndpoints {
  readonly move?: Endpoint
}

type StringItem = Item & { readonly id: string }
type IntegerItem = Item & { readonly id: number }

/** Items with ids that tell nothing, in the order of their creation. */
export function collectionRoutes<T extends StringItem>(endpoints: ListEndpoints, list: ItemList<T>): Route[] {
  const create: Handler<Endpoint> = async ({ body, change }) => {
    const id = randomUUID()
    await change((config) => addTo(config, list, id, body as object))
    return { id } as never
  }
  return [...itemRoutes(endpoints, list), ...answered(endpoints.create, list, create)]
}

/** Numbered items in an order that administrators decide. */
export function orderedRoutes<T extends IntegerItem>(endpoints: OrderedEndpoints, list: ItemList<T>): Route[] {
  const { slot, item } = list
  const create: Handler<Endpoint> = ({ body, query, change }) =>
    change((config, tools) => {
      const id = tools.nextId(slot)
      return [addTo(config, list, id, body as object, query as Placement), { id }] as const
    }) as never
  const move: Handler<Endpoint> = ({ body, change }) => {
    const { id, ...placement } = (body as { params: Placement & { id: number } }).params
    return change((config) => moveItem(config, slot, id, placement, item)) as never
  }
  return [
    ...itemRoutes(endpoints, list),
    ...answered(endpoints.create, list, create),
    ...answered(endpoints.move, list, move),
  ]
}

/** What every list has, whatever its ids and its order. */
function itemRoutes<T extends Item>(endpoints: ListEndpoints, list: ItemList<T>): Route[] {
  const { slot, item } = list
  const byPath =
    (edit: (config: Config, id: string, body: object) => Config): Handler<Endpoint> =>
    ({ params, body, change }) =>
      change((config) => edit(config, Object.values(params).at(-1) ?? '', body as object)) as never
  return [
    ...answered(endpoints.list, list, ({ config }) => read(config, slot) as never),
    ...answered(
      endpoints.update,
      list,
      byPath((config, id, patch) => updateIn(config, list, id, patch)),
    ),
    ...answered(
      endpoints.replace,
      list,
      byPath((config, id, body) => replaceIn(config, list, id, body)),
    ),
    ...answered(
      endpoints.remove,
      list,
      byPath((config, id) => removeItem(config, slot, id, item)),
    ),
  ]
}

const answered = (
  endpoint: Endpoint | undefined,
  { slot }: Pick<ItemList<Item>, 'slot'>,
  answer: Handler<Endpoint>,
): Route[] => (endpoint ? [handle(endpoint, answer, { slot })] : [])

/** The list as the query asks for it: JSON, or CSV of the named columns. */
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
