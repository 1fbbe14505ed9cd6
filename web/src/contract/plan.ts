// From a draft to the calls that make it so: which path variables, which body, which place in an ordered list. Pure.

import type { Endpoint } from '@gateway/server/contract'
import type { PlannedCall } from '../api/change.ts'
import type { Collection, Item } from './define.ts'
import { patchBody, wholeBody, wholeNew } from './draft.ts'
import { bodyObject, emptyItem, type FormField, formFields, mainSchema, type Schema, unseenFields } from './schema.ts'

/** Values of path variables that belong to what is around a list, such as the profile of its rules. */
export type Around = Readonly<Record<string, string | number>>

/** Where a new or moved item goes: before or after another one; null: at the end. */
export interface Spot {
  readonly anchor: string | number
  readonly isAfter: boolean
}

/** Variables of the path: those around the list by name, the rest is the item. */
export const paramsOf = (endpoint: Endpoint, around: Around, id: unknown): Record<string, string | number> =>
  Object.fromEntries(endpoint.params.map((name) => [name, around[name] ?? (id as string | number)]))

/** What is around a list inside of an item: the first variable of its path that the item is. */
export const aroundOf = (list: Endpoint, id: unknown): Around =>
  Object.fromEntries(list.params.slice(0, 1).map((name) => [name, id as string | number]))

export const idOf = ({ idField = 'id' }: Pick<Collection, 'idField'>, item: Item): string => String(item[idField] ?? '')

/** How a call names the item that another one goes beside. */
export const anchorOf = ({ idField = 'id' }: Pick<Collection, 'idField'>, item: Item): string | number =>
  item[idField] as string | number

export const changeEndpoint = ({ endpoints }: Pick<Collection, 'endpoints'>): Endpoint | undefined =>
  endpoints.update ?? endpoints.replace

/** A call that takes any subset of the fields, or the whole object. */
export const takesSubset = (endpoint: Endpoint): boolean =>
  (bodyObject(endpoint.body as Schema | null).required ?? []).length === 0

const isWholeCall = (endpoint: Endpoint): boolean => endpoint.method === 'PUT' || !takesSubset(endpoint)

/** The schema of one row of a list. */
export function rowSchema({ endpoints, rowsIn }: Pick<Collection, 'endpoints' | 'rowsIn'>): Schema {
  return rowsOfSchema(endpoints.list.reply as Schema | null, rowsIn)
}

export function rowsOfSchema(reply: Schema | null, rowsIn: string | undefined): Schema {
  const list = rowsIn === undefined || rowsIn === '' ? reply : reply?.properties?.[rowsIn]
  return mainSchema(mainSchema(list ?? {}).schema.items ?? {}).schema
}

export function rowsIn(reply: unknown, field: string | undefined): readonly Item[] {
  const list = field === undefined || field === '' ? reply : (reply as Item | undefined)?.[field]
  return Array.isArray(list) ? (list as Item[]) : []
}

/** The fields of the form: of a new item those of the creation, of an existing one those of the change. */
export function itemFields(collection: Collection, isNew: boolean): FormField[] {
  const endpoint = isNew ? collection.endpoints.create : changeEndpoint(collection)
  const body = (endpoint?.body ?? null) as Schema | null
  const fields = body ? formFields(body, collection.fields) : []
  return isNew ? fields : fields.filter(({ spec }) => spec.isOnlyNew !== true)
}

/** Fields of a row that no call changes, such as counters and states. */
export function shownOnly(collection: Collection, editable: readonly FormField[]): FormField[] {
  const names = new Set(editable.map(({ name }) => name))
  const { idField = 'id' } = collection
  return formFields(rowSchema(collection), collection.fields).filter(({ name }) => !names.has(name) && name !== idField)
}

/** The values of a row as a draft begins: fields that the list does not show, such as passwords, begin empty. */
export function startOf(fields: readonly FormField[], row: Item, empty: Item): Item {
  return Object.fromEntries(fields.map(({ name }) => [name, Object.hasOwn(row, name) ? row[name] : empty[name]]))
}

export interface CallParts {
  readonly around: Around
  readonly etag: string | null
}

