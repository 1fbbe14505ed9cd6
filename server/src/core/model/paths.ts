// How messages, diffs and rendered configurations name a place of the configuration: `vpn.access_rules[7].sources[0]`.

import type { Problem } from '../contract/error.ts'
import type { ItemId } from './slots.ts'

export const pathOf = (slot: { readonly key: string }, id: ItemId): string => `${slot.key}[${id}]`

/** The same problems, with the fields named from the top of the configuration. */
export const under = (path: string, problems: readonly Problem[]): Problem[] =>
  problems.map(({ field, message }) => ({ field: field === '' ? path : `${path}.${field}`, message }))
