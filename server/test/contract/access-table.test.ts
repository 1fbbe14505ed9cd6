// The access of every role to every endpoint, written out by hand from users-and-admins.md 3.1, so that a wrong edit of
// the access table is noticed: the generated test would follow it.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { accessTable, mayUse, type Role, roleIds } from '../../src/contract/access.ts'
import { nameOf } from '../../src/contract/endpoint.ts'
import { endpoints } from './contract.ts'

/** One letter per role that may call the endpoint; `*` also without a session. */
const letters: Readonly<Record<Role, string>> = {
  predefined_admin_write: 'W',
  predefined_admin_readonly: 'R',
  predefined_security_admin: 'S',
  predefined_firewall_admin: 'F',
  predefined_access_settings_admin: 'A',
  predefined_reports_view: 'v',
  predefined_reports_change: 'c',
}
const everyone = 'WRSFAvc'
const readers = 'WRSFA'

const table: Readonly<Record<string, string>> = {
  'POST /web/auth/login': '*',
  'DELETE /web/auth/login': everyone,
  'GET /web/whoami': everyone,
  'GET /monitor_backend/admin_sessions': readers,
  'DELETE /monitor_backend/admin_sessions/:session_id': everyone,
  'GET /web/auth/blocks': readers,
  'DELETE /web/auth/blocks': 'W',
  'GET /web/admins/local': readers,
  'POST /web/admins/local': 'W',
  'PATCH /web/admins/local/:admin_id': 'W',
  'DELETE /web/admins/local/:admin_id': 'W',
  'GET /config/revisions': readers,
  'GET /config/revisions/:revision_id': readers,
  'POST /config/revisions/:revision_id/revert': 'W',
  'GET /config/confirm': 'WSFA',
  'POST /config/confirm': 'WSFA',
  'DELETE /config/confirm': 'WSFA',
  'POST /config/keys/rotate': 'W',
  'GET /config/status': readers,
  'GET /journal/records': 'WRSvc',
  'GET /journal/verify': 'WRSvc',
  'POST /license/register': 'W',
  'GET /license/info': readers,
  'GET /gather_stat/settings': readers,
  'PATCH /gather_stat/settings': 'W',
  'GET /firewall/settings': readers,
  'PATCH /firewall/settings': 'WF',
  'GET /firewall/state': readers,
  'PATCH /firewall/state': 'WF',
  'GET /firewall/status': readers,
  'GET /openapi.json': '*',
  'GET /docs': '*',
  'GET /docs/reference.js': '*',
  'GET /docs/reference.css': '*',
}

const sorted = (text: string): string => [...text].sort().join('')

describe('the access table', () => {
  for (const endpoint of endpoints) {
    const name = nameOf(endpoint)
    it(`opens ${name} to the roles written down here`, () => {
      const roles = roleIds.filter((role) => mayUse(role, endpoint.access)).map((role) => letters[role])
      assert.equal(endpoint.access === 'public' ? '*' : sorted(roles.join('')), sorted(table[name] ?? 'missing'))
    })
  }

  it('has no line here for an endpoint that is gone', () => {
    assert.deepEqual(Object.keys(table).sort(), endpoints.map(nameOf).sort())
  })

  it('gives the full administrator everything and the view-only one nothing that changes', () => {
    for (const roles of Object.values(accessTable))
      assert.ok((roles as readonly Role[]).includes('predefined_admin_write'))
    const changing = endpoints.filter((endpoint) => endpoint.effect !== 'read' && endpoint.access !== 'public')
    const open = changing.filter((endpoint) => mayUse('predefined_admin_readonly', endpoint.access)).map(nameOf)
    assert.deepEqual(open, ['DELETE /web/auth/login', 'DELETE /monitor_backend/admin_sessions/:session_id'])
  })
})
