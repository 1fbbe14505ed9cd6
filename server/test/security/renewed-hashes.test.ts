// A password hash made at a lower cost than today's is replaced at the next sign-in, without ending sessions.

import assert from 'node:assert/strict'
import { argon2Sync, randomBytes } from 'node:crypto'
import { it } from 'node:test'
import { administrators, findByLogin, passwordPlace } from '../../src/areas/administrators/config.ts'
import { updateItem } from '../../src/core/model/list-edits.ts'
import { createTestGateway } from '../support/test-gateway.ts'

const password = 'an old but long password'

function cheapHash(): string {
  const nonce = randomBytes(16)
  const tag = argon2Sync('argon2id', {
    message: password,
    nonce,
    memory: 1_024,
    passes: 1,
    parallelism: 1,
    tagLength: 32,
  })
  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replaceAll('=', '')
  return `$argon2id$v=19$m=1024,t=1,p=1$${text(nonce)}$${text(tag)}`
}

it('an outdated hash is renewed at sign-in and the other sessions go on', async () => {
  const gateway = await createTestGateway()
  const client = await gateway.client('predefined_admin_readonly')
  const { engine } = gateway
  const admin = findByLogin(engine.config, 'of-predefined_admin_readonly')
  assert.ok(admin)
  const old = gateway.vault.seal(cheapHash(), passwordPlace(admin.id))
  await engine.change({
    edit: (config) => [updateItem(config, administrators, { ...admin, password_hash: old }), null],
    actor: { login: 'system', address: '127.0.0.1' },
    reason: 'test',
  })
  const signIn = (attempt: string) =>
    client('POST', '/web/auth/login', { login: admin.login, password: attempt, rest_path: '/' }, { cookie: '' })
  assert.equal((await signIn('not this password')).status, 401)
  assert.equal(findByLogin(engine.config, admin.login)?.password_hash.sealed, old.sealed)
  assert.equal((await signIn(password)).status, 200)
  const renewed = findByLogin(engine.config, admin.login)
  assert.ok(renewed)
  assert.match(
    gateway.vault.reveal(renewed.password_hash, passwordPlace(admin.id)),
    /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/,
  )
  assert.equal((await client('GET', '/web/whoami')).status, 200)
  assert.equal((await signIn(password)).status, 200)
  await gateway.close()
})

it('no session begins when the password is changed while the hash is renewed', async () => {
  const gateway = await createTestGateway()
  const admin = await gateway.client('predefined_admin_write')
  const id = await gateway.addAdministrator('slow', 'predefined_admin_readonly')
  const { engine, services } = gateway
  const stored = findByLogin(engine.config, 'slow')
  assert.ok(stored)
  await engine.change({
    edit: (config) => [
      updateItem(config, administrators, {
        ...stored,
        password_hash: gateway.vault.seal(cheapHash(), passwordPlace(id)),
      }),
      null,
    ],
    actor: { login: 'system', address: '127.0.0.1' },
    reason: 'test',
  })
  const hash = services.accounts.passwords.hash.bind(services.accounts.passwords)
  let isFirst = true
  services.accounts.passwords.hash = async (...values) => {
    const renewed = await hash(...values)
    if (isFirst) {
      isFirst = false
      const changed = await admin('PATCH', `/web/admins/local/${id}`, { password: 'a wholly new phrase' })
      assert.equal(changed.status, 200)
    }
    return renewed
  }
  const body = { login: 'slow', password, rest_path: '/' }
  assert.equal((await admin('POST', '/web/auth/login', body, { cookie: '' })).status, 401)
  assert.deepEqual(
    services.accounts.sessions.list().filter((session) => session.adminId === id),
    [],
  )
  await gateway.close()
})
