// Statements are a fixed set of texts in the source and values are always bound: nothing that came in can become SQL.
// Requirement 29.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { nameOf } from '../../src/core/contract/endpoint.ts'
import { ask, endpoints, fillPath } from '../contract/contract.ts'
import { exceptions } from '../support/exceptions.ts'
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { lineOf, pieces, sourceFiles } from './source.ts'

/** The wrapper itself: passes on the texts of its callers, and its own number for the format. */
const wrapper = 'core/database/database.ts'

interface Statement {
  readonly place: string
  readonly kind: string
  readonly text: string
}

function statements(): Statement[] {
  return sourceFiles.flatMap(({ path, text }) => {
    const found = [...text.matchAll(/\.prepare(?:Arrays)?\(\s*/g)]
    const cut = found.length === 0 ? [] : pieces(text)
    return found.map((match) => {
      const start = match.index + match[0].length
      const piece = cut.find((candidate) => candidate.at === start)
      return { place: `${path}:${lineOf(text, start)}`, kind: piece?.kind ?? 'other', text: piece?.text ?? '' }
    })
  })
}

const parameters = ['limit', 'offset', 'format_type', 'columns', 'sort', 'filter', 'search']

/** By day a read gets each text in one of its parameters, and one in every parameter; the next read begins with the next one. */
const parametersOf = (read: number, text: number): readonly string[] =>
  process.env.PORTCULLIS_NIGHTLY === '1' ? parameters : [parameters[(read + text) % parameters.length] ?? '']

/** The specification gives these an answer whatever the id: the whole list, no rules, nothing to remove. */
const answersAnyId = new Set(
  exceptions('endpoints that answer any id', [
    'GET /content-filter/users_categories/:category_id',
    'GET /vpn_servers/user_access_rules/:user_id',
    'DELETE /mail/mail_queue/:message_ids',
  ]),
)

describe('SQL', () => {
  it('is prepared only from texts that are in the source', () => {
    const found = statements().filter(({ place }) => !place.startsWith('core/database/'))
    assert.ok(found.length > 30, 'the scan finds them')
    for (const { place, kind, text } of found) {
      assert.ok(kind === 'text' || kind === 'template', `${place} prepares something that is no text`)
      assert.ok(!text.includes('${'), `${place} has a hole`)
      assert.match(text.slice(1), /^(?:SELECT|INSERT|UPDATE|DELETE|PRAGMA)\b/, place)
      assert.doesNotMatch(text, /'[^']*'\s*\+|=\s*"/, place)
    }
  })

  it('is run directly only by the wrapper, with nothing from outside', () => {
    const direct = sourceFiles.filter(({ text }) => /\bDatabaseSync\b|node:sqlite/.test(text)).map(({ path }) => path)
    assert.deepEqual(direct, [wrapper])
    const source = sourceFiles.find(({ path }) => path === wrapper)?.text ?? ''
    const holes = [...source.matchAll(/\.exec\(`[^`]*\$\{([^}]*)\}/g)].map((match) => match[1])
    // Numbers of the wrapper itself.
    assert.deepEqual([...new Set(holes)].sort(), [
      'busyMilliseconds',
      'current + index + 1',
      'kind.pageBytes',
      'logWaitMilliseconds',
    ])
  })
})

describe('text that looks like SQL', () => {
  let gateway: TestGateway
  const tracers = [
    "x' OR '1'='1",
    "'; DROP TABLE items; --",
    '" OR ""="',
    '1; DELETE FROM sessions',
    "%' UNION SELECT record FROM audit --",
    'x`',
    '0 OR 1=1',
    "\\'",
    '/**/',
    "admin'--",
  ]
  before(async () => {
    gateway = await createTestGateway()
  })
  after(() => gateway.close())

  it('is only text, wherever it comes in', async () => {
    const admin = await gateway.client('predefined_admin_write')
    const before = (await admin('GET', '/web/admins/local')).text
    const { revision } = gateway.engine
    for (const [index, tracer] of tracers.entries()) {
      const encoded = encodeURIComponent(tracer)
      for (const [read, endpoint] of endpoints.entries()) {
        if (endpoint.params.length > 0 && endpoint.body === null) {
          const answer = await admin(endpoint.method, fillPath(endpoint.path, encoded))
          assert.equal(answer.status, answersAnyId.has(nameOf(endpoint)) ? 200 : 404, `${endpoint.path} ${tracer}`)
        }
        if (endpoint.method === 'GET') {
          for (const name of parametersOf(read, index)) {
            // Here it is a text to look for.
            if (endpoint.path === '/user_backend/users_found' && name === 'search') continue
            const answer = await admin('GET', `${fillPath(endpoint.path)}?${name}=${encoded}`)
            assert.ok([400, 422].includes(answer.status), `${endpoint.path} ${name} ${tracer} ${answer.status}`)
          }
        }
      }
      const body = { login: tracer, password: tracer, rest_path: '/' }
      const from = `10.3.0.${index}`
      assert.equal((await ask(gateway, { method: 'POST', url: '/web/auth/login', body, from })).status, 401)
      const cookie = `insecure-portcullis-session=${tracer}; __Secure-portcullis-${tracer}=${tracer}`
      assert.equal((await ask(gateway, { method: 'GET', url: '/web/whoami', cookie, from })).status, 401)
    }
    assert.equal(gateway.engine.revision, revision)
    assert.equal((await admin('GET', '/web/admins/local')).text, before)
  })

  it('is kept and given back as it is', async () => {
    const admin = await gateway.client('predefined_admin_write')
    const id = await gateway.addAdministrator('holder', 'predefined_reports_view')
    for (const comment of tracers) {
      assert.equal((await admin('PATCH', `/web/admins/local/${id}`, { comment })).status, 200)
      const shown = (await admin('GET', '/web/admins/local')).body.find((item: { id: string }) => item.id === id)
      assert.equal(shown.comment, comment)
    }
  })
})
