// How long records are kept, and how much room they take.

import { logRetention, logStatus, logUsage } from '@gateway/server/contract/logs'
import { read, settingsPage } from '../../contract/define.ts'
import { heard, msg } from '../../words.ts'

/** Kinds of records, as the gateway names them. */
export const kindTitles: readonly string[] = [
  msg('services'),
  msg('services that write much'),
  msg('firewall hits'),
  msg('sign-ins and sessions of users'),
  msg('actions of administrators'),
  msg('security events'),
  msg('web traffic'),
  msg('mail'),
]

const days = { unit: msg('days') }

export const page = settingsPage({
  status: logStatus,
  lead: msg('A kind that takes more than its share of the size loses its oldest records first.'),
  endpoints: logRetention,
  fields: {
    system_days: { label: msg('System journal'), ...days },
    brief_days: { label: msg('Services that write much'), ...days },
    firewall_days: { label: msg('Traffic'), ...days },
    authentication_days: { label: msg('Sign-ins of users'), ...days },
    administration_days: { label: msg('Actions of administrators'), ...days },
    security_days: { label: msg('Security events'), ...days },
    web_days: { label: msg('Web traffic'), ...days },
    vpn_days: { label: msg('VPN'), ...days },
    mail_days: { label: msg('Mail'), ...days },
    max_size_mb: { label: msg('All records together'), unit: msg('MB') },
  },
  reads: [
    read({
      endpoint: logUsage,
      rowsIn: 'kinds',
      title: msg('What is kept now'),
      columns: [{ id: 'title', text: ({ title }) => heard(title) }, 'days', 'records', 'bytes', 'oldest'],
      fields: { bytes: { widget: 'bytes' }, oldest: { widget: 'moment' } },
      everyMs: 30_000,
    }),
  ],
})
