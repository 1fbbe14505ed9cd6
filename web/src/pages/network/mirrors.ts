// Mirror interfaces: a copy of the traffic of other interfaces.

import { connections, spanInterfaces } from '@gateway/server/contract/network'
import { choices, collectionPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = collectionPage({
  endpoints: spanInterfaces,
  stored: 'network.span',
  itemName: msg('mirror interface'),
  title: ({ title }) => title,
  columns: ['enabled', 'title', 'mac', 'monitor_interfaces', 'direction', 'comment'],
  fields: {
    mac: { label: msg('Card') },
    monitor_interfaces: {
      label: msg('Copies the traffic of'),
      choices: choices({
        endpoint: connections.list,
        value: ({ id }) => `interface.id.${id}`,
        label: ({ title }) => title,
      }),
    },
    direction: { options: { rx: msg('received'), tx: msg('sent'), both: msg('both') } },
    osdevindex: { isHidden: true },
  },
  empty: {
    text: msg('A mirror sends a copy of traffic to a card, for a recorder or an analyser behind it.'),
    example: {
      enabled: true,
      title: 'Recorder',
      comment: '',
      mac: '11:22:33:44:55:66',
      monitor_interfaces: ['interface.id.1'],
      direction: 'both',
    },
  },
})
