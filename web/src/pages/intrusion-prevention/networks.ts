// Protected networks: what signatures call $HOME_NET.

import { protectedNets, showStatus } from '@gateway/server/contract/intrusion-prevention'
import { collectionPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = collectionPage({
  endpoints: protectedNets,
  status: showStatus,
  stored: 'intrusion_prevention.nets',
  itemName: msg('protected network'),
  lead: msg('Signatures name them $HOME_NET; everything else is $EXTERNAL_NET. The last one cannot be removed.'),
  title: ({ address }) => address,
  columns: [{ id: 'address', width: 'rest' }],
  empty: { text: msg('Networks whose hosts are protected.'), example: { address: '192.168.0.0/16' } },
})
