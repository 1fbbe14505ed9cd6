// Domains of the AD type.

import { adDomains, adObjects, listForwardZones, showAdStatus } from '@gateway/server/contract/directory'
import { choices, collectionPage, read } from '../../contract/define.ts'
import { msg } from '../../words.ts'

const byName = choices({ endpoint: adDomains.list, value: ({ name }) => name, label: ({ name }) => name })

export const page = collectionPage({
  endpoints: { list: adDomains.list, create: adDomains.create, replace: adDomains.update, remove: adDomains.remove },
  itemName: msg('AD domain'),
  title: ({ name }) => name,
  lead: msg('Stored, not applied: domains are not joined yet.'),
  columns: ['name', 'computer_name', 'dns_ips', 'user'],
  fields: {
    name: { isOnlyNew: true },
    dns_ips: { label: msg('Domain controllers'), isOnlyNew: true },
    user: { label: msg('Account') },
    ldap_paths: { label: msg('Where groups are searched') },
  },
  reads: [
    read({ endpoint: showAdStatus, title: msg('State') }),
    read({ endpoint: adObjects.groups, title: msg('Security groups'), choose: { domain_name: byName } }),
    read({ endpoint: adObjects.tree, title: msg('Organizational units'), choose: { domain_name: byName } }),
    read({ endpoint: listForwardZones, title: msg('DNS zones of domains'), empty: msg('No domain is joined.') }),
  ],
  empty: { text: msg('The gateway joins a domain to know its users and groups.') },
})
