// Who may connect by VPN, first match first.

import { accessRules } from '@gateway/server/contract/vpn'
import { orderedPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = orderedPage({
  endpoints: accessRules,
  itemName: msg('access rule'),
  title: ({ title, id }) => title || String(id),
  columns: ['enabled', 'title', 'sources', 'objects', 'vpns', 'action', 'two_factor', 'comment'],
  fields: {
    sources: { label: msg('From'), initial: ['any'] },
    objects: { label: msg('Users and groups'), initial: ['any'] },
    vpns: { label: msg('Kinds of VPN'), initial: ['any'] },
    action: { initial: 'allow' },
    two_factor: { label: msg('Second factor'), initial: 'not_required' },
    enabled: { initial: true },
  },
  empty: { text: msg('Without a rule that allows them, no users connect.') },
})
