// FORWARD rules of the console that go after those of a gateway.

import { forwardAfter } from '@gateway/server/contract/central-console'
import { orderedPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = orderedPage({
  endpoints: {
    list: forwardAfter.list,
    create: forwardAfter.create,
    update: forwardAfter.update,
    move: forwardAfter.move,
    remove: forwardAfter.remove,
  },
  itemName: msg('FORWARD rule'),
  title: ({ id }) => String(id),
  columns: ['enabled', 'parent_id', 'source_addresses', 'destination_addresses', 'protocol', 'action', 'comment'],
  fields: { parent_id: { label: msg('Group') }, enabled: { initial: true } },
  empty: { text: msg('Such a rule applies on every gateway of its group.') },
})
