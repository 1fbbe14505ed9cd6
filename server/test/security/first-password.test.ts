// L6: the password that the gateway made for its first administrator is useless after a day, and on a machine that is itself the
// gateway good for nothing but changing it.
// Requirement 10.

import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { nameOf } from '../../src/core/contract/endpoint.ts'
import { ask, cookieFrom, fillPath, protectedEndpoints } from '../contract/contract.ts'
import { type Answer, createTestGateway, type TestGateway, testPassword } from '../support/test-gateway.ts'

const hour = 3600
const newPassword = 'another pass phrase'

interface Started {
  gateway: TestGateway
  readonly id: string
  readonly file: string
}

/** As a start on a new state leaves it. */
async function start(plane: 'lab' | 'host'): Promise<Started> {
  const gateway = await createTestGateway({ parts: { firstPasswordMustChange: plane === 'host' } })
  const id = await gateway.addAdministrator('admin', 'predefined_admin_write')
  gateway.services.accounts.firstPassword.begin({ id, password_timestamp: 0 }, testPassword)
  return { gateway, id, file: join(gateway.folder, 'first-password') }
}

const signIn = (gateway: TestGateway, password = testPassword): Promise<Answer> =>
  ask(gateway, { method: 'POST', url: '/web/auth/login', body: { login: 'admin', password, rest_path: '/' } })

