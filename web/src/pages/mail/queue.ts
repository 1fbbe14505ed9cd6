// Mail that waits to be sent.

import { queue } from '@gateway/server/contract/mail'
import { collectionPage, rowAction } from '../../contract/define.ts'
import { msg } from '../../words.ts'

const forRow = rowAction<typeof queue.list>()

export const page = collectionPage({
  endpoints: { list: queue.list },
  itemName: msg('message'),
  title: ({ sender, recipient }) => `${sender} → ${recipient}`,
  everyMs: 10_000,
  columns: ['arrival_time', 'sender', 'recipient', { id: 'delay_reason', width: 'rest' }],
  fields: { arrival_time: { label: msg('Arrived') }, delay_reason: { label: msg('Why it waits') } },
  row: [
    forRow({
      title: msg('Send now'),
      endpoint: queue.retry,
      icon: 'refresh',
      keys: 'r',
      aimAll: (rows) => ({ body: { ids: rows.map(({ id }) => id) } }),
      done: msg('The gateway tries again.'),
    }),
    forRow({
      title: msg('Remove'),
      endpoint: queue.remove,
      icon: 'remove',
      isDanger: true,
      aimAll: (rows) => ({ params: { message_ids: rows.map(({ id }) => id).join(',') } }),
      confirm: msg('Removed messages are not delivered.'),
      done: msg('Removed.'),
    }),
  ],
  empty: { text: msg('No message waits.') },
})
