// Hashes that signed-in administrators ask for: anyone who sends many passwords of users waits for them alone.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it, mock } from 'node:test'
import { type Answer, type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { until } from '../support/until.ts'

const floodSize = 60

describe('a lesser role that floods the gateway with new passwords of users', () => {
  let gateway: TestGateway
  let flood: Promise<Answer>[]
  let answered: number
  let lesserId: string

  const addUser = (client: Client, login: string): Promise<Answer> =>
    client('POST', '/user_backend/users', { name: login, login, psw: 'wooden bridge 31', parent_id: 1, comment: '' })

  beforeEach(async () => {
    gateway = await createTestGateway()
    const lesser = await gateway.client('predefined_firewall_admin')
    lesserId = gateway.services.accounts.sessions.list()[0]?.adminId ?? ''
    answered = 0
    flood = Array.from({ length: floodSize }, async (_, index) => {
      const answer = await addUser(lesser, `flood-${index}`)
      answered++
      return answer
    })
    await until('the flood has arrived and is being worked on', () => answered > 2)
  })
  afterEach(() => gateway.close())

  it('holds up no other administrator, neither for users nor for administrators', async () => {
    const admin = await gateway.client('predefined_admin_write')
    const before = answered
    const user = await addUser(admin, 'own')
    assert.equal(user.status, 200, user.text)
    const fields = { enabled: true, name: 'Own', login: 'own', role: 'predefined_reports_view', comment: '' }
    const made = await admin('POST', '/web/admins/local', { ...fields, password: 'quite another phrase' })
    assert.equal(made.status, 200, made.text)
    assert.ok(answered - before < floodSize / 2, `waited for ${answered - before} passwords of another`)
    for (const { status } of await Promise.all(flood)) assert.equal(status, 200)
  })

  it('is over when the account is disabled: what still waits is not worked on', async () => {
    const { mock: hashing } = mock.method(gateway.services.accounts.passwords, 'hash')
    const admin = await gateway.client('predefined_admin_write')
    assert.equal((await admin('PATCH', `/web/admins/local/${lesserId}`, { enabled: false })).status, 200)
    const statuses = (await Promise.all(flood)).map(({ status }) => status)
    assert.equal(statuses.at(-1), 401)
    assert.ok(hashing.callCount() < floodSize / 2, `${hashing.callCount()} passwords were hashed`)
  })
})
