// Where mail for an address goes instead.

import { forwarding } from '@gateway/server/contract/mail'
import { collectionPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = collectionPage({
  endpoints: forwarding,
  itemName: msg('forwarding rule'),
  title: ({ recipient }) => recipient,
  columns: ['recipient', { id: 'map', width: 'rest' }],
  fields: { map: { label: msg('Forward to') } },
  empty: {
    text: msg('Mail for an address goes to other addresses; a copy stays only where the address itself is among them.'),
  },
})
