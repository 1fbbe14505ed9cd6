// Zones that the gateway answers for itself, as zone files.

import { masterZones, showStatus } from '@gateway/server/contract/dns'
import { collectionPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

const exampleZone = `$ORIGIN office.example.
$TTL 3600
@ IN SOA ns.office.example. admin.office.example. 1 3600 600 86400 300
@ IN NS ns
ns IN A 192.0.2.1
printer IN A 192.0.2.20
`

export const page = collectionPage({
  endpoints: masterZones,
  status: showStatus,
  itemName: msg('own zone'),
  title: ({ name }) => name,
  stored: 'dns.master-zones',
  columns: [
    'enabled',
    'name',
    {
      id: 'records',
      title: msg('Lines'),
      width: 90,
      isNumber: true,
      text: ({ config }) => String(config.trimEnd().split('\n').length),
    },
    'comment',
  ],
  fields: { config: { label: msg('Zone file'), widget: 'code' }, enabled: { initial: true } },
  empty: {
    text: msg('The gateway answers for the names of such a zone itself.'),
    example: { enabled: true, name: 'office.example', config: exampleZone, comment: '' },
  },
})
