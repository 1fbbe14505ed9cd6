// What all tables of console rules have in common: `before` goes ahead of the local rules of a gateway, `after` behind
// them, and lists can be narrowed to server groups (docs/behaviour/central-console.md 3).

import type { TObject } from 'typebox'
import { orderedEndpoints } from '../../core/contract/collections.ts'
import { strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'

export const GroupId = Type.String({
  'x-refers': ['server_group'],
  pattern: '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
  'x-fault': 'Must be the id of a server group.',
})

/** Spec gap (docs/behaviour/central-console.md 3.3): ids with or without quotes, with any blanks between them. */
const Groups = Type.String({
  pattern: '^(?:\\[[A-Za-z0-9", \\-]{0,8000}\\])?$',
  'x-fault': 'Must be a list of group ids in brackets, such as [a,b].',
  description: 'Only rules of these server groups; absent or empty: of all.',
})

const groupsQuery = strictObject({ groups: Type.Optional(Groups) })

/** The ids of a `groups` parameter; none means all. */
export const readGroups = (groups = '[]'): readonly string[] =>
  groups
    .slice(1, -1)
    .split(',')
    .map((id) => id.replaceAll('"', '').trim())
    .filter((id) => id !== '')

interface TableSpec<N extends TObject, V extends TObject> {
  readonly path: string
  /** One rule in words, as in "an initial FORWARD rule". */
  readonly item: string
  readonly title: string
  readonly fields: N
  readonly shown: V
}

export function ruleTable<N extends TObject, V extends TObject>(spec: TableSpec<N, V>) {
  const group = orderedEndpoints({ ...spec, idName: 'rule_id', change: 'firewall' })
  return { ...group, list: { ...group.list, query: groupsQuery } }
}
