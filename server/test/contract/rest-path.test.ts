// The prefix of the cookies: anyone who signs in for /rest finds the whole interface there.
// Requirement 5.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createTestGateway, type TestGateway, testPassword } from '../support/test-gateway.ts'

describe('below /rest', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await createTestGateway()
    await gateway.addAdministrator('resting', 'predefined_admin_write')
  })
  after(() => gateway.close())

  const call = (method: 'GET' | 'POST' | 'PATCH' | 'PUT', url: string, cookie = '', body?: object) =>
    gateway.http.inject({
      method,
      url,
      headers: { host: 'gateway.test', cookie },
      ...(body ? { payload: JSON.stringify(body) } : {}),
    })

  it('serves every path, with the same rules', async () => {
    const credentials = { login: 'resting', password: testPassword, rest_path: '/rest' }
    const signedIn = await call('POST', '/rest/web/auth/login', '', credentials)
    assert.equal(signedIn.statusCode, 200)
    const cookies = [signedIn.headers['set-cookie']].flat().map(String)
    assert.ok(cookies.every((cookie) => cookie.includes('; Path=/rest;')))
    const cookie = cookies.map((text) => text.split(';')[0]).join('; ')

    assert.equal((await call('GET', '/rest/web/whoami', cookie)).json().login, 'resting')
    assert.equal((await call('PATCH', '/rest/gather_stat/settings', cookie, { enabled: true })).statusCode, 200)
    assert.deepEqual((await call('GET', '/gather_stat/settings', cookie)).json(), { enabled: true })
    const csv = await call('GET', '/rest/web/admins/local?format_type=CSV&columns=%5B%22login%22%5D', cookie)
    assert.equal(csv.body, 'login\r\nresting\r\n')

    assert.equal((await call('GET', '/rest/gather_stat/settings')).statusCode, 401)
    const wrongMethod = await call('PUT', '/rest/gather_stat/settings', cookie, {})
    assert.deepEqual([wrongMethod.statusCode, wrongMethod.headers.allow], [405, 'GET, HEAD, PATCH'])
  })

  it('serves nothing twice, and nothing that only looks like it', async () => {
    const admin = await gateway.client('predefined_admin_write')
    for (const url of ['/rest', '/rest/', '/rest/rest/web/whoami', '/resting/web/whoami', '/REST/web/whoami'])
      assert.equal((await admin('GET', url)).status, 404, url)
  })
})
