// Rules that let members of a group of an ALD domain sign in as administrators.

import { aldRules } from '@gateway/server/contract/directory-administrators'
import { roles } from '@gateway/server/core/access'
import { collectionPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = collectionPage({
  endpoints: aldRules,
  itemName: msg('administrator rule'),
  title: ({ group_alias }) => group_alias,
  lead: msg('Stored, not applied: no directory is asked yet.'),
  columns: ['enabled', 'group_alias', 'role', 'comment'],
  fields: { group_alias: { label: msg('Security group') }, role: { widget: 'select', options: roles } },
  empty: { text: msg('A rule gives the members of a security group a role on this gateway.') },
})
