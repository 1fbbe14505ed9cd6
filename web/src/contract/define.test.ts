// Declarations are data, and their names are held by the types of the calls.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { showStatus, staticLeases } from '@gateway/server/contract/dhcp'
import { adDomains, adObjects } from '@gateway/server/contract/directory'
import { dnsSettings, safeSearch } from '@gateway/server/contract/dns'
import { customSignatures, profileRules, profiles } from '@gateway/server/contract/intrusion-prevention'
import { advanced, queue } from '@gateway/server/contract/mail'
import { powershell } from '@gateway/server/contract/vpn'
import {
  action,
  actionsPage,
  choices,
  collectionPage,
  inside,
  profilePage,
  read,
  rowAction,
  section,
  settingsPage,
  statusPage,
} from './define.ts'

test('a collection keeps what it is made of, and the status belongs to the page', () => {
  const page = collectionPage({
    endpoints: staticLeases,
    status: showStatus,
    confirmWithin: 90,
    itemName: 'static lease',
    title: (lease) => lease.ip_address,
    columns: [
      'enabled',
      'ip_address',
      'mac',
      { id: 'both', title: 'Both', text: (lease) => lease.mac + lease.comment },
    ],
    fields: { mac: { hint: 'Paste in any usual form' } },
    empty: { text: 'None.', example: { ip_address: '192.0.2.1', mac: '00:00:00:00:00:01' } },
  })
  assert.equal(page.kind, 'collection')
  assert.equal(page.status, showStatus)
  assert.equal(page.confirmWithin, 90)
  assert.equal(page.collection.confirmWithin, 90)
  assert.equal(page.collection.endpoints.list, staticLeases.list)
  assert.equal(page.collection.title({ ip_address: '192.0.2.7' }), '192.0.2.7')
  assert.equal('status' in page.collection, false)
})

test('names that the wire does not have are refused by the compiler', () => {
  collectionPage({
    endpoints: staticLeases,
    itemName: 'static lease',
    // @ts-expect-error: there is no such field
    title: (lease) => lease.address,
    // @ts-expect-error: there is no such column
    columns: ['ip'],
    // @ts-expect-error: there is no such field
    fields: { macc: {} },
    empty: { text: 'None.' },
  })
  settingsPage({
    endpoints: dnsSettings,
    // @ts-expect-error: there is no such field
    groups: [{ title: 'One', fields: ['intercept'] }],
  })
})

test('lists inside of a reply, and rules inside of a profile', () => {
  const own = collectionPage({
    endpoints: customSignatures,
    rowsIn: 'signatures',
    itemName: 'signature',
    title: (signature) => String(signature.sid),
    idField: 'sid',
    columns: ['sid', 'comment'],
    empty: { text: 'None.' },
  })
  assert.equal(own.collection.rowsIn, 'signatures')
  const page = profilePage({
    endpoints: profiles,
    itemName: 'profile',
    title: (profile) => profile.name,
    columns: ['name', 'comment'],
    empty: { text: 'None.' },
    inside: [
      inside({
        id: 'rules',
        tab: 'Rules',
        isOrdered: true,
        endpoints: profileRules,
        itemName: 'rule',
        title: (rule) => String(rule.id),
        columns: ['action', 'comment'],
        empty: { text: 'None.' },
      }),
    ],
  })
  assert.equal(page.inside[0]?.collection?.isOrdered, true)
})

test('settings of one or several calls, reads and actions', () => {
  const one = settingsPage({ endpoints: advanced, lead: 'Limits', fields: { max_mailbox_size: { widget: 'bytes' } } })
  assert.equal(one.sections[0]?.endpoints.replace, advanced.replace)
  assert.equal(one.lead, 'Limits')
  const several = settingsPage({
    sections: [section({ endpoints: safeSearch }), section({ title: 'Interception', endpoints: dnsSettings })],
  })
  assert.equal(several.sections.length, 2)
  const status = statusPage({
    reads: [
      read({
        endpoint: adObjects.groups,
        columns: ['name', 'guid'],
        choose: {
          domain_name: choices({ endpoint: adDomains.list, value: (row) => row.name, label: (row) => row.name }),
        },
      }),
      read({ endpoint: powershell.status, only: ['sstp_available'] }),
      read({
        endpoint: queue.list,
        row: [
          rowAction<typeof queue.list>()({
            title: 'Retry',
            endpoint: queue.retry,
            aimAll: (rows) => ({ body: { ids: rows.map(({ id }) => id) } }),
          }),
        ],
      }),
    ],
  })
  assert.equal(status.kind, 'status')
  const actions = actionsPage({
    actions: [action({ endpoint: powershell.sstp, title: 'Script', button: 'Download', isDownload: true })],
  })
  assert.equal(actions.actions?.[0]?.isDownload, true)
})
