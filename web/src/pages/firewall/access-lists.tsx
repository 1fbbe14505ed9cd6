// Access control lists: entries that are looked at before the FORWARD rules.

import { accessLists } from '@gateway/server/contract/firewall'
import { collectionPage } from '../../contract/define.ts'
import { msg, t } from '../../words.ts'
import { printEntry } from './access-entries.ts'
import { AccessEntriesField } from './access-entries-field.tsx'

export const page = collectionPage({
  endpoints: accessLists,
  stored: 'firewall.acl',
  itemName: msg('access list'),
  lead: msg(
    'Fast lists of networks and ports for groups of users, looked at before the FORWARD rules. A list works once it is bound.',
  ),
  title: ({ name }) => name,
  columns: [
    { id: 'name', width: 260 },
    {
      id: 'entries',
      title: msg('Entries'),
      width: 100,
      isNumber: true,
      text: ({ value }) => String(value.length),
    },
    {
      id: 'first',
      title: msg('First entries'),
      width: 'rest',
      text: ({ value }) => value.slice(0, 3).map(printEntry).join(', '),
    },
  ],
  fields: {
    name: { label: msg('Name') },
    value: { label: msg('Entries'), render: (props) => <AccessEntriesField {...props} /> },
  },
  confirmWithin: 90,
  empty: {
    text: msg('A list of networks and ports that are allowed or denied, for all users or for some groups.'),
    example: {
      name: t('Web only'),
      value: [
        {
          action: 'allow',
          proto: 'tcp',
          saddr: '10.0.0.0/8',
          daddr: '0.0.0.0/0',
          sport_min: 0,
          sport_max: 65_535,
          dport_min: 443,
          dport_max: 443,
        },
      ],
    },
  },
})
