// Rules that drop or accept applications of hosts and users, first match first.

import { applicationRules, applicationStatus } from '@gateway/server/contract/application-control'
import { orderedPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = orderedPage({
  endpoints: applicationRules,
  status: applicationStatus,
  itemName: msg('application rule'),
  title: ({ name }) => name,
  stored: 'application-control.rules',
  columns: ['enabled', 'name', 'aliases', 'protocols', 'action', 'comment'],
  fields: {
    aliases: { label: msg('Users and addresses') },
    protocols: { label: msg('Applications') },
    enabled: { initial: true },
    action: { initial: 'drop' },
    parent_id: { isHidden: true },
  },
  empty: {
    text: msg('A rule drops or accepts applications such as BitTorrent, whatever ports they use.'),
  },
})
