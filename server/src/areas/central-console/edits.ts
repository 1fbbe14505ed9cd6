// Removes a server group of the console.

import { type ReferencesTo, removeFrom } from '../../core/model/lists.ts'
import { type Config, type Item, type ListSlot, read, write } from '../../core/model/slots.ts'
import { groups, root, servers } from './config.ts'
import { groupList } from './lists.ts'

/** Groups and gateways of the group move to the root; its rules are removed (docs/behaviour/central-console.md 2.4). */
export function removeGroup(config: Config, id: string, referencesTo: ReferencesTo): Config {
  return removeFrom(toRoot(toRoot(config, groups, id), servers, id), groupList, id, referencesTo)
}

function toRoot<T extends Item & { readonly parent_id: string | null }>(
  config: Config,
  slot: ListSlot<T>,
  id: string,
): Config {
  const items = read(config, slot)
  if (!items.some(({ parent_id }) => parent_id === id)) return config
  return write(
    config,
    slot,
    items.map((item) => (item.parent_id === id ? { ...item, parent_id: root.id } : item)),
  )
}
