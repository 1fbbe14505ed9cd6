// Thousands of generated requests of every kind and identity: none is a fault of ours, and every answer is empty, fits
// its schema or has exactly the shape of an error.
// Requirement 21.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Role, roleIds } from '../../src/core/contract/access.ts'
import { type Endpoint, nameOf } from '../../src/core/contract/endpoint.ts'
import { faultsOf } from '../../src/core/validation/validate.ts'
import type { Sentence } from '../../src/shared/said.ts'
import { type Ask, ask, cookieOf, endpoints, fillPath, methods } from '../contract/contract.ts'
import { type JsonSchema, sample, schemaOf } from '../contract/samples.ts'
import { longestStretch } from '../support/loop-watch.ts'
import { type Answer, createTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { isNightly, Random, seed } from './random.ts'

const count = isNightly ? 1_000_000 : 4_000
const atOnce = 50

/** The status of each code, written out here so that a change of gatewayd/http/errors.ts is noticed. */
const statuses: Readonly<Record<string, number>> = {
  malformed: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  unsupported_type: 415,
  invalid: 422,
  too_many_requests: 429,
}

/** Checking the whole audit trail is slow by nature and grows with the test: once in a while is enough. */
const often = [
  ...Array.from({ length: 20 }, () => endpoints.filter((endpoint) => endpoint.path !== '/journal/verify')).flat(),
  ...endpoints,
]

const hostile = [
  '',
  '..',
  '%2e%2e',
  '%00',
  '%zz',
  '%',
  '0',
  '-1',
  '9'.repeat(250),
  '__proto__',
  '%f0%9f',
  'a;b',
  "'--",
  '😀',
]
const words = ['id', 'name', 'enabled', 'log_mode', '__proto__', 'constructor', 'format_type', 'columns', 'limit', 'x']
const values = [
  'CSV',
  'JSON',
  '["id"]',
  '[',
  '1',
  '0',
  '-1',
  '10001',
  'true',
  '',
  '\u0000',
  '%',
  '"',
  'é',
  '1e9',
  'NaN',
]
const types = [
  'application/json',
  'text/plain',
  'foo',
  ';',
  '',
  'multipart/form-data; boundary=x',
  'a/b;charset=utf-16',
]

describe('generated requests', () => {
  let gateway: TestGateway
  let firstRevision = 0
  const random = new Random(seed)
  const sessions = new Map<Role, { adminId: string; handle: string; cookie: string }>()
  const victims: string[] = []
  before(async () => {
    gateway = await createTestGateway()
    for (const role of roleIds) {
      const adminId = await gateway.addAdministrator(`fuzz-${role}`, role)
      sessions.set(role, { adminId, handle: '', cookie: '' })
    }
    settle()
    for (const name of ['one', 'two', 'three'])
      victims.push(await gateway.addAdministrator(name, 'predefined_reports_view'))
    firstRevision = gateway.engine.revision
  })
  after(() => gateway.close())

  function makePath(endpoint: Endpoint): string {
    // Going back before the identities of this test were made would end it.
    const revision = String(firstRevision + random.below(gateway.engine.revision - firstRevision + 3))
    const known = endpoint.path.includes('revision_id') ? [revision] : [...victims, crypto.randomUUID()]
    const id = random.chance(0.7) ? random.pick(known) : random.pick(hostile)
    if (random.chance(0.03)) return `/${random.pick(hostile)}/${random.pick(hostile)}`
    return encodePath(fillPath(endpoint.path, id))
  }

  function makeQuery(endpoint: Endpoint): string {
    if (random.chance(0.6)) return endpoint.effect === 'configuration' && random.chance(0.7) ? '?dry_run=true' : ''
    const names = [...Object.keys(endpoint.query.properties), 'dry_run', 'cut_connections', random.pick(words)]
    const parts = Array.from({ length: 1 + random.below(3) }, () => {
      const name = random.pick(names)
      return `${encodeURIComponent(name)}=${random.chance(0.9) ? encodeURIComponent(random.pick(values)) : random.pick(hostile)}`
    })
    return `?${parts.join('&')}`
  }

  function makeBody(endpoint: Endpoint): unknown {
    const kind = random.next()
    if (kind < 0.15) return undefined
    if (kind < 0.25) return Buffer.from(Array.from({ length: random.below(60) }, () => random.below(256)))
    if (kind < 0.45 || !endpoint.body) return JSON.stringify(anything(random, 4))
    const whole = sample(schemaOf(endpoint.body)) as Record<string, unknown>
    // A password that fits costs a hash; most bodies do without one.
    if ('password' in whole && random.chance(0.98)) whole.password = anything(random, 1)
    return JSON.stringify(random.chance(0.4) ? whole : mutated(random, whole, schemaOf(endpoint.body)))
  }

  function makeHeaders(): Record<string, string> {
    const headers: Record<string, string> = {}
    if (random.chance(0.3)) headers['content-type'] = random.pick(types)
    if (random.chance(0.05)) headers.origin = random.pick(['https://gateway.test', 'https://evil.test', 'null'])
    if (random.chance(0.05)) headers['sec-fetch-site'] = random.pick(['same-origin', 'cross-site', 'none'])
    if (random.chance(0.1)) headers['if-match'] = random.pick(['*', '"x"', '"firewall.settings-1"', 'W/"a"', ''])
    if (random.chance(0.1)) headers['if-none-match'] = random.pick(['*', '"firewall.settings-0"', ''])
    if (random.chance(0.02))
      headers['portcullis-confirm-within'] = random.pick(['60', '0', '-1', 'x', '3601', '9'.repeat(30)])
    if (random.chance(0.05))
      headers['portcullis-reason'] = random.pick(['why', '', 'x'.repeat(300), 'caf\u00c3\u00a9', '\u007f'])
    return headers
  }

  const cookieFor = (role: Role): string => sessions.get(role)?.cookie ?? ''

  function makeCookie(): string {
    const role = random.pick(roleIds)
    const kind = random.next()
    if (kind < 0.55) return cookieFor('predefined_admin_write')
    if (kind < 0.85) return cookieFor(role)
    return kind < 0.92 ? '' : cookieFor(role).slice(random.below(60))
  }

  function makeAsk(): { endpoint: Endpoint; request: Ask } {
    const endpoint = random.pick(often)
    const method = random.chance(0.9) ? endpoint.method : random.pick([...methods, 'TRACE', 'PROPFIND'])
    const body = method === 'GET' || method === 'HEAD' ? undefined : makeBody(endpoint)
    const request = {
      method,
      url: makePath(endpoint) + makeQuery(endpoint),
      cookie: makeCookie(),
      headers: makeHeaders(),
      from: `10.${random.below(256)}.${random.below(256)}.${random.below(256)}`,
      ...(body === undefined ? {} : { body }),
    }
    const answering = endpoints.find((other) => other.path === endpoint.path && other.method === method)
    return { endpoint: answering ?? endpoint, request }
  }

  /** Sign-outs, key rotations and probations are part of the fuzz; the next batch starts from a known state again. */
  function settle(): void {
    const { engine } = gateway.services
    const { sessions: kept } = gateway.services.accounts
    if (engine.probation) engine.confirm()
    for (const [role, { adminId, handle }] of sessions) {
      if (kept.find(handle)) continue
      const tokens = kept.create(adminId, '127.0.0.1', '/')
      sessions.set(role, { adminId, handle: tokens.handle, cookie: cookieOf(tokens) })
    }
  }

  it(`are answered as the contract says, ${count} times`, async (t) => {
    t.diagnostic(`seed ${seed}`)
    const seen = new Map<number, number>()
    const held = await longestStretch(async () => {
      for (let done = 0; done < count; done += atOnce) {
        const batch = Array.from({ length: atOnce }, makeAsk)
        const answers = await Promise.all(batch.map(({ request }) => ask(gateway, request)))
        batch.forEach(({ endpoint, request }, index) => {
          const answer = answers[index] as Answer
          const title = `seed ${seed}, request ${done + index}: ${JSON.stringify(request)} -> ${answer.status} ${answer.text.slice(0, 300)}`
          seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
          if (request.method !== 'HEAD') assertAnswer(endpoint, request, answer, title)
          assert.ok(answer.status < 500, title)
        })
        settle()
      }
    })
    t.diagnostic(`statuses ${JSON.stringify(Object.fromEntries([...seen].sort(([a], [b]) => a - b)))}`)
    t.diagnostic(`the event loop was held for up to ${Math.round(held)} ms of processor time`)
    // Batches of injected requests share this loop with the gateway, so this only notices what really hangs.
    assert.ok(held < 2_000, 'the event loop stood still')
    for (const status of [200, 400, 401, 403, 404, 405, 422]) {
      assert.ok((seen.get(status) ?? 0) > count / 1_000, `hardly any ${status}: the generator is one-sided`)
    }
  })
})

function assertAnswer(endpoint: Endpoint, request: Ask, answer: Answer, title: string): void {
  if (answer.status === 304 || answer.text === '') {
    assert.ok([200, 302, 304].includes(answer.status), title)
    // The address without a path leads to the console.
    if (answer.status === 302) assert.equal(answer.headers.location, '/ui/', title)
    return
  }
  if (answer.status !== 200) {
    assert.ok(answer.status in Object.fromEntries(Object.values(statuses).map((status) => [status, 1])), title)
    assertError(answer, title)
    return
  }
  const type = String(answer.headers['content-type'])
  if (endpoint.alsoReplies.some((other) => type.startsWith(other)) || endpoint.path.startsWith('/docs')) return
  assert.equal(type, 'application/json; charset=utf-8', title)
  // Anyone who injects requests resolves dot segments, so it was another endpoint that answered.
  if (/\/(?:\.|%2e){1,2}(?:[/?]|$)/i.test(request.url)) return
  if (answer.body.dry_run === true) {
    const ofConnections = ['connections', 'connections_total', 'connections_note']
    assert.deepEqual(
      Object.keys(answer.body),
      ['dry_run', 'changes', 'artifacts', 'unchecked', ...ofConnections],
      title,
    )
    return
  }
  assert.ok(endpoint.reply, `${title}: a body where none is described`)
  assert.deepEqual(faultsOf(endpoint.reply, answer.body), [], `${nameOf(endpoint)} ${request.url}`)
}

function assertError({ body, status, headers }: Answer, title: string): void {
  const { code, message, request_id, problems, sentences, ...rest } = body
  assert.deepEqual(rest, {}, title)
  assert.equal(statuses[code], status, title)
  assert.ok(typeof message === 'string' && message !== '', title)
  assert.match(request_id, /^[0-9a-z-]{8,64}$/, title)
  assert.equal(headers['content-type'], 'application/json; charset=utf-8', title)
  assert.doesNotMatch(message, /node_modules|at .*\.ts|SELECT|FST_/, title)
  // Every refusal of the gateway has a code to be translated by.
  assert.ok(
    sentences?.some((one: Sentence) => one.message === message),
    title,
  )
  if (problems === undefined) return
  assert.ok(Array.isArray(problems) && problems.length > 0, title)
  for (const problem of problems) {
    assert.deepEqual(Object.keys(problem), ['field', 'message'], title)
    assert.ok(problem.field !== '' && problem.message !== '', title)
  }
}

/** Characters a path cannot hold unencoded are encoded; what is already encoded stays. */
const encodePath = (path: string): string => path.replaceAll(/[^\x21-\x7e]/gu, encodeURIComponent)

function anything(random: Random, depth: number): unknown {
  const kind = random.below(depth > 0 ? 9 : 7)
  if (kind === 0) return null
  if (kind === 1) return random.chance(0.5)
  if (kind === 2) return random.pick([0, -1, 1.5, 2 ** 53, 1e300, random.below(100_000)])
  if (kind <= 4)
    return random.pick([...values, ...words, 'x'.repeat(random.below(300)), '\ud800', '\u2028', '😀'.repeat(50)])
  if (kind === 5) return []
  if (kind === 6) return {}
  if (kind === 7) return Array.from({ length: random.below(4) }, () => anything(random, depth - 1))
  return Object.fromEntries(
    Array.from({ length: random.below(4) }, () => [random.pick(words), anything(random, depth - 1)]),
  )
}

function mutated(random: Random, whole: Readonly<Record<string, unknown>>, schema: JsonSchema): unknown {
  const name = random.pick(Object.keys(schema.properties ?? { x: {} }))
  const kind = random.below(4)
  if (kind === 0) return { ...whole, [random.pick(words)]: anything(random, 2) }
  if (kind === 1) {
    const { [name]: _left, ...rest } = whole
    return rest
  }
  return kind === 2 ? { ...whole, [name]: anything(random, 2) } : { [name]: whole[name] }
}