export function createCall(
  collection: Collection,
  value: Item,
  { around, etag, spot }: CallParts & { readonly spot: Spot | null },
): PlannedCall {
  const endpoint = collection.endpoints.create
  if (!endpoint) throw new Error('nothing can be added here')
  const fields = itemFields(collection, true)
  const query = spot === null ? {} : { anchor_item_id: spot.anchor, insert_after: spot.isAfter }
  return {
    endpoint,
    params: paramsOf(endpoint, around, ''),
    ...(spot === null ? {} : { query }),
    body: { ...emptyItem(unseenFields(endpoint.body as Schema, collection.fields)), ...wholeNew(fields, value) },
    etag,
  }
}

export function changeCall(
  collection: Collection,
  { base, value, row }: { readonly base: Item; readonly value: Item; readonly row: Item },
  { around, etag }: CallParts,
): PlannedCall {
  const endpoint = changeEndpoint(collection)
  if (!endpoint) throw new Error('nothing can be changed here')
  const schema = endpoint.body as Schema
  const body = isWholeCall(endpoint) ? wholeBody(schema, { ...row, ...base, ...value }) : patchBody(schema, base, value)
  return { endpoint, params: paramsOf(endpoint, around, idOf(collection, row)), body, etag }
}

export function removeCall(collection: Collection, row: Item, { around, etag }: CallParts): PlannedCall {
  const endpoint = collection.endpoints.remove
  if (!endpoint) throw new Error('nothing can be removed here')
  return { endpoint, params: paramsOf(endpoint, around, idOf(collection, row)), etag }
}

const placeNames = new Set(['anchor_item_id', 'insert_after'])

/** One item goes before or after another one. */
export function moveCall(collection: Collection, row: Item, spot: Spot, { around, etag }: CallParts): PlannedCall {
  const endpoint = collection.endpoints.move
  if (!endpoint) throw new Error('nothing can be moved here')
  const { idField = 'id' } = collection
  const { properties = {} } = mainSchema((endpoint.body as Schema).properties?.params ?? {}).schema
  const which = Object.keys(properties).filter((name) => !placeNames.has(name))
  const params = {
    ...Object.fromEntries(which.map((name) => [name, around[name] ?? row[idField]])),
    anchor_item_id: spot.anchor,
    insert_after: spot.isAfter,
  }
  return { endpoint, params: paramsOf(endpoint, around, row[idField]), body: { params }, etag }
}

/** A block goes before or after another row: each after the one before it, so that their order stays. */
export function moveCalls(
  collection: Collection,
  rows: readonly Item[],
  spot: Spot,
  parts: CallParts,
): readonly PlannedCall[] {
  const { idField = 'id' } = collection
  return rows.map((row, at) => {
    const before = rows[at - 1]
    const own = before === undefined ? spot : { anchor: before[idField] as string | number, isAfter: true }
    return moveCall(collection, row, own, { ...parts, etag: at === 0 ? parts.etag : null })
  })
}

/** The order after a block was moved, to draw it before the gateway has answered. */
export function moved(rows: readonly Item[], chosen: readonly Item[], spot: Spot, idField = 'id'): readonly Item[] {
  const ids = new Set(chosen.map((row) => row[idField]))
  const rest = rows.filter((row) => !ids.has(row[idField]))
  const at = rest.findIndex((row) => row[idField] === spot.anchor)
  if (at < 0) return rows
  const cut = spot.isAfter ? at + 1 : at
  return [...rest.slice(0, cut), ...chosen, ...rest.slice(cut)]
}

/** Where a block goes when it is moved by one step; null at the end of the list. */
export function stepSpot(rows: readonly Item[], chosen: readonly Item[], isDown: boolean, idField = 'id'): Spot | null {
  const ids = new Set(chosen.map((row) => row[idField]))
  const places = rows.flatMap((row, at) => (ids.has(row[idField]) ? [at] : []))
  const edge = isDown ? Math.max(...places) + 1 : Math.min(...places) - 1
  const anchor = rows[edge]
  return anchor === undefined ? null : { anchor: anchor[idField] as string | number, isAfter: isDown }
}

/** "to 120", "top", "end": the place in the list that a person names, counted from 1. */
export function spotAt(rows: readonly Item[], chosen: readonly Item[], position: number, idField = 'id'): Spot | null {
  const ids = new Set(chosen.map((row) => row[idField]))
  const rest = rows.filter((row) => !ids.has(row[idField]))
  const last = rest.at(-1)
  if (last === undefined) return null
  const anchor = rest[Math.max(0, position - 1)]
  if (anchor === undefined) return { anchor: last[idField] as string | number, isAfter: true }
  return { anchor: anchor[idField] as string | number, isAfter: false }
}
