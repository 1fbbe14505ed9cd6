// Secrets go in and never come out: canaries are planted in every secret field, then every reply, diff, audit record,
// log line and file is searched for them.
// Requirements 22, 42, 43 and 44.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { administrators, findById, passwordPlace } from '../../src/areas/administrators/config.ts'
import { licence } from '../../src/areas/licence/config.ts'
import { roleIds } from '../../src/core/contract/access.ts'
import { nameOf } from '../../src/core/contract/endpoint.ts'
import { createLog } from '../../src/core/log.ts'
import { read, write } from '../../src/core/model/slots.ts'
import { ask, endpoints, fillPath } from '../contract/contract.ts'
import { type Answer, type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const canaries = {
  created: 'canary-created-7f3a9',
  patched: 'canary-patched-51be2',
  refused: 'canary-refused-c9d04',
  token: 'canary-token-0e77d1a5',
  guessed: 'canary-guessed-88aa1',
  typed: 'canary-typed-as-login-3b',
  path: 'canary-path-6d21f0',
  query: 'canary-query-b8e4a7',
}

describe('a secret', () => {
  let gateway: TestGateway
  let admin: Client
  let id = ''
  const lines: string[] = []
  const replies: [title: string, text: string][] = []
  before(async () => {
    const log = createLog((line) => lines.push(line))
    gateway = await createTestGateway({ parts: { log, logsRequests: true } })
    admin = await gateway.client('predefined_admin_write')
    await plant()
  })
  after(() => gateway.close())

  const keep = (title: string, answer: Answer): Answer => {
    replies.push([title, answer.text + JSON.stringify(answer.headers)])
    return answer
  }

  async function plant(): Promise<void> {
    const body = { enabled: true, name: 'Holder', login: 'holder', role: 'predefined_reports_view', comment: '' }
    const created = keep('create', await admin('POST', '/web/admins/local', { ...body, password: canaries.created }))
    id = created.body.id
    const url = `/web/admins/local/${id}`
    keep('dry run', await admin('PATCH', `${url}?dry_run=true`, { password: canaries.refused }))
    keep('patch', await admin('PATCH', url, { password: canaries.patched }))
    keep(
      'refused with another fault',
      await admin('PATCH', url, { password: canaries.refused, nope: canaries.refused }),
    )
    keep('refused as taken', await admin('POST', '/web/admins/local', { ...body, password: canaries.refused }))
    keep('too long', await admin('PATCH', url, { password: canaries.refused.repeat(3) }))
    keep('no JSON', await admin('PATCH', url, `{"password":"${canaries.refused}"`))
    keep(
      'read-only role',
      await (await gateway.client('predefined_admin_readonly'))('PATCH', url, { password: canaries.refused }),
    )
    await plantAddresses()
    keep('register', await admin('POST', '/license/register', { token: canaries.token }))
    const guesses: [string, string][] = [
      ['holder', canaries.guessed],
      [canaries.typed, 'x'],
      ['holder', canaries.patched],
    ]
    for (const [login, password] of guesses) {
      keep(
        'sign-in',
        await ask(gateway, { method: 'POST', url: '/web/auth/login', body: { login, password, rest_path: '/' } }),
      )
    }
    await admin('POST', '/config/keys/rotate')
  }

  const hidden = (host: string): string => `https://${host}/${canaries.path}?key=${canaries.query}`

  /** Every address whose path and query are a secret; the test below compares them with the contract. */
  async function plantAddresses(): Promise<void> {
    const hooks = '/health/notifications/webhooks'
    const made = keep('webhook', await admin('POST', hooks, { title: 'Chat', url: hidden('hooks.test') }))
    assert.equal(made.status, 200)
    const hook = `${hooks}/${made.body.id}`
    keep('webhook dry run', await admin('PATCH', `${hook}?dry_run=true`, { url: hidden('other.test') }))
    keep('webhook elsewhere', await admin('PATCH', hook, { url: hidden('other.test') }))
    keep('webhook with a fault', await admin('PATCH', hook, { url: hidden('other.test'), nope: 1 }))
    keep('webhook removed', await admin('DELETE', hook))
    const again = await admin('POST', hooks, { title: 'Chat', url: hidden('hooks.test') })
    assert.equal(again.status, 200)
    const providers = '/user_cabinet_backend/second_factor_providers'
    for (const name of ['smssvc', 'multifactor'])
      keep(name, await admin('PATCH', providers, { [name]: { url: hidden(`${name}.test`), key: canaries.refused } }))
  }

  const assertAbsent = (title: string, text: string | Buffer): void => {
    for (const canary of Object.values(canaries)) {
      assert.equal(text.indexOf(canary), -1, `${canary} in ${title}`)
      assert.equal(
        text.indexOf(Buffer.from(canary).toString('base64').slice(0, 16)),
        -1,
        `${canary} as base64 in ${title}`,
      )
    }
    assert.equal(text.indexOf('$argon2'), -1, `a password hash in ${title}`)
  }

  it('is taken', () => {
    const stored = findById(gateway.engine.config, id)
    assert.ok(stored)
    assert.match(gateway.vault.reveal(stored.password_hash, passwordPlace(id)), /^\$argon2id\$/)
  })

  it('is in the path and query of every address of the contract that names a receiver', () => {
    const found = endpoints.flatMap((endpoint) => {
      const text = JSON.stringify(endpoint.body ?? {})
      return [...text.matchAll(/"([a-z_]+)":\{[^{}]*"pattern":"[^"]*https:/g)].map(([whole, field]) =>
        whole.includes('"x-hidden-path":true') || /"x-hidden-path":true/.test(text)
          ? `${nameOf(endpoint)} ${field}`
          : `${nameOf(endpoint)} ${field} is shown`,
      )
    })
    assert.deepEqual(found.toSorted(), [
      'PATCH /health/notifications/webhooks/:target_id url',
      'PATCH /user_cabinet_backend/second_factor_providers url',
      'PATCH /user_cabinet_backend/second_factor_providers url',
      'POST /health/notifications/webhooks url',
    ])
  })

  it('is in no reply to the calls that carried it', () => {
    assert.ok(replies.length >= 12)
    for (const [title, text] of replies) assertAbsent(title, text)
  })

  it('is in no reply to any read of any role', async () => {
    const { revision } = gateway.engine
    const queries = ['', '?format_type=CSV', '?limit=10000']
    for (const role of roleIds) {
      const client = await gateway.client(role)
      for (const endpoint of endpoints.filter((candidate) => candidate.method === 'GET')) {
        const ids =
          endpoint.params.length === 0 ? [''] : Array.from({ length: revision }, (_, index) => String(index + 1))
        for (const item of ids) {
          for (const query of queries) {
            const url = fillPath(endpoint.path, item) + query
            const { text } = await client('GET', url)
            assertAbsent(`${nameOf(endpoint)} ${url} as ${role}`, text)
            assert.equal(text.includes('"sealed"'), false, 'ciphertext')
          }
        }
      }
    }
  })

  it('shows only as a mask where changes are described', async () => {
    const records = (await admin('GET', '/journal/records?limit=10000')).body as {
      changes: { fields?: { field: string; before: unknown; after: unknown }[] }[]
    }[]
    const shown = records.flatMap((record) => record.changes.flatMap((change) => change.fields ?? []))
    const secret = shown.filter((field) => field.field === 'password_hash')
    assert.ok(secret.length >= 2)
    for (const { before, after } of secret) {
      for (const value of [before, after]) assert.ok(value === '***' || value === null)
    }
  })

  it('is in no line of the log, and no line holds a cookie', () => {
    assert.ok(lines.length > 20)
    const [session = ''] = admin.cookie.split('; ').map((half) => half.split('=')[1])
    for (const line of lines) {
      assertAbsent('the log', line)
      assert.ok(!line.includes(session))
    }
  })

  it('is in no file, neither as it is nor as a hash', () => {
    gateway.services.audit.flush()
    const entries = readdirSync(gateway.folder, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile())
    const names = files.map((file) => file.name)
    assert.ok(names.includes('gateway.db') && names.includes('gateway.db-wal'))
    for (const { parentPath, name } of files) assertAbsent(name, readFileSync(join(parentPath, name)))
  })

  it('lies beside a key that only the service can read', () => {
    assert.equal(statSync(join(gateway.folder, 'vault.key')).mode & 0o777, 0o600)
  })

  it('moved to another administrator does not open his account', async () => {
    const other = await gateway.addAdministrator('thief', 'predefined_admin_write')
    const { engine } = gateway
    const victim = findById(engine.config, id)
    await engine.change({
      edit: (config) => [
        write(
          config,
          administrators,
          read(config, administrators).map((admin) =>
            admin.id === other && victim ? { ...admin, password_hash: victim.password_hash } : admin,
          ),
        ),
        null,
      ],
      actor: { login: 'test', address: '127.0.0.1' },
      reason: 'a row edited by hand',
    })
    const moved = findById(engine.config, other)
    assert.ok(moved)
    assert.throws(() => gateway.vault.reveal(moved.password_hash, passwordPlace(other)))
    const body = { login: 'thief', password: canaries.patched, rest_path: '/' }
    const answer = await ask(gateway, { method: 'POST', url: '/web/auth/login', body })
    assert.equal(gateway.log.take().length, 1)
    assert.notEqual(answer.status, 200)
    assert.equal(answer.headers['set-cookie'], undefined)
    assertAbsent('the refusal', answer.text)
  })

  it('of a licence is kept sealed', () => {
    const { registration } = read(gateway.engine.config, licence)
    assert.match(registration?.token.sealed ?? '', /^v1\.2\./)
  })
})

describe('a new key', () => {
  it('loses nothing while twenty writers write, and everything opens afterwards', async () => {
    const gateway = await createTestGateway()
    const admin = await gateway.client('predefined_admin_write')
    const ids: string[] = []
    for (let index = 0; index < 20; index++)
      ids.push(await gateway.addAdministrator(`writer-${index}`, 'predefined_reports_view'))
    const holder = await gateway.client('predefined_reports_view')
    const writers = ids.map(async (adminId, index) => {
      for (let round = 0; round < 5; round++) {
        // A few new passwords among many small changes: hashing all of them would only measure argon2.
        const body =
          round === 2 && index % 4 === 0 ? { password: `pass phrase ${index}` } : { comment: `${index}/${round}` }
        assert.equal((await admin('PATCH', `/web/admins/local/${adminId}`, body)).status, 200)
      }
    })
    const rotations = Array.from({ length: 4 }, async () => {
      await new Promise((resolve) => setImmediate(resolve))
      assert.equal((await admin('POST', '/config/keys/rotate')).status, 200)
    })
    await Promise.all([...writers, ...rotations])
    for (const [index, adminId] of ids.entries()) {
      const stored = findById(gateway.engine.config, adminId)
      assert.ok(stored)
      assert.equal(stored.comment, `${index}/4`)
      assert.match(gateway.vault.reveal(stored.password_hash, passwordPlace(adminId)), /^\$argon2id\$/)
    }
    assert.equal((await holder('GET', '/web/whoami')).status, 200, 'nobody is signed out by a new key')
    const body = { login: 'writer-0', password: 'pass phrase 0', rest_path: '/' }
    assert.equal((await ask(gateway, { method: 'POST', url: '/web/auth/login', body })).status, 200)
    assert.equal((await admin('POST', '/config/keys/rotate')).status, 200)
    const { currentKey } = gateway.vault
    for (const admin of read(gateway.engine.config, administrators)) {
      assert.equal(gateway.vault.keyOf(admin.password_hash), currentKey)
    }
    await gateway.close()
  })

  it('does not open an account that was closed', async () => {
    const gateway = await createTestGateway()
    const admin = await gateway.client('predefined_admin_write')
    const closed = await gateway.addAdministrator('closed', 'predefined_reports_view')
    for (let done = 0; done < 100; done++) gateway.services.accounts.guard.recordFailure(`192.0.2.${done}`, closed)
    await admin('POST', '/config/keys/rotate')
    assert.equal(gateway.services.accounts.guard.isAccountClosed(closed), true)
    await gateway.close()
  })
})
