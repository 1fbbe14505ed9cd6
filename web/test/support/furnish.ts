// A gateway that is in use: at least one item in most lists, as an administrator would make them.

import assert from 'node:assert/strict'
import type { Client } from '../../../server/test/support/test-gateway.ts'

const items: readonly (readonly [path: string, body: object])[] = [
  ['/aliases/ip_addresses', { title: 'Shop', comment: '', value: '198.51.100.20' }],
  ['/aliases/networks', { title: 'Office', comment: '', value: '10.10.0.0/24' }],
  ['/aliases/ip_ranges', { title: 'Guests', comment: '', start: '10.10.0.100', end: '10.10.0.120' }],
  ['/aliases/domains', { title: 'Partner', comment: '', value: 'www.example.com' }],
  ['/aliases/lists/addresses', { title: 'Servers', comment: '', values: ['ip.id.1'] }],
  ['/aliases/ports', { title: 'https', comment: '', value: 443 }],
  ['/aliases/time_ranges', { title: 'Work', comment: '', weekdays: [1, 2, 3, 4, 5], start: '09:00', end: '18:00' }],
  ['/aliases/zones', { title: 'Inside', comment: '' }],
  ['/firewall/rules/input', { action: 'accept', comment: 'Management' }],
  ['/firewall/rules/dnat', { action: 'dnat', protocol: 'protocol.tcp', change_destination_address: '10.10.0.9' }],
  ['/firewall/rules/log', { action: 'mark_log' }],
  ['/acl/rules', { name: 'Guests', value: [] }],
  ['/dhcp_server/static_leases', { enabled: true, ip_address: '10.10.0.40', mac: '02:00:00:00:10:40', comment: '' }],
  ['/dns/zones/forward', { enabled: true, name: 'corp.example', servers: ['192.0.2.53'], comment: '' }],
  ['/content-filter/users_categories', { name: 'Social media', urls: ['*.example.com'] }],
  ['/content-filter/rules', { name: 'No games', access: 'deny', aliases: ['any'], categories: ['users.id.1'] }],
  ['/ips/profiles', { name: 'Servers', comment: '' }],
  ['/ips/nets', { address: '10.10.0.0/24' }],
  ['/user_backend/groups', { name: 'Staff', parent_id: 1 }],
  ['/user_backend/users', { name: 'Anna', login: 'anna', parent_id: 1, comment: '', psw: 'correct horse 9' }],
  ['/auth/rules', { enabled: true, ip: '10.10.0.40', mac: null, user_id: 1, always_logged: false, comment: '' }],
  [
    '/web/admins/local',
    {
      enabled: true,
      name: 'Boris',
      login: 'boris',
      comment: '',
      password: 'correct horse 9',
      role: 'predefined_admin_readonly',
    },
  ],
  ['/health/notifications/webhooks', { enabled: true, title: 'Chat', severity: 'failed', url: 'https://192.0.2.1/' }],
  ['/mail/rules/alias', { recipient: 'info@example.com', map: ['anna@example.com'] }],
  ['/proxy_backend/exclusions', { sources: ['any'], destinations: ['ip.id.1'] }],
]

/** Made one after the other, since some name those before them. */
export async function furnish(client: Client): Promise<void> {
  const faults: string[] = []
  for (const [path, body] of items) {
    const { status, text } = await client('POST', path, body)
    if (status !== 200) faults.push(`${path}: ${status} ${text}`)
  }
  assert.deepEqual(faults, [])
}
