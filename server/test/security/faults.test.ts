// A fault of ours at any step of a request: never a success, never an unguarded action, never a word about the inside, and
// the next request is served.
// Requirement 55.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { defineArea, handle } from '../../src/core/area/handle.ts'
import { endpoint } from '../../src/core/contract/endpoint.ts'
import { strictObject } from '../../src/core/contract/fields.ts'
import { Type } from '../../src/core/contract/schema.ts'
import { internalMessage } from '../../src/gatewayd/http/errors.ts'
import { sentencesIn } from '../../src/shared/said.ts'
import { ask } from '../contract/contract.ts'
import { type Answer, type Client, createTestGateway, type TestGateway, testPassword } from '../support/test-gateway.ts'

const secret = 'inner-detail /var/lib/portcullis SELECT password'
const faulty = (path: string) =>
  endpoint({ method: 'GET', path, access: 'view', summary: 'Fails', reply: strictObject({ a: Type.Integer() }) })

const thrown: readonly [path: string, fail: () => never][] = [
  [
    '/fault/error',
    () => {
      throw new Error(secret)
    },
  ],
  [
    '/fault/type',
    () => {
      throw new TypeError(secret)
    },
  ],
  [
    '/fault/text',
    () => {
      throw secret
    },
  ],
  [
    '/fault/null',
    () => {
      throw null
    },
  ],
  [
    '/fault/undefined',
    () => {
      throw undefined
    },
  ],
  [
    '/fault/object',
    () => {
      throw { statusCode: 200, message: secret }
    },
  ],
  [
    '/fault/status',
    () => {
      throw Object.assign(new Error(secret), { statusCode: 200, code: 'X' })
    },
  ],
]

const area = defineArea({
  name: 'faults',
  slots: [],
  routes: [
    ...thrown.flatMap(([path, fail]) => [
      handle(faulty(path), fail),
      handle(faulty(`${path}-later`), async () => {
        await Promise.resolve()
        return fail()
      }),
    ]),
    handle(faulty('/fault/shape'), () => ({ a: secret }) as never),
    handle(faulty('/fault/nothing'), () => undefined as never),
    handle(faulty('/fault/change'), ({ change }) => change((config) => config) as never),
  ],
})

describe('a fault', () => {
  let gateway: TestGateway
  let admin: Client
  before(async () => {
    gateway = await createTestGateway({ extraAreas: [area] })
    admin = await gateway.client('predefined_admin_write')
    await gateway.addAdministrator('somebody', 'predefined_admin_write')
  })
  after(() => gateway.close())

  const assertInternal = (answer: Answer, title: string): void => {
    assert.equal(answer.status, 500, `${title}: ${answer.text}`)
    const { request_id, ...rest } = answer.body
    const sentences = sentencesIn(internalMessage)
    assert.equal(sentences.length, 1)
    assert.deepEqual(rest, { code: 'internal', message: internalMessage, sentences }, title)
    const entries = gateway.log.take()
    assert.equal(entries.length, 1, `${title} is in the log once`)
    assert.equal(entries[0]?.fields.request_id, request_id)
  }

  it('of a handler is reported in a fixed sentence, whatever was thrown', async () => {
    for (const { endpoint: each } of area.routes) assertInternal(await admin('GET', each.path), each.path)
    assert.equal((await admin('GET', '/web/whoami')).status, 200)
  })

  it('while the session is looked up lets no one in', async (t) => {
    const mock = t.mock.method(gateway.services.accounts.sessions, 'open', () => {
      throw new Error(secret)
    })
    const cookie = `${admin.cookie}; fresh=1`
    for (const method of ['GET', 'PATCH']) {
      assertInternal(await ask(gateway, { method, url: '/firewall/settings', cookie, body: {} }), method)
    }
    mock.mock.restore()
    assert.equal((await ask(gateway, { method: 'GET', url: '/firewall/settings', cookie })).status, 200)
  })

  it('while a session is touched lets no one in', async (t) => {
    assert.equal((await admin('GET', '/web/whoami')).status, 200)
    const mock = t.mock.method(gateway.services.accounts.sessions, 'touch', () => {
      throw new Error(secret)
    })
    assertInternal(await admin('GET', '/web/whoami'), 'touch')
    mock.mock.restore()
  })

  const steps: [title: string, object: () => object, method: string][] = [
    ['opening the stored hash', () => gateway.services.vault, 'reveal'],
    ['computing the hash', () => gateway.services.accounts.passwords, 'fits'],
    ['asking for blocks', () => gateway.services.accounts.guard, 'secondsBlocked'],
    ['asking for the account', () => gateway.services.accounts.guard, 'isAccountClosed'],
    ['clearing the count', () => gateway.services.accounts.guard, 'recordSuccess'],
    ['writing the audit trail', () => gateway.services.audit, 'write'],
    ['making the session', () => gateway.services.accounts.sessions, 'create'],
  ]
  for (const [title, object, method] of steps) {
    it(`while ${title} signs no one in and leaves the audit trail intact`, async (t) => {
      const sessions = gateway.services.accounts.sessions.list().length
      const mock = t.mock.method(object() as Record<string, () => never>, method, () => {
        throw new Error(secret)
      })
      const body = { login: 'somebody', password: testPassword, rest_path: '/' }
      const answer = await ask(gateway, { method: 'POST', url: '/web/auth/login', body, from: '192.0.2.44' })
      mock.mock.restore()
      assertInternal(answer, title)
      assert.equal(answer.headers['set-cookie'], undefined)
      assert.equal(gateway.services.accounts.sessions.list().length, sessions)
      assert.equal((await admin('GET', '/journal/verify')).body.intact, true)
    })
  }

  it('while a change is written leaves neither the change nor half of it', async (t) => {
    const id = await gateway.addAdministrator('target', 'predefined_reports_view')
    for (const [object, method] of [
      [gateway.services.audit, 'write'],
      [gateway.services.accounts.sessions, 'endAllOf'],
    ] as const) {
      const { revision } = gateway.engine
      const mock = t.mock.method(object as unknown as Record<string, () => never>, method, () => {
        throw new Error(secret)
      })
      const answer = await admin('PATCH', `/web/admins/local/${id}`, { enabled: false })
      mock.mock.restore()
      assertInternal(answer, method)
      assert.equal(gateway.engine.revision, revision)
      const shown = (await admin('GET', '/web/admins/local')).body.find((item: { id: string }) => item.id === id)
      assert.equal(shown.enabled, true)
    }
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    const shown = (await admin('GET', '/web/admins/local')).body.find((item: { id: string }) => item.id === id)
    assert.equal(shown.enabled, true)
    assert.equal((await admin('GET', '/journal/verify')).body.intact, true)
  })

  it('while refusals are noted does not hide the refusal', async (t) => {
    const mock = t.mock.method(gateway.services.audit, 'note', () => {
      throw new Error(secret)
    })
    const answer = await (await gateway.client(null))('GET', '/firewall/settings')
    mock.mock.restore()
    assert.equal(answer.status, 401)
    assert.doesNotMatch(answer.text, /inner-detail/)
    assert.deepEqual(
      gateway.log.take().map(({ message }) => message),
      ['a refusal was not audited'],
    )
  })
})
