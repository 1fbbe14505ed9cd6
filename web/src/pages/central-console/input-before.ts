// INPUT rules of the console that go before those of a gateway.

import { inputBefore } from '@gateway/server/contract/central-console'
import { orderedPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = orderedPage({
  endpoints: {
    list: inputBefore.list,
    create: inputBefore.create,
    update: inputBefore.update,
    move: inputBefore.move,
    remove: inputBefore.remove,
  },
  itemName: msg('INPUT rule'),
  title: ({ id }) => String(id),
  columns: ['enabled', 'parent_id', 'source_addresses', 'destination_addresses', 'protocol', 'action', 'comment'],
  fields: { parent_id: { label: msg('Group') }, enabled: { initial: true } },
  empty: { text: msg('Such a rule applies on every gateway of its group.') },
})
