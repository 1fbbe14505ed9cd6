// Changes of rights: they need full access and a fresh sign-in whichever call makes them, and none may leave the gateway
// without an enabled administrator with full access.
// Requirements 8, 13 and 48.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeBackup } from '../../src/areas/backup/jobs.ts'
import { areas } from '../../src/areas/index.ts'
import { roleIds } from '../../src/core/contract/access.ts'
import { freshSignInSeconds, nameOf } from '../../src/core/contract/endpoint.ts'
import { type Answer, type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const rightsSlots = new Set(areas.flatMap(({ rights = [] }) => rights))

describe('slots that say who may do what', () => {
  it('are all that hold a role', () => {
    const withRole = areas
      .flatMap(({ slots }) => slots)
      .filter(({ schema }) => roleIds.some((role) => JSON.stringify(schema).includes(`"${role}"`)))
    assert.ok(withRole.length >= 3)
    for (const slot of withRole) assert.ok(rightsSlots.has(slot), slot.key)
  })

  it('are changed only by calls that need full access and a fresh sign-in', () => {
    const routes = areas.flatMap((area) => area.routes).filter(({ slot }) => slot && rightsSlots.has(slot))
    const changing = routes.filter(({ endpoint }) => endpoint.effect !== 'read')
    assert.ok(changing.length >= 9, String(changing.length))
    for (const { endpoint } of changing) {
      assert.equal(endpoint.access, 'configure', nameOf(endpoint))
      assert.equal(endpoint.needsFreshSignIn, true, nameOf(endpoint))
    }
  })
})

async function withGateway(work: (gateway: TestGateway, admin: Client) => Promise<void>): Promise<void> {
  const gateway = await createTestGateway()
  try {
    await work(gateway, await gateway.client('predefined_admin_write'))
  } finally {
    await gateway.close()
  }
}

const settled = (answer: Answer): Answer => {
  assert.equal(answer.status, 200, answer.text)
  return answer
}

describe('L2: a sign-in that is not fresh any more', () => {
  const act = async (
    gateway: TestGateway,
    admin: Client,
    prepare: (id: string) => Promise<[method: string, path: string, body?: unknown]>,
  ): Promise<void> => {
    const id = await gateway.addAdministrator('other', 'predefined_admin_write')
    const [method, path, body] = await prepare(id)
    gateway.clock.advance(freshSignInSeconds)
    const { revision } = gateway.engine
    const refused = await admin(method, path, body)
    assert.equal(refused.status, 401, refused.text)
    assert.match(refused.body.message, /within the last 10 minutes/)
    assert.equal(gateway.engine.revision, revision)
    assert.equal((await admin('GET', '/web/whoami')).status, 200, 'the session goes on')
    const fresh = await gateway.client('predefined_admin_write')
    settled(await fresh(method, path, body))
  }

  const cases: [title: string, prepare: (gateway: TestGateway, admin: Client) => Parameters<typeof act>[2]][] = [
    ['reverts nothing', (gateway) => async () => ['POST', `/config/revisions/${gateway.engine.revision - 1}/revert`]],
    [
      'restores nothing',
      (_, admin) => async () => {
        const { id } = settled(await admin('POST', '/backup/backups', { comment: '' })).body
        return ['POST', `/backup/backups/${id}/apply`]
      },
    ],
    ['removes no administrator', () => async (id) => ['DELETE', `/web/admins/local/${id}`]],
    ['disables no administrator', () => async (id) => ['PATCH', `/web/admins/local/${id}`, { enabled: false }]],
    [
      'demotes no administrator',
      () => async (id) => ['PATCH', `/web/admins/local/${id}`, { role: 'predefined_reports_view' }],
    ],
    [
      'sets no password of another administrator',
      () => async (id) => ['PATCH', `/web/admins/local/${id}`, { password: 'a new pass phrase' }],
    ],
    [
      'lowers no limit of the history, which would remove what happened',
      () => async () => ['PATCH', '/config/history', { max_revisions: 10 }],
    ],
    [
      'enables no RADIUS for administrators',
      () => async () => ['PATCH', '/admins-radius-auth/state', { enabled: true }],
    ],
  ]
  for (const [title, prepare] of cases) {
    it(title, () => withGateway((gateway, admin) => act(gateway, admin, prepare(gateway, admin))))
  }

  it('changes no rights by a change that waited for its turn until the sign-in was too old', () =>
    withGateway(async (gateway, admin) => {
      const id = await gateway.addAdministrator('other', 'predefined_admin_write')
      gateway.clock.advance(freshSignInSeconds - 1)
      const { revision } = gateway.engine
      const late = admin('PATCH', `/web/admins/local/${id}`, { password: 'a new pass phrase' })
      await new Promise((resolve) => setImmediate(resolve))
      gateway.clock.advance(1)
      assert.equal((await late).status, 401)
      assert.equal(gateway.engine.revision, revision)
    }))

  it('reverts no change of rights that is on probation', () =>
    withGateway(async (gateway, admin) => {
      const id = await gateway.addAdministrator('other', 'predefined_admin_write')
      const waiting = { 'portcullis-confirm-within': '3600' }
      settled(await admin('PATCH', `/web/admins/local/${id}`, { enabled: false }, waiting))
      gateway.clock.advance(freshSignInSeconds)
      assert.equal((await admin('DELETE', '/config/confirm')).status, 401)
      const fresh = await gateway.client('predefined_admin_write')
      settled(await fresh('DELETE', '/config/confirm'))
    }))

  it('still changes everything else', () =>
    withGateway(async (gateway, admin) => {
      gateway.clock.advance(freshSignInSeconds)
      settled(await admin('PATCH', '/firewall/settings', { log_mode: 'all' }))
      settled(await admin('POST', '/backup/backups', { comment: '' }))
    }))
})

describe('L3: the last enabled administrator with full access', () => {
  const ownId = async (admin: Client): Promise<string> => (await admin('GET', '/web/admins/local')).body[0].id
  const refusedBy = async (gateway: TestGateway, status: number, call: () => Promise<Answer>): Promise<void> => {
    const { revision } = gateway.engine
    const answer = await call()
    assert.equal(answer.status, status, answer.text)
    assert.match(answer.text, /administrator/)
    assert.equal(gateway.engine.revision, revision)
  }

  it('cannot be demoted, disabled or removed while only lesser ones remain', () =>
    withGateway(async (gateway, admin) => {
      const id = await ownId(admin)
      await gateway.addAdministrator('lesser', 'predefined_security_admin')
      for (const role of roleIds.slice(1))
        await refusedBy(gateway, 422, () => admin('PATCH', `/web/admins/local/${id}`, { role }))
      await refusedBy(gateway, 422, () => admin('PATCH', `/web/admins/local/${id}`, { enabled: false }))
      await refusedBy(gateway, 409, () => admin('DELETE', `/web/admins/local/${id}`))
      const disabled = await gateway.addAdministrator('disabled', 'predefined_admin_write')
      settled(await admin('PATCH', `/web/admins/local/${disabled}`, { enabled: false }))
      await refusedBy(gateway, 422, () => admin('PATCH', `/web/admins/local/${id}`, { enabled: false }))
    }))

  it('cannot be lost by a revert or a restore', async () => {
    const gateway = await createTestGateway()
    await gateway.addAdministrator('lesser', 'predefined_security_admin')
    const { revision } = gateway.engine
    const backup = await makeBackup(gateway.services, '', () => {})
    const admin = await gateway.client('predefined_admin_write')
    await refusedBy(gateway, 422, () => admin('POST', `/config/revisions/${revision}/revert`))
    for (const kind of ['apply', 'apply/fast'])
      await refusedBy(gateway, 422, () => admin('POST', `/backup/backups/${backup}/${kind}`))
    await refusedBy(gateway, 409, () => admin('POST', '/config/revisions/0/revert'))
    await gateway.close()
  })

  it('can hand over: another one with full access first, then oneself', () =>
    withGateway(async (gateway, admin) => {
      const id = await ownId(admin)
      await gateway.addAdministrator('other', 'predefined_admin_write')
      settled(await admin('PATCH', `/web/admins/local/${id}`, { role: 'predefined_reports_view' }))
    }))

  it('is not asked for where an earlier release stored none', async () => {
    const gateway = await createTestGateway()
    const client = await gateway.client('predefined_firewall_admin')
    settled(await client('PATCH', '/firewall/settings', { log_mode: 'all' }))
    await gateway.close()
  })
})
