// Synchronization of user groups with groups and units of a directory (docs/behaviour/directory.md 4).

import type { Static } from 'typebox'
import { collectionEndpoints } from '../../core/contract/collections.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { CreatedInteger, oneOf, strictObject, text } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'

const guid = '[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}'

export const NewGroupSettings = strictObject({
  search_filter: text({ maxLength: 4096, description: 'LDAP filter for the search; may be empty.' }),
  object_guid: Type.String({
    pattern: `^${guid}$`,
    maxLength: 36,
    description: 'objectGUID of the group or unit.',
    'x-fault': 'Must be a GUID such as 6f9619ff-8b86-d011-b42d-00cf4fc964ff.',
  }),
  group_alias_id: Type.String({
    'x-refers': ['group'],
    pattern: '^group\\.id\\.[1-9][0-9]{0,14}$',
    maxLength: 24,
    description: 'The group of the gateway that is synchronized.',
    'x-fault': 'Must be the id of a user group, such as group.id.2.',
  }),
  domain_name: text({ minLength: 1, maxLength: 253, description: 'Name of a domain of the gateway.' }),
  sync_type: oneOf(
    ['ldap', 'security'],
    'ldap: an organizational unit with its tree; security: the users of a security group, as a flat list.',
  ),
})
export type NewGroupSettings = Static<typeof NewGroupSettings>

export const GroupSettings = strictObject({ id: Type.Integer(), ...NewGroupSettings.properties })
export type GroupSettings = Static<typeof GroupSettings>

function groupEndpoints(path: string, kind: string) {
  const base = collectionEndpoints({
    path,
    title: `group synchronizations of ${kind} domains`,
    item: `a group synchronization of an ${kind} domain`,
    change: 'configure',
    idName: 'record_id',
    fields: NewGroupSettings,
    patch: NewGroupSettings,
    shown: GroupSettings,
  })
  return {
    ...base,
    create: endpoint({
      method: 'POST',
      path,
      access: 'configure',
      summary: `Synchronize a group with an ${kind} domain`,
      description: 'This release stores the synchronization and does not run it yet.',
      body: NewGroupSettings,
      reply: CreatedInteger,
    }),
    update: { ...base.update, method: 'PUT', description: 'Replaces the whole object.' },
    remove: { ...base.remove, description: 'By its own id, or by the id of its group: `group.id.<n>`.' },
  } as const
}

export const adGroupSettings = groupEndpoints('/ad_backend/group_settings', 'AD')
export const aldGroupSettings = groupEndpoints('/ald_backend/group_settings', 'ALD')
