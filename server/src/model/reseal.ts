// Every secret of a configuration with the place it belongs to, wherever it is stored.

import { isSealed, type Sealed } from './secret.ts'
import type { Config, Item } from './slots.ts'

export type Reseal = (secret: Sealed, place: string) => Sealed

/** Places are `<slot>/<item id>/<field>` with an empty id for settings; nested fields are joined by dots. */
export function resealAll(config: Config, reseal: Reseal): Config {
  return Object.fromEntries(
    Object.entries(config).map(([slot, value]) => [
      slot,
      Array.isArray(value)
        ? value.map((item: Item) => resealFields(item, `${slot}/${item.id}/`, '', reseal))
        : resealFields(value, `${slot}//`, '', reseal),
    ]),
  )
}

function resealFields(value: unknown, prefix: string, path: string, reseal: Reseal): unknown {
  if (isSealed(value)) return reseal(value, `${prefix}${path}`)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      resealFields(inner, prefix, path ? `${path}.${name}` : name, reseal),
    ]),
  )
}
