// Programs that are told by an HTTPS call when something fails.

import { showStatus, testWebhook, webhooks } from '@gateway/server/contract/health'
import { collectionPage, rowAction } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = collectionPage({
  endpoints: webhooks,
  status: showStatus,
  stored: 'health.webhooks',
  itemName: msg('webhook'),
  lead: msg('An HTTPS call for every failure and recovery, signed where a secret is set.'),
  title: ({ title }) => title,
  columns: ['enabled', 'title', 'severity', 'url'],
  fields: {
    url: { label: msg('Address') },
    secret: { widget: 'secret' },
    ca: { label: msg('Own authority'), widget: 'code' },
    has_secret: { isHidden: true },
    severity: {
      label: msg('Notify from'),
      options: { warning: msg('warning on'), failed: msg('failure on') },
    },
  },
  empty: {
    text: msg('A webhook reports to a chat or a ticket system what failed.'),
    example: { enabled: true, title: 'Chat', severity: 'failed' },
  },
  row: [
    rowAction<typeof webhooks.list>()({
      title: msg('Send a test call'),
      icon: 'send',
      endpoint: testWebhook,
      aim: ({ id }) => ({ params: { target_id: id } }),
    }),
  ],
})
