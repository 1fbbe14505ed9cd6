// Settings of the kernel: read from the machine, next to what the gateway wants and what was there before it.

import { showKernelSettings, showStatus } from '@gateway/server/contract/network'
import { collectionPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = collectionPage({
  endpoints: { list: showKernelSettings },
  status: showStatus,
  itemName: msg('kernel setting'),
  lead: msg('What the gateway sets in the kernel so that it can forward safely. The values are read from the machine.'),
  idField: 'name',
  title: ({ name }) => name,
  everyMs: 10_000,
  columns: [
    { id: 'name', width: 320 },
    { id: 'value', title: msg('Now'), width: 110 },
    { id: 'wanted', title: msg('Wanted'), width: 110 },
    { id: 'before', title: msg('Before the gateway'), width: 150 },
    { id: 'state', width: 130 },
    { id: 'message', width: 'rest' },
  ],
  fields: {
    state: {
      options: {
        set: msg('as wanted'),
        missing: msg('not in this kernel'),
        refused: msg('not allowed here'),
        different: msg('changed'),
      },
    },
  },
  empty: { text: msg('Nothing is applied on this machine, so nothing is set.') },
})
