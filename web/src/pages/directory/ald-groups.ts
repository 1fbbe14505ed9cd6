// Groups of the gateway that follow groups and units of ALD domains.

import { aldGroupSettings } from '@gateway/server/contract/directory'
import { collectionPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = collectionPage({
  endpoints: {
    list: aldGroupSettings.list,
    create: aldGroupSettings.create,
    replace: aldGroupSettings.update,
    remove: aldGroupSettings.remove,
  },
  itemName: msg('synchronized group'),
  title: ({ group_alias_id }) => group_alias_id,
  lead: msg('Stored, not applied: groups are not synchronized yet.'),
  columns: ['group_alias_id', 'domain_name', 'sync_type', 'object_guid', 'search_filter'],
  fields: {
    group_alias_id: { label: msg('Group') },
    domain_name: { label: msg('Domain') },
    sync_type: { label: msg('What is followed') },
    object_guid: { label: 'objectGUID' },
    search_filter: { label: msg('LDAP filter') },
  },
  empty: { text: msg('A group of the gateway gets the users of a group or unit of the domain.') },
})
