// Every endpoint is open to the roles that are written down by hand (hand-written-access.ts).
// Requirement 12.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { accessTable, mayUse, type Role, roleIds } from '../../src/core/contract/access.ts'
import { nameOf } from '../../src/core/contract/endpoint.ts'
import { endpoints } from './contract.ts'
import { handWritten, letters } from './hand-written-access.ts'

const sorted = (text: string): string => [...text].sort().join('')

describe('the access table', () => {
  for (const endpoint of endpoints) {
    const name = nameOf(endpoint)
    it(`opens ${name} to the roles written down here`, () => {
      const roles = roleIds.filter((role) => mayUse(role, endpoint.access)).map((role) => letters[role])
      assert.equal(endpoint.access === 'public' ? '*' : sorted(roles.join('')), sorted(handWritten[name] ?? 'missing'))
    })
  }

  it('has no line here for an endpoint that is gone', () => {
    assert.deepEqual(Object.keys(handWritten).sort(), endpoints.map(nameOf).sort())
  })

  it('gives the full administrator everything and the view-only one nothing that changes', () => {
    for (const roles of Object.values(accessTable))
      assert.ok((roles as readonly Role[]).includes('predefined_admin_write'))
    const changing = endpoints.filter((endpoint) => endpoint.effect !== 'read' && endpoint.access !== 'public')
    const open = changing.filter((endpoint) => mayUse('predefined_admin_readonly', endpoint.access)).map(nameOf)
    assert.deepEqual(open, ['DELETE /web/auth/login', 'DELETE /monitor_backend/admin_sessions/:session_id'])
  })
})
