// Configurations that no call would create, but a version without these checks could have stored: verification, a
// restored backup and a revert refuse them, and name the field.
// Requirement 48.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { areas } from '../../src/areas/index.ts'
import type { Config } from '../../src/core/model/slots.ts'
import { createPlanner } from '../../src/core/plan/planner.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const user = (number: number, login: string): object => ({
  id: `user.id.${number}`,
  name: `Name ${number}`,
  login,
  parent_id: 'group.id.1',
  enabled: false,
  domain_type: 'local',
  domain_name: '',
  ldap_guid: '',
  phone_number: null,
  comment: '',
  password_hash: null,
})

const object = { id: 'x.id.1', title: 'object', comment: '' }

const cases: Readonly<Record<string, { readonly bad: Config; readonly field: string }>> = {
  'a reversed address range': {
    bad: { 'objects.ip_ranges': [{ ...object, id: 'ip_range.id.1', start: '10.0.0.9', end: '10.0.0.1' }] },
    field: 'objects.ip_ranges[ip_range.id.1].end',
  },
  'a list with a missing member': {
    bad: { 'objects.address_lists': [{ ...object, id: 'address_list.id.1', values: ['ip.id.404'] }] },
    field: 'objects.address_lists[address_list.id.1].values[0]',
  },
  'two users with one login': {
    bad: { 'users.users': [user(1, 'anna'), user(2, 'anna')] },
    field: 'users.users[user.id.2].login',
  },
  'an authorization rule for a missing user': {
    bad: {
      'authorization.rules': [
        { id: 'r', enabled: true, ip: '10.0.0.5', mac: null, user_id: 404, always_logged: false, comment: '' },
      ],
    },
    field: 'authorization.rules[r].user_id',
  },
}

const actor = { login: 'system', address: '127.0.0.1' }

it('what an earlier version stored does not prevent changes of the rest', async () => {
  let isVerifying = false
  const lenient = areas.map((area) => ({
    ...area,
    verify: (config: Config) => (isVerifying ? (area.verify?.(config) ?? []) : []),
  }))
  let gateway = await createTestGateway({ parts: { areas: lenient } })
  const bad = cases['a reversed address range']?.bad
  await gateway.engine.change({ edit: (config) => [{ ...config, ...bad }, null], actor, reason: 'test' })
  isVerifying = true
  gateway = await gateway.restart()
  const admin = await gateway.client('predefined_admin_write')
  assert.equal((await admin('PATCH', '/firewall/settings', { automatic_snat_enabled: false })).status, 200)
  const url = '/aliases/ip_ranges/ip_range.id.1'
  assert.equal((await admin('PATCH', url, { end: '10.0.0.2' })).status, 422)
  assert.equal((await admin('PATCH', url, { end: '10.0.0.10' })).status, 200)
  await gateway.close()
})

for (const [name, { bad, field }] of Object.entries(cases)) {
  describe(name, () => {
    let gateway: TestGateway
    let admin: Client
    let isVerifying = false
    let backup = ''
    let revision = 0

    before(async () => {
      const lenient = areas.map((area) => ({
        ...area,
        verify: (config: Config) => (isVerifying ? (area.verify?.(config) ?? []) : []),
      }))
      gateway = await createTestGateway({ parts: { areas: lenient } })
      const write = (edit: (config: Config) => Config) =>
        gateway.engine.change({ edit: (config) => [edit(config), null], actor, reason: 'test' })
      admin = await gateway.client('predefined_admin_write')
      const good = gateway.engine.config
      await write((config) => ({ ...config, ...bad }))
      revision = gateway.engine.revision
      backup = (await admin('POST', '/backup/backups', { comment: '' })).body.id
      await write(() => good)
      isVerifying = true
      gateway = await gateway.restart()
      admin = await gateway.client('predefined_admin_write')
    })
    after(() => gateway.close())

    it('is refused by verify', () => {
      const problems = createPlanner(areas).verify({ ...gateway.engine.config, ...bad })
      assert.deepEqual([...new Set(problems.map((problem) => problem.field))], [field])
    })

    it('is refused by a revert, and nothing changes', async () => {
      const before = gateway.engine.revision
      const answer = await admin('POST', `/config/revisions/${revision}/revert`)
      assert.equal(answer.status, 422, answer.text)
      assert.equal(answer.body.problems[0].field, field)
      assert.equal(gateway.engine.revision, before)
    })

    it('is refused by a restore, and nothing changes', async () => {
      const before = gateway.engine.revision
      const answer = await admin('POST', `/backup/backups/${backup}/apply`)
      assert.equal(answer.status, 422, answer.text)
      assert.ok(answer.text.includes(field), answer.text)
      assert.equal(gateway.engine.revision, before)
    })
  })
}
