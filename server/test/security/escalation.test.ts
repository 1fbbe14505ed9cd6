// No way up: whatever a lesser role sends, with whatever ids, no one's rights grow; and what another put on probation is
// decided by him or by full access.
// Requirement 13.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Role, roleIds } from '../../src/core/contract/access.ts'
import { nameOf } from '../../src/core/contract/endpoint.ts'
import { changingEndpoints, fillPath } from '../contract/contract.ts'
import { sample, schemaOf } from '../contract/samples.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const lesser = roleIds.filter((role) => role !== 'predefined_admin_write')

/** What someone who wants more would send, beside a body that simply fits. */
const wishes: readonly Record<string, unknown>[] = [
  { role: 'predefined_admin_write' },
  { enabled: true },
  { password: 'my very own phrase' },
  { login: 'admin', role: 'predefined_admin_write' },
]

describe('a lesser role', () => {
  let gateway: TestGateway
  let admin: Client
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
    for (const role of lesser) await gateway.client(role)
  })
  after(() => gateway.close())

  const rights = async (): Promise<string> => (await admin('GET', '/web/admins/local')).text

  for (const role of lesser) {
    it(`${role} gains nothing by any call`, async () => {
      let client = await gateway.client(role)
      const before = await rights()
      const ids = (await admin('GET', '/web/admins/local')).body.map((item: { id: string }) => item.id)
      const revisions = ['0', '1', '2', String(gateway.engine.revision - 1)]
      for (const endpoint of changingEndpoints) {
        if (endpoint.access === 'public' || nameOf(endpoint) === 'DELETE /web/auth/login') continue
        const bodies = endpoint.body ? [sample(schemaOf(endpoint.body)), ...wishes] : [undefined]
        const targets = endpoint.params.length === 0 ? [''] : [...ids, ...revisions]
        const calls = targets.flatMap((target) =>
          bodies.map((body) => [endpoint.method, fillPath(endpoint.path, target), body] as const),
        )
        for (const call of calls) {
          let answer = await client(...call)
          if (answer.status === 401) {
            // An earlier call ended the session.
            client = await gateway.client(role)
            answer = await client(...call)
          }
          // Refused for the role, before path and body are looked at: the other calls would be the same one.
          if (answer.body.code === 'forbidden') break
        }
      }
      assert.equal(await rights(), before)
    })
  }

  it('decides about its own change on probation, never about that of another', async () => {
    const waiting = { 'portcullis-confirm-within': '600' }
    const clients = Object.fromEntries(
      await Promise.all(lesser.map(async (role) => [role, await gateway.client(role)] as const)),
    ) as Record<Role, Client>
    const others = ['predefined_security_admin', 'predefined_access_settings_admin'] as const
    assert.equal((await admin('PATCH', '/firewall/settings', { log_mode: 'all' }, waiting)).status, 200)
    for (const role of [...others, 'predefined_firewall_admin'] as const) {
      assert.equal((await clients[role]('POST', '/config/confirm')).status, 403, role)
      assert.equal((await clients[role]('DELETE', '/config/confirm')).status, 403, role)
    }
    assert.equal((await admin('POST', '/config/confirm')).status, 200)
    const own = clients.predefined_firewall_admin
    assert.equal((await own('PATCH', '/firewall/settings', { log_mode: 'nothing' }, waiting)).status, 200)
    for (const role of others) assert.equal((await clients[role]('POST', '/config/confirm')).status, 403, role)
    assert.equal((await own('DELETE', '/config/confirm')).status, 200)
    assert.equal((await admin('GET', '/firewall/settings')).body.log_mode, 'all')
  })
})
