// Which addresses VPN clients get, first match first.

import { leaseRules } from '@gateway/server/contract/vpn'
import { orderedPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = orderedPage({
  endpoints: leaseRules,
  itemName: msg('address rule'),
  title: ({ title, address }) => title || address,
  columns: ['enabled', 'title', 'objects', 'address', 'comment'],
  fields: { objects: { label: msg('Users and groups'), initial: ['any'] }, enabled: { initial: true } },
  empty: { text: msg('A rule gives users their own address, or addresses from their own network.') },
})
