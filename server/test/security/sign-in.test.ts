// Signing in and out as the contract describes it: the cookies letter by letter, the path they are set for, and that every
// kind of failure looks the same.
// Requirements 1, 4, 5, 6, 11 and 40.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { competences, roleIds, roles } from '../../src/core/contract/access.ts'
import { ask, cookieFrom, cookieOf } from '../contract/contract.ts'
import { type Answer, createTestGateway, type TestGateway, testPassword } from '../support/test-gateway.ts'

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}'

describe('signing in', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await createTestGateway()
    await gateway.addAdministrator('Bob', 'predefined_firewall_admin')
  })
  after(() => gateway.close())

  let source = 0
  const signIn = (login: string, password: string, rest_path = '/', rest: { cookie?: string; from?: string } = {}) =>
    ask(gateway, {
      method: 'POST',
      url: '/web/auth/login',
      body: { login, password, rest_path },
      from: `10.1.${(++source >> 8) & 255}.${source & 255}`,
      ...rest,
    })
  const setCookies = (answer: Answer): string[] => answer.headers['set-cookie'] as string[]

  it('sets the two cookies of the contract, for the path asked for', async () => {
    for (const path of ['/', '/rest', '/rest/', '/a/b/c/d', '/a-b_c~d.e']) {
      const answer = await signIn('Bob', testPassword, path)
      assert.equal(answer.status, 200)
      assert.equal(answer.text, '')
      const [session = '', secure = '', ...more] = setCookies(answer)
      assert.deepEqual(more, [])
      const flags = `; HttpOnly; Path=${path}; SameSite=Strict; Secure`
      assert.match(session, new RegExp(`^insecure-portcullis-session=${uuid}${flags}$`))
      assert.match(secure, new RegExp(`^__Secure-portcullis-${uuid}=${uuid}:1767225600${flags}$`))
    }
  })

  it('opens every later call with both cookies', async () => {
    const cookie = cookieFrom(await signIn('Bob', testPassword))
    const answer = await ask(gateway, { method: 'GET', url: '/web/whoami', cookie })
    assert.deepEqual(answer.body, {
      login: 'Bob',
      name: 'Bob',
      role_id: 'predefined_firewall_admin',
      role_name: 'Firewall administrator',
      competence: ['admin_read', 'admin_write', 'reports_view'],
    })
  })

  it('takes one spelling of a login as the same person', async () => {
    for (const login of ['bob', 'BOB', 'ｂｏｂ']) assert.equal((await signIn(login, testPassword)).status, 200, login)
    for (const login of [' bob', 'bob ', 'bob\u0000', 'b\u200bob', 'bоb']) {
      assert.equal((await signIn(login, testPassword)).status, 401, JSON.stringify(login))
    }
  })

  it('compares the password exactly as it was sent', async () => {
    const near = [
      testPassword.toUpperCase(),
      ` ${testPassword}`,
      `${testPassword} `,
      testPassword.slice(0, -1),
      `${testPassword}\u0000`,
      testPassword.normalize('NFKC').replace('o', 'ο'),
      testPassword.replaceAll(' ', '\u00a0'),
    ]
    for (const password of near) assert.equal((await signIn('Bob', password)).status, 401, JSON.stringify(password))
  })

  it('refuses a rest_path that could leave the cookie', async () => {
    const hostile = [
      '',
      'rest',
      '//',
      '/..',
      '/../x',
      '/a/../b',
      '/x;y',
      '/x; Domain=evil.test',
      '/;Secure',
      '/x\r\ny',
      '/x\ny',
      '/%0d%0aSet-Cookie:x',
      '/%2e%2e',
      '/a b',
      '/a,b',
      '/é',
      '/\u0000',
      '/a\\b',
      '/a"b',
      '/a?b',
      '/a#b',
      `/${'a'.repeat(65)}`,
      '/a/b/c/d/e',
      'http://evil.test/',
      '/a//b',
      '*',
      '/x=y',
      '/\u2028',
    ]
    for (const path of hostile) {
      const answer = await signIn('Bob', testPassword, path)
      assert.equal(answer.status, 422, JSON.stringify(path))
      assert.equal(answer.body.problems[0].field, 'rest_path')
      assert.equal(answer.headers['set-cookie'], undefined)
    }
  })

  it('fails alike for an unknown login, a wrong password, a disabled account and another directory', async () => {
    const id = await gateway.addAdministrator('sleeper', 'predefined_admin_write')
    const admin = await gateway.client('predefined_admin_write')
    await admin('PATCH', `/web/admins/local/${id}`, { enabled: false })
    const answers = [
      await signIn('nobody', testPassword),
      await signIn('Bob', 'wrong password'),
      await signIn('sleeper', testPassword),
      await signIn('Bob@radius', testPassword),
      await signIn('Bob@corp.example', testPassword),
      await signIn('@', testPassword),
      await signIn('Bob@', testPassword),
    ]
    const seen = answers.map(({ status, body, headers }) => {
      const { request_id: _id, ...rest } = body
      const { date: _date, ...fixed } = headers
      return JSON.stringify([status, rest, { ...fixed, 'content-length': '' }])
    })
    assert.equal(new Set(seen).size, 1, seen.join('\n'))
    assert.equal(answers[0]?.status, 401)
    assert.equal(answers[0]?.body.message, 'The login or the password is wrong.')
  })

  it('never continues a session that was presented', async () => {
    const planted = gateway.services.accounts.sessions.create(
      await gateway.addAdministrator('eve', 'predefined_reports_view'),
      '10.0.0.9',
      '/',
    )
    const fixed = { ...planted, session: crypto.randomUUID() }
    for (const cookie of [cookieOf(planted), cookieOf(fixed)]) {
      const fresh = cookieFrom(await signIn('Bob', testPassword, '/', { cookie }))
      for (const half of cookie.split('; ')) assert.ok(!fresh.includes(half.split('=')[1] ?? ''))
      assert.equal((await ask(gateway, { method: 'GET', url: '/web/whoami', cookie: fresh })).body.login, 'Bob')
    }
    const answer = await ask(gateway, { method: 'GET', url: '/web/whoami', cookie: cookieOf(planted) })
    assert.equal(answer.status, 401, 'the presented session is over')
  })

  it('never shows the same identifier twice', async () => {
    const id = await gateway.addAdministrator('many', 'predefined_reports_view')
    const count = process.env.PORTCULLIS_NIGHTLY ? 1_000_000 : 10_000
    const seen = new Set<string>()
    gateway.services.accounts.transact(() => {
      for (let made = 0; made < count; made++) {
        const { session, secureName, secureValue, handle } = gateway.services.accounts.sessions.create(
          id,
          '10.0.0.1',
          '/',
        )
        for (const value of [session, secureName, secureValue, handle]) seen.add(value)
      }
    })
    assert.equal(seen.size, count * 4)
  })

  it('shows each role its own name and competence', async () => {
    for (const role of roleIds) {
      const client = await gateway.client(role)
      const { body } = await client('GET', '/web/whoami')
      assert.deepEqual([body.role_id, body.role_name, body.competence], [role, roles[role], competences[role]])
    }
  })

  it('ends with both cookies cleared, at the root and at the path they were set for', async () => {
    for (const path of ['/', '/rest']) {
      const signedIn = await signIn('Bob', testPassword, path)
      const cookie = cookieFrom(signedIn)
      const name = cookie.split('; ')[1]?.split('=')[0] ?? ''
      const answer = await ask(gateway, { method: 'DELETE', url: '/web/auth/login', cookie })
      assert.equal(answer.status, 200)
      assert.equal(answer.text, '')
      const paths = path === '/' ? ['/'] : ['/', path]
      assert.deepEqual(
        setCookies(answer),
        paths.flatMap((p) => [
          `insecure-portcullis-session=""; expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0; Path=${p}`,
          `${name}=""; HttpOnly; Max-Age=0; Path=${p}; SameSite=Strict; Secure`,
        ]),
      )
      assert.equal(answer.headers['clear-site-data'], '"cache", "storage"')
      assert.equal((await ask(gateway, { method: 'GET', url: '/web/whoami', cookie })).status, 401)
    }
  })

  it('puts no name into a clearing header that is not one of ours', async () => {
    const own = cookieFrom(await signIn('Bob', testPassword))
    const cookie = `${own}; __Secure-portcullis-\u0001=x; __Secure-portcullis-a b=x; __Secure-portcullis-=x`
    const answer = await ask(gateway, { method: 'DELETE', url: '/web/auth/login', cookie })
    assert.equal(answer.status, 200)
    assert.equal(setCookies(answer).length, 2)
  })
})
