// Who is notified by e-mail when something fails.

import { mailTargets, showStatus, testMail } from '@gateway/server/contract/health'
import { collectionPage, rowAction } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = collectionPage({
  endpoints: mailTargets,
  status: showStatus,
  stored: 'health.mail_targets',
  itemName: msg('e-mail notification'),
  lead: msg('One message when something fails, one when it works again.'),
  title: ({ title }) => title,
  columns: ['enabled', 'title', 'severity', 'to', 'server', 'security'],
  fields: {
    to: { label: msg('Recipients'), widget: 'lines' },
    from: { label: msg('Sender') },
    password: { widget: 'secret' },
    ca: { label: msg('Own authority'), widget: 'code' },
    has_password: { isHidden: true },
    severity: {
      label: msg('Notify from'),
      options: { warning: msg('warning on'), failed: msg('failure on') },
    },
  },
  groups: [
    { title: msg('What and to whom'), fields: ['enabled', 'title', 'severity', 'to'] },
    { title: msg('Mail server'), fields: ['from', 'server', 'port', 'security', 'login', 'password', 'ca'] },
  ],
  empty: {
    text: msg('No one gets an e-mail when something fails. One address of a person who reads it at night is enough.'),
    example: {
      enabled: true,
      title: 'On duty',
      severity: 'failed',
      server: 'mail.example.com',
      port: 587,
      security: 'starttls',
      from: 'gateway@example.com',
      to: ['admin@example.com'],
    },
  },
  row: [
    rowAction<typeof mailTargets.list>()({
      title: msg('Send a test message'),
      icon: 'send',
      endpoint: testMail,
      aim: ({ id }) => ({ params: { target_id: id } }),
    }),
  ],
})
