// INPUT rules of the console that go after those of a gateway.

import { inputAfter } from '@gateway/server/contract/central-console'
import { orderedPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = orderedPage({
  endpoints: {
    list: inputAfter.list,
    create: inputAfter.create,
    update: inputAfter.update,
    move: inputAfter.move,
    remove: inputAfter.remove,
  },
  itemName: msg('INPUT rule'),
  title: ({ id }) => String(id),
  columns: ['enabled', 'parent_id', 'source_addresses', 'destination_addresses', 'protocol', 'action', 'comment'],
  fields: { parent_id: { label: msg('Group') }, enabled: { initial: true } },
  empty: { text: msg('Such a rule applies on every gateway of its group.') },
})
