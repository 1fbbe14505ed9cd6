// Every secret of a configuration with the place it belongs to, wherever it is stored.

import { isSealed, isUnsealed, type Sealed } from './secret.ts'
import type { Config, Item, ItemId } from './slots.ts'

export type Reseal = (secret: Sealed, place: string) => Sealed

export type Seal = (clear: string, place: string) => Sealed

/** Places are `<slot>/<item id>/<field>` with an empty id for settings; nested fields are joined by dots. */
export const resealAll = (config: Config, reseal: Reseal): Config =>
  Object.fromEntries(
    Object.entries(config).map(([slot, value]) => [
      slot,
      Array.isArray(value)
        ? value.map((item: Item) => replaced(item, `${slot}/${item.id}/`, '', isSealed, reseal))
        : replaced(value, `${slot}//`, '', isSealed, reseal),
    ]),
  )

/** Seals what an upgrade step left in clear in one item of a list, or in settings (`id` is empty). */
export const sealFields = (slot: string, id: ItemId | '', value: unknown, seal: Seal): unknown =>
  replaced(value, `${slot}/${id}/`, '', isUnsealed, ({ unsealed }, place) => seal(unsealed, place))

function replaced<T>(
  value: unknown,
  prefix: string,
  path: string,
  isOne: (value: unknown) => value is T,
  replace: (one: T, place: string) => Sealed,
): unknown {
  if (isOne(value)) return replace(value, `${prefix}${path}`)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      replaced(inner, prefix, path ? `${path}.${name}` : name, isOne, replace),
    ]),
  )
}
