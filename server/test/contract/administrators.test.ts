// Local administrators: creation, change, deletion, and the rules of logins, names, passwords and comments.
// Requirement 13.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { roleIds } from '../../src/core/contract/access.ts'
import { type Client, createTestGateway, type TestGateway, testPassword } from '../support/test-gateway.ts'
import { ask } from './contract.ts'

describe('local administrators', () => {
  let gateway: TestGateway
  let admin: Client
  let number = 0
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
  })
  after(() => gateway.close())

  const fields = (changes: Record<string, unknown> = {}) => ({
    enabled: true,
    name: 'Some Body',
    login: `somebody-${++number}`,
    password: 'correct battery staple',
    role: 'predefined_reports_view',
    comment: '',
    ...changes,
  })
  const create = async (changes: Record<string, unknown> = {}): Promise<string> => {
    const { status, body, text } = await admin('POST', '/web/admins/local', fields(changes))
    assert.equal(status, 200, text)
    return body.id
  }
  const list = async (): Promise<Record<string, unknown>[]> => (await admin('GET', '/web/admins/local')).body
  const signIn = async (login: string, password: string): Promise<number> => {
    const body = { login, password, rest_path: '/' }
    return (await ask(gateway, { method: 'POST', url: '/web/auth/login', body, from: `10.2.0.${++number % 250}` }))
      .status
  }

  it('are created with what was sent, shown without the password, and can sign in', async () => {
    const sent = fields({ comment: 'first' })
    const { body } = await admin('POST', '/web/admins/local', sent)
    assert.deepEqual(Object.keys(body), ['id'])
    assert.match(body.id, /^[0-9a-f]{8}-[0-9a-f]{4}-4/)
    const shown = (await list()).find((item) => item.id === body.id)
    const { password, ...rest } = sent
    assert.deepEqual(shown, { id: body.id, ...rest, password_timestamp: 1_767_225_600 })
    assert.equal(await signIn(sent.login, password), 200)
  })

  it('keep the old password when the new one is null or absent', async () => {
    const id = await create({ login: 'keeper' })
    gateway.clock.advance(100)
    for (const body of [{ password: null }, { comment: 'x' }, { password: null, name: 'y' }]) {
      assert.equal((await admin('PATCH', `/web/admins/local/${id}`, body)).status, 200)
      assert.equal(await signIn('keeper', 'correct battery staple'), 200)
    }
    const before = (await list()).find((item) => item.id === id)?.password_timestamp
    assert.equal((await admin('PATCH', `/web/admins/local/${id}`, { password: 'another phrase' })).status, 200)
    assert.equal(await signIn('keeper', 'correct battery staple'), 401)
    assert.equal(await signIn('keeper', 'another phrase'), 200)
    const after = (await list()).find((item) => item.id === id)?.password_timestamp
    assert.equal(Number(after) - Number(before), 100)
  })

  it('change only in the fields that were sent', async () => {
    const id = await create({ comment: 'stays', role: 'predefined_security_admin' })
    const before = (await list()).find((item) => item.id === id)
    await admin('PATCH', `/web/admins/local/${id}`, { name: 'Other' })
    assert.deepEqual(
      (await list()).find((item) => item.id === id),
      { ...before, name: 'Other' },
    )
    const revision = gateway.engine.revision
    assert.equal((await admin('PATCH', `/web/admins/local/${id}`, {})).status, 200)
    assert.equal((await admin('PATCH', `/web/admins/local/${id}`, { name: 'Other' })).status, 200)
    assert.equal(gateway.engine.revision, revision, 'what changes nothing makes no revision')
  })

  const taken = ['twin', 'TWIN', 'Twin', 'ｔｗｉｎ']
  it('cannot share a login, in whatever spelling', async () => {
    await create({ login: 'twin' })
    const other = await create({ login: 'other-twin' })
    for (const login of taken) {
      const made = await admin('POST', '/web/admins/local', fields({ login }))
      assert.equal(made.status, 409, login)
      assert.equal(made.body.code, 'conflict')
      assert.equal(made.body.problems[0].field, 'login')
      assert.equal((await admin('PATCH', `/web/admins/local/${other}`, { login })).status, 409)
    }
    assert.equal((await admin('PATCH', `/web/admins/local/${other}`, { login: 'OTHER-twin' })).status, 200, 'one’s own')
  })

  it('cannot share a login when both are sent at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => admin('POST', '/web/admins/local', fields({ login: 'race' }))),
    )
    assert.deepEqual(answers.map((answer) => answer.status).sort(), [200, 409, 409, 409, 409])
  })

  it('have logins without the characters the contract forbids', async () => {
    const refused = [
      '',
      '.',
      '..',
      'a:b',
      'a\\b',
      'a/b',
      'a~b',
      'a$b',
      'a!b',
      'a b',
      'a\tb',
      'a@b',
      'a\nb',
      'a\u00a0b',
      'a\u2028b',
      'a\u0000b',
      'a\u007fb',
      'a\u0085b',
      'x'.repeat(43),
      '😀'.repeat(43),
    ]
    for (const login of refused) {
      const answer = await admin('POST', '/web/admins/local', fields({ login }))
      assert.equal(answer.status, 422, JSON.stringify(login))
      assert.equal(answer.body.problems[0].field, 'login')
    }
    for (const login of [
      '...',
      'a',
      '.a',
      'x'.repeat(42),
      '😀'.repeat(42),
      'имя',
      "o'neil",
      '12345',
      '-',
      '<b>',
      '"q"',
    ]) {
      await create({ login })
    }
  })

  const passwords: [password: string, isTaken: boolean][] = [
    ['x7Kq2Wm9T', false],
    ['x7Kq2Wm9Tz', true],
    ['ж'.repeat(9), false],
    ['жжжжжжжжжя', true],
    ['😀'.repeat(9), false],
    [`${'😀'.repeat(9)}😎`, true],
    [`${'q'.repeat(41)}w`, true],
    [`${'q'.repeat(42)}w`, false],
    [`${'😀'.repeat(41)}😎`, true],
    [`${'😀'.repeat(42)}😎`, false],
    ['          ', true],
    [' leading and trailing ', true],
    ['tab\tand\nnewline', true],
    ['e\u0301'.repeat(5), true],
    ['1234567890', false],
    ['QWERTYUIOP', false],
    ['my-portcullis-gate', false],
    ['the GATEWAY-HOST here', false],
    ['password-of-weakling', false],
    ['', false],
  ]
  for (const [password, isTaken] of passwords) {
    it(`${isTaken ? 'take' : 'refuse'} the password ${JSON.stringify(password)}`, async () => {
      const login = password.includes('weakling') ? 'weakling' : `login-${++number}`
      const answer = await admin('POST', '/web/admins/local', fields({ login, password }))
      assert.equal(answer.status, isTaken ? 200 : 422, answer.text)
      if (isTaken) assert.equal(await signIn(login, password), 200)
      else assert.equal(answer.body.problems[0].field, 'password')
      assert.ok(
        password === '' || !answer.text.includes(JSON.stringify(password).slice(1, -1)),
        'the answer repeats it',
      )
    })
  }

  it('take a comment of 255 characters, whatever they are, and refuse the 256th', async () => {
    const id = await create()
    for (const character of ['a', 'ж', '😀', '"', '\\', '<']) {
      const comment = character.repeat(255)
      assert.equal((await admin('PATCH', `/web/admins/local/${id}`, { comment })).status, 200, character)
      assert.equal((await list()).find((item) => item.id === id)?.comment, comment)
      const longer = await admin('PATCH', `/web/admins/local/${id}`, { comment: character.repeat(256) })
      assert.equal(longer.status, 422)
      assert.deepEqual(longer.body.problems, [{ field: 'comment', message: 'Must have at most 255 characters.' }])
    }
    assert.equal((await admin('PATCH', `/web/admins/local/${id}`, { comment: '' })).status, 200)
  })

  it('refuse control characters in name and comment', async () => {
    const id = await create()
    const controls = [...Array(32).keys(), 127, 128, 133, 159, 0x2028, 0x2029].map((code) => String.fromCharCode(code))
    for (const character of controls) {
      for (const field of ['name', 'comment']) {
        const answer = await admin('PATCH', `/web/admins/local/${id}`, { [field]: `a${character}b` })
        assert.equal(answer.status, 422, `${field} ${character.charCodeAt(0)}`)
        assert.deepEqual(answer.body.problems, [{ field, message: 'Must not contain control characters.' }])
      }
    }
  })

  it('cannot be given fields that are only shown', async () => {
    const id = await create()
    const before = (await list()).find((item) => item.id === id)
    for (const field of ['id', 'password_timestamp', 'password_hash']) {
      for (const [method, url, body] of [
        ['POST', '/web/admins/local', fields({ [field]: 1 })],
        ['PATCH', `/web/admins/local/${id}`, { [field]: 1 }],
      ] as const) {
        const answer = await admin(method, url, body)
        assert.equal(answer.status, 422)
        assert.deepEqual(answer.body.problems, [{ field, message: 'Unknown field.' }])
      }
    }
    assert.equal(
      (await admin('PATCH', `/web/admins/local/${id}`, before)).status,
      422,
      'nor by sending back what was shown',
    )
  })

  it('know seven roles and no other', async () => {
    for (const role of roleIds) await create({ role })
    for (const role of ['', 'admin', 'predefined_admin_WRITE', 'predefined_admin_write ', '__proto__']) {
      assert.equal((await admin('POST', '/web/admins/local', fields({ role }))).status, 422, role)
    }
  })

  it('that do not exist cannot be changed or deleted', async () => {
    const id = await create()
    assert.equal((await admin('DELETE', `/web/admins/local/${id}`)).status, 200)
    for (const missing of [id, 'x', '..', '%00', '1', 'administrators.local']) {
      const url = `/web/admins/local/${missing}`
      assert.equal((await admin('PATCH', url, { comment: 'x' })).status, 404, missing)
      assert.equal((await admin('PATCH', url, { password: 'a long pass phrase' })).status, 404, missing)
      assert.equal((await admin('DELETE', url)).status, 404, missing)
    }
  })
})

