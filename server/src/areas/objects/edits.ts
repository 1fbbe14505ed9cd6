// What can be done to objects: add, update, and remove when nobody uses them.

import { invalid, refuse } from '../../contract/error.ts'
import { addItem, removeItem, requireItem, updateItem } from '../../model/list-edits.ts'
import type { Reference } from '../../model/references.ts'
import { refuseInUse } from '../../model/references.ts'
import { type Config, read } from '../../model/slots.ts'
import { addressLists, countryLists, type ObjectKind, portLists, type StoredObject, timeLists } from './config.ts'
import { verifyObject } from './verify.ts'

/** A checked body; which fields it has depends on the kind. */
export type Fields = Readonly<Record<string, unknown>>

const listPrefixes = new Set(['address_list', 'ip_address_list', 'port_list', 'time_list', 'list_of_iplists'])

export function addObject(config: Config, kind: ObjectKind, number: number, body: Fields): readonly [Config, string] {
  const fields = fieldsOf(kind, body)
  if (listPrefixes.has(kind.prefix) && !('values' in fields)) throw invalid('values', 'This field is missing.')
  const id = `${kind.prefix}.id.${number}`
  const defaults = { comment: '', ...(kind.prefix === 'time_range' ? { period: null } : {}) }
  const object = { id, ...defaults, ...fields } as unknown as StoredObject
  refuse(verifyObject(config, kind.prefix, object))
  return [addItem(config, kind.slot, object), id]
}

export function updateObject(config: Config, kind: ObjectKind, id: string, body: Fields): Config {
  const current = requireItem(config, kind.slot, id, kind.item)
  const object = { ...current, ...fieldsOf(kind, body) }
  refuse(verifyObject(config, kind.prefix, object))
  return updateItem(config, kind.slot, object)
}

export function removeObject(config: Config, kind: ObjectKind, id: string, users: readonly Reference[]): Config {
  const { title } = requireItem(config, kind.slot, id, kind.item)
  refuseInUse(`${kind.item} "${title}"`, users)
  return removeItem(config, kind.slot, id, kind.item)
}

/** Lists are stored as `values`, whichever of the two words the body has. */
function fieldsOf(kind: ObjectKind, body: Fields): Fields {
  if (!listPrefixes.has(kind.prefix) || !('value' in body)) return body
  if ('values' in body) throw invalid('value', 'Send either values or value, not both: they mean the same.')
  const { value, ...rest } = body
  return { ...rest, values: value }
}

const memberLists = [
  { slot: addressLists, title: 'List of IP objects' },
  { slot: portLists, title: 'List of ports' },
  { slot: timeLists, title: 'Schedule' },
  { slot: countryLists, title: 'List of countries' },
]

/** Lists use their members. */
export const references = (config: Config): readonly Reference[] =>
  memberLists.flatMap(({ slot, title }) =>
    read(config, slot).flatMap((list) =>
      list.values.map((id) => ({
        id,
        object: `${slot.key}[${list.id}]`,
        field: 'values',
        title: `${title} "${list.title}"`,
      })),
    ),
  )