describe('L6: the first password', () => {
  it('can be read in a file of the gateway until it is used', async () => {
    const { gateway, file } = await start('lab')
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.equal(readFileSync(file, 'utf8').trim(), testPassword)
    assert.equal(gateway.services.accounts.firstPassword.pending(), testPassword)
    assert.equal((await signIn(gateway)).status, 200)
    assert.ok(!existsSync(file))
    assert.equal(gateway.services.accounts.firstPassword.pending(), null)
    await gateway.close()
  })

  it('expires after 24 hours and is then refused like a wrong one', async () => {
    const { gateway, file } = await start('lab')
    gateway.clock.advance(24 * hour)
    const expired = await signIn(gateway)
    const wrong = await signIn(gateway, 'not the password')
    assert.deepEqual([expired.status, expired.body.message], [wrong.status, wrong.body.message])
    assert.equal(expired.status, 401)
    assert.equal(gateway.services.accounts.firstPassword.keepAge(), false)
    assert.equal(gateway.services.accounts.firstPassword.hasExpired(), true)
    assert.ok(!existsSync(file))
    await gateway.close()
  })

  it('gets older across restarts and reboots, whatever the wall clock says', async () => {
    const started = await start('lab')
    started.gateway.clock.advance(10 * hour)
    started.gateway = await started.gateway.restart()
    started.gateway.clock.advance(10 * hour)
    started.gateway.clock.wall = Date.UTC(2100, 0, 1)
    assert.equal(started.gateway.services.accounts.firstPassword.keepAge(), true)
    started.gateway.clock.boot = 'boot-2'
    started.gateway.clock.seconds = 5
    started.gateway = await started.gateway.restart()
    started.gateway.clock.wall = Date.UTC(1970, 0, 1)
    started.gateway.clock.seconds += 4 * hour - 1
    assert.equal(started.gateway.services.accounts.firstPassword.pending(), testPassword)
    started.gateway.clock.seconds += 1
    assert.equal(started.gateway.services.accounts.firstPassword.pending(), null)
    assert.equal((await signIn(started.gateway)).status, 401)
    await started.gateway.close()
  })

  it('that was used in time stays the password of the administrator in the lab', async () => {
    const { gateway } = await start('lab')
    const first = await signIn(gateway)
    assert.equal(
      (await ask(gateway, { method: 'GET', url: '/firewall/settings', cookie: cookieFrom(first) })).status,
      200,
    )
    gateway.clock.advance(48 * hour)
    assert.equal((await signIn(gateway)).status, 200)
    await gateway.close()
  })

  it('opens nothing on the host but its own change: every other endpoint is refused', async () => {
    const { gateway, id } = await start('host')
    const cookie = cookieFrom(await signIn(gateway))
    const open = ['GET /web/whoami', 'GET /web/session', 'DELETE /web/auth/login', 'PATCH /web/admins/local/:admin_id']
    const { revision } = gateway.engine
    for (const endpoint of protectedEndpoints) {
      if (open.includes(nameOf(endpoint))) continue
      const { method, path } = endpoint
      const answer = await ask(gateway, { method, url: fillPath(path), cookie })
      assert.equal(answer.status, 403, nameOf(endpoint))
      assert.ok(answer.body.message.includes(`PATCH /web/admins/local/${id}`), nameOf(endpoint))
    }
    assert.equal((await ask(gateway, { method: 'GET', url: '/no/such/path', cookie })).status, 403)
    assert.equal(gateway.engine.revision, revision)
    assert.equal((await ask(gateway, { method: 'GET', url: '/web/whoami', cookie })).status, 200)
    const { body: own } = await ask(gateway, { method: 'GET', url: '/web/session', cookie })
    assert.deepEqual([own.admin_id, own.must_change_password], [id, true])
    assert.equal((await ask(gateway, { method: 'DELETE', url: '/web/auth/login', cookie })).status, 200)
    await gateway.close()
  })

  it('is not put aside for an hour by a change on probation', async () => {
    const { gateway, id } = await start('host')
    const cookie = cookieFrom(await signIn(gateway))
    const { revision } = gateway.engine
    const answer = await gateway.http.inject({
      method: 'PATCH',
      url: `/web/admins/local/${id}`,
      headers: { host: 'gateway.test', cookie, 'portcullis-confirm-within': '5' },
      payload: JSON.stringify({ password: newPassword }),
    })
    assert.equal(answer.statusCode, 403, answer.body)
    assert.equal(gateway.engine.revision, revision)
    await gateway.close()
  })

  it('must be changed on the host to another one, and only it', async () => {
    const { gateway, id } = await start('host')
    const other = await gateway.addAdministrator('other', 'predefined_reports_view')
    const cookie = cookieFrom(await signIn(gateway))
    const patch = (adminId: string, body: object): Promise<Answer> =>
      ask(gateway, { method: 'PATCH', url: `/web/admins/local/${adminId}`, cookie, body })
    assert.equal((await patch(other, { password: newPassword })).status, 403)
    assert.equal((await patch(id, { password: newPassword, role: 'predefined_reports_view' })).status, 403)
    assert.equal((await patch(id, { comment: 'x' })).status, 403)
    assert.equal((await patch(id, { password: null })).status, 403)
    assert.equal((await patch(id, { password: testPassword })).status, 422)
    assert.equal((await patch(id, { password: newPassword })).status, 200)
    assert.equal((await ask(gateway, { method: 'GET', url: '/web/whoami', cookie })).status, 401, 'sessions end')
    assert.equal((await signIn(gateway)).status, 401)
    const renewed = cookieFrom(await signIn(gateway, newPassword))
    assert.equal((await ask(gateway, { method: 'GET', url: '/firewall/settings', cookie: renewed })).status, 200)
    await gateway.close()
  })

  it('that a revert brings back must be changed again', async () => {
    const { gateway, id } = await start('host')
    const { revision } = gateway.engine
    const cookie = cookieFrom(await signIn(gateway))
    const body = { password: newPassword }
    assert.equal((await ask(gateway, { method: 'PATCH', url: `/web/admins/local/${id}`, cookie, body })).status, 200)
    const renewed = cookieFrom(await signIn(gateway, newPassword))
    const url = `/config/revisions/${revision}/revert`
    assert.equal((await ask(gateway, { method: 'POST', url, cookie: renewed })).status, 200)
    const back = cookieFrom(await signIn(gateway))
    assert.equal((await ask(gateway, { method: 'GET', url: '/firewall/settings', cookie: back })).status, 403)
    await gateway.close()
  })

  it('that the operator chose neither expires nor must be changed', async () => {
    const gateway = await createTestGateway({ parts: { firstPasswordMustChange: true } })
    await gateway.addAdministrator('admin', 'predefined_admin_write')
    gateway.clock.advance(48 * hour)
    const cookie = cookieFrom(await signIn(gateway))
    assert.equal((await ask(gateway, { method: 'GET', url: '/firewall/settings', cookie })).status, 200)
    assert.equal(gateway.services.accounts.firstPassword.pending(), null)
    await gateway.close()
  })
})