describe('the last local administrator', () => {
  it('can delete others but not be deleted, disabled or reverted to a time without any', async () => {
    const gateway = await createTestGateway()
    const admin = await gateway.client('predefined_admin_write')
    const [{ id }] = (await admin('GET', '/web/admins/local')).body
    const other = await gateway.addAdministrator('other', 'predefined_admin_write')
    assert.equal((await admin('DELETE', `/web/admins/local/${other}`)).status, 200)
    const { revision } = gateway.engine
    const refused = await admin('DELETE', `/web/admins/local/${id}`)
    assert.equal(refused.status, 409)
    assert.equal(refused.body.message, 'The last local administrator cannot be removed.')
    assert.equal((await admin('POST', '/config/revisions/0/revert')).status, 409)
    assert.equal(gateway.engine.revision, revision)
    assert.equal((await admin('GET', '/web/whoami')).status, 200)
    assert.equal((await admin('PATCH', `/web/admins/local/${id}`, { enabled: false })).status, 422)
    assert.equal((await admin('GET', '/web/whoami')).status, 200)
    await gateway.close()
  })

  it('may delete themselves while there is another', async () => {
    const gateway = await createTestGateway()
    const admin = await gateway.client('predefined_admin_write')
    const [{ id }] = (await admin('GET', '/web/admins/local')).body
    await gateway.addAdministrator('other', 'predefined_admin_write')
    assert.equal((await admin('DELETE', `/web/admins/local/${id}`)).status, 200)
    assert.equal((await admin('GET', '/web/whoami')).status, 401)
    const body = { login: 'other', password: testPassword, rest_path: '/' }
    assert.equal((await ask(gateway, { method: 'POST', url: '/web/auth/login', body })).status, 200)
    await gateway.close()
  })
})
