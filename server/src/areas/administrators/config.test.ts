// Whose sessions a change ends, and whose account it opens again.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { administrators, canonicalLogin, reopenedBy, type StoredAdministrator, signedOutBy } from './config.ts'

const admin: StoredAdministrator = {
  id: 'one',
  name: 'One',
  enabled: true,
  login: 'one',
  role: 'predefined_admin_write',
  comment: '',
  password_timestamp: 5,
  password_hash: { sealed: 'v1.1.a.b' },
}

const change = (before: StoredAdministrator | null, after: StoredAdministrator | null, slot = administrators.key) => [
  { slot, before, after },
]

describe('a change of an administrator', () => {
  const off = { ...admin, enabled: false }
  const newPassword = { ...admin, password_timestamp: 6, password_hash: { sealed: 'v1.1.c.d' } }
  const rows: [title: string, changes: ReturnType<typeof change>, signsOut: boolean, reopens: boolean][] = [
    ['that adds him', change(null, admin), false, false],
    ['that removes him', change(admin, null), true, false],
    ['that switches him off', change(admin, off), true, false],
    ['that switches him on', change(off, admin), false, true],
    ['of one who is off', change(off, { ...off, comment: 'x' }), true, false],
    ['of the password', change(admin, newPassword), true, true],
    ['of the role', change(admin, { ...admin, role: 'predefined_reports_view' }), true, false],
    ['of the name', change(admin, { ...admin, name: 'Two' }), false, false],
    ['of the login', change(admin, { ...admin, login: 'two' }), false, false],
    ['of the seal alone', change(admin, { ...admin, password_hash: { sealed: 'v1.2.c.d' } }), false, false],
    ['in another place', change(admin, null, 'other.slot'), false, false],
  ]
  for (const [title, changes, signsOut, reopens] of rows) {
    it(`${title} ${signsOut ? 'ends' : 'keeps'} his sessions and ${reopens ? 'opens' : 'leaves'} his account`, () => {
      assert.deepEqual(signedOutBy(changes), signsOut ? ['one'] : [])
      assert.deepEqual(reopenedBy(changes), reopens ? ['one'] : [])
    })
  }
})

describe('a login', () => {
  it('has one form, whatever its letters look like', () => {
    for (const login of ['Bob', 'BOB', 'ｂｏｂ', 'bob']) assert.equal(canonicalLogin(login), 'bob')
    for (const login of ['bоb', 'b0b', 'bob.', ' bob']) assert.notEqual(canonicalLogin(login), 'bob')
  })
})
