// Which users and groups are among objects, also in lists: their addresses are not all known before a packet comes. Pure.

import { findIn } from '../../core/model/item-index.ts'
import type { Config } from '../../core/model/slots.ts'
import { addressLists } from './config.ts'

const none: readonly string[] = []

/** Ids of the users and groups, sorted; each once. */
export function membersIn(config: Config, ids: readonly string[]): readonly string[] {
  let found: string[] | null = null
  for (const id of ids) {
    const members = membersOf(config, id)
    if (members.length > 0) found = [...(found ?? []), ...members]
  }
  return found === null ? none : [...new Set(found)].sort()
}

const isMember = (id: string): boolean => /^(?:user|group)\.id\.\d+$/.test(id)

function membersOf(config: Config, id: string): readonly string[] {
  if (isMember(id)) return [id]
  return id.startsWith('address_list.') ? membersOfList(config, findIn(config, addressLists, id)?.values) : none
}

const remembered = new WeakMap<readonly string[], { readonly lists: unknown; readonly members: readonly string[] }>()

/** Thousands of rules may name the same long list, so each is looked through once. */
function membersOfList(config: Config, values: readonly string[] | undefined): readonly string[] {
  if (values === undefined) return none
  const lists = config[addressLists.key]
  const known = remembered.get(values)
  if (known !== undefined && known.lists === lists) return known.members
  const members = membersIn(config, values)
  remembered.set(values, { lists, members })
  return members
}
