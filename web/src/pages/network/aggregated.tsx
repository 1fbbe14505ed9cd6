// Aggregated interfaces: several cards that act as one.

import { aggregatedInterfaces } from '@gateway/server/contract/network'
import { collectionPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'
import { NoCards } from './cards.tsx'
import { AggregatedCell } from './state-cells.tsx'

export const page = collectionPage({
  endpoints: aggregatedInterfaces,
  stored: 'network.aggregated',
  confirmWithin: 90,
  itemName: msg('aggregated interface'),
  title: ({ title }) => title,
  columns: [
    'enabled',
    'title',
    {
      id: 'link',
      title: msg('State'),
      width: 120,
      cell: ({ id, enabled }) => <AggregatedCell id={id} isOn={enabled} />,
    },
    'nics',
    'comment',
  ],
  fields: {
    nics: {
      label: msg('Cards'),
      hint: msg('Cards of this machine. The MAC of another card can be typed.'),
      help: () => <NoCards />,
    },
  },
  empty: {
    text: msg('Several cards that act as one: faster, and it goes on when a cable breaks.'),
    example: { enabled: true, title: 'Uplink', comment: '', nics: ['11:22:33:44:55:66', '11:22:33:44:55:67'] },
  },
})
