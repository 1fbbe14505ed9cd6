// Domains of the ALD type.

import { aldDomains, aldObjects } from '@gateway/server/contract/directory'
import { choices, collectionPage, read } from '../../contract/define.ts'
import { msg } from '../../words.ts'

const byName = choices({ endpoint: aldDomains.list, value: ({ name }) => name, label: ({ name }) => name })

export const page = collectionPage({
  endpoints: aldDomains,
  itemName: msg('ALD domain'),
  title: ({ name }) => name,
  idField: 'name',
  lead: msg('Stored, not applied: domains are not joined yet.'),
  columns: ['name', 'computer_name', 'dns_ips', 'status', 'error'],
  fields: { dns_ips: { label: msg('Domain controllers') }, user: { label: msg('Account') } },
  everyMs: 10_000,
  reads: [
    read({ endpoint: aldObjects.groups, title: msg('Security groups'), choose: { domain_name: byName } }),
    read({ endpoint: aldObjects.tree, title: msg('Organizational units'), choose: { domain_name: byName } }),
  ],
  empty: { text: msg('The gateway joins a domain to know its users and groups.') },
})
