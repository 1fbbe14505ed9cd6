// Aggregated interfaces: several cards that act as one.

import { aggregatedInterfaces, showAggregatedStates } from '@gateway/server/contract/network'
import { collectionPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = collectionPage({
  endpoints: aggregatedInterfaces,
  stored: 'network.aggregated',
  states: { endpoint: showAggregatedStates },
  confirmWithin: 90,
  itemName: msg('aggregated interface'),
  title: ({ title }) => title,
  columns: ['enabled', 'title', 'nics', 'comment'],
  fields: { nics: { label: msg('Cards'), widget: 'lines', hint: msg('One MAC a line.') } },
  empty: {
    text: msg('Several cards that act as one: faster, and it goes on when a cable breaks.'),
    example: { enabled: true, title: 'Uplink', comment: '', nics: ['11:22:33:44:55:66', '11:22:33:44:55:67'] },
  },
})
