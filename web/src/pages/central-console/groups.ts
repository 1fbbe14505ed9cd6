// Groups of gateways.

import { serverGroups } from '@gateway/server/contract/central-console'
import { collectionPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = collectionPage({
  endpoints: serverGroups,
  itemName: msg('group of gateways'),
  title: ({ name }) => name,
  columns: ['name', 'parent_id', 'comment'],
  fields: { parent_id: { label: msg('Inside') } },
  isFixed: ({ parent_id }) => (parent_id === null ? msg('The root group stays.') : null),
  empty: { text: msg('Rules of the console apply to groups of gateways.') },
})
