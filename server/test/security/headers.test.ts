// Headers of replies: the same protection on every kind of reply, nothing that reveals the software, and no effect of
// headers that merely claim something.
// Requirements 15, 37, 39 and 40.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { roleIds } from '../../src/core/contract/access.ts'
import { nameOf } from '../../src/core/contract/endpoint.ts'
import { ask, endpoints, fillPath } from '../contract/contract.ts'
import { type Answer, type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const fixed: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  vary: 'accept-encoding',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'strict-transport-security': 'max-age=31536000',
}
const strictPolicy = "default-src 'none'; frame-ancestors 'none'"

/** Everything a reply may carry; what is not here reveals too much or allows too much. */
const known = new Set([
  ...Object.keys(fixed),
  'content-security-policy',
  'content-type',
  'content-length',
  'date',
  'connection',
  'etag',
  'allow',
  'set-cookie',
  'clear-site-data',
  'retry-after',
  'portcullis-revision',
  'portcullis-confirm-before',
  'keep-alive',
  'transfer-encoding',
])

describe('every reply', () => {
  let gateway: TestGateway
  let admin: Client
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
  })
  after(() => gateway.close())

  const assertHeaders = (answer: Answer, title: string): void => {
    for (const [name, value] of Object.entries(fixed)) assert.equal(answer.headers[name], value, `${title}: ${name}`)
    for (const name of Object.keys(answer.headers)) assert.ok(known.has(name), `${title}: unexpected header ${name}`)
    const policy = String(answer.headers['content-security-policy'])
    const isPage = answer.status === 200 && title.includes('/docs')
    if (isPage) assert.match(policy, /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'.*trusted-types/)
    else assert.equal(policy, strictPolicy, title)
    if (answer.text !== '') assert.match(String(answer.headers['content-type']), /; charset=utf-8$/, title)
    else assert.ok([200, 304].includes(answer.status), title)
  }

  it('of every endpoint carries the fixed headers, with and without a session', async () => {
    for (const endpoint of endpoints) {
      const url = fillPath(endpoint.path)
      for (const cookie of ['', admin.cookie]) {
        if (nameOf(endpoint) === 'DELETE /web/auth/login') continue
        assertHeaders(await ask(gateway, { method: endpoint.method, url, cookie }), nameOf(endpoint))
      }
    }
  })

  it('of every other kind carries them, too', async () => {
    const { etag } = (await admin('GET', '/firewall/settings')).headers
    const signedOut = await gateway.client('predefined_reports_view')
    const kinds: [title: string, answer: Answer][] = [
      ['empty', await admin('PATCH', '/firewall/settings', { log_mode: 'nothing' })],
      ['304', await admin('GET', '/firewall/settings', undefined, { 'if-none-match': String(etag) })],
      ['CSV', await admin('GET', '/web/admins/local?format_type=CSV')],
      ['HEAD', await admin('HEAD', '/firewall/settings')],
      ['400', await admin('PATCH', '/firewall/settings', '{')],
      ['401', await (await gateway.client(null))('GET', '/firewall/settings')],
      ['403', await signedOut('GET', '/firewall/settings')],
      ['404', await admin('GET', '/nothing')],
      ['405', await admin('PUT', '/firewall/settings')],
      ['409', await admin('POST', '/config/confirm')],
      ['412', await admin('PATCH', '/firewall/settings', { log_mode: 'all' }, { 'if-match': '"old"' })],
      ['413', await admin('PATCH', '/firewall/settings', 'x'.repeat(70_000))],
      ['415', await admin('PATCH', '/firewall/settings', '{}', { origin: 'https://gateway.test' })],
      ['422', await admin('PATCH', '/firewall/settings', { x: 1 })],
      ['bad URL', await admin('GET', '/config/revisions/%zz')],
      ['long URL', await admin('GET', `/config/revisions/${'1'.repeat(300)}`)],
      ['dry run', await admin('PATCH', '/firewall/settings?dry_run=true', { log_mode: 'all' })],
      ['sign-out', await signedOut('DELETE', '/web/auth/login')],
      ['OPTIONS', await admin('OPTIONS', '/firewall/settings')],
    ]
    for (const [title, answer] of kinds) assertHeaders(answer, title)
    assert.equal(kinds[1]?.[1].status, 304)
  })

  it('with a fault of ours says nothing about it', async () => {
    gateway.applier.failWith = new Error('secret detail in /var/lib/x')
    const answer = await admin('PATCH', '/firewall/settings', { automatic_snat_enabled: false })
    gateway.applier.failWith = null
    assert.ok(answer.status >= 500)
    assertHeaders(answer, '500')
    assert.doesNotMatch(answer.text, /secret detail|\.ts|node_modules|stack/)
    assert.equal(gateway.log.take().length, 1)
  })

  it('allows no other origin anything', async () => {
    const preflight = {
      origin: 'https://evil.test',
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'content-type',
    }
    for (const endpoint of endpoints) {
      for (const method of ['OPTIONS', 'GET', endpoint.method]) {
        const url = fillPath(endpoint.path)
        for (const cookie of ['', admin.cookie]) {
          const answer = await ask(gateway, { method, url, cookie, headers: preflight })
          const names = Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))
          assert.deepEqual(names, [], `${method} ${url}`)
          if (method === 'OPTIONS') assert.ok(answer.status >= 400, url)
        }
      }
    }
  })
})

const hearsay: Readonly<Record<string, string>> = {
  'x-forwarded-for': '127.0.0.1',
  'x-forwarded-host': 'evil.test',
  'x-forwarded-proto': 'http',
  'x-forwarded-port': '80',
  'x-forwarded-prefix': '/admin',
  'x-forwarded-server': 'evil.test',
  'x-forwarded-user': 'admin',
  'x-forwarded-scheme': 'http',
  'x-forwarded-ssl': 'on',
  'x-forwarded-client-cert': 'Subject="CN=admin"',
  forwarded: 'for=127.0.0.1;host=evil.test;proto=http',
  'x-real-ip': '127.0.0.1',
  'x-client-ip': '127.0.0.1',
  'x-cluster-client-ip': '127.0.0.1',
  'x-remote-ip': '127.0.0.1',
  'x-remote-addr': '127.0.0.1',
  'true-client-ip': '127.0.0.1',
  'cf-connecting-ip': '127.0.0.1',
  'x-original-url': '/config/keys/rotate',
  'x-rewrite-url': '/config/keys/rotate',
  'x-original-uri': '/config/keys/rotate',
  'x-original-host': 'evil.test',
  'x-host': 'evil.test',
  'x-http-method-override': 'DELETE',
  'x-http-method': 'DELETE',
  'x-method-override': 'DELETE',
  'x-ssl-client-verify': 'SUCCESS',
  'x-ssl-client-dn': 'CN=admin',
  'x-ssl-cert': 'x',
  'ssl-client-cert': 'x',
  'x-user': 'admin',
  'x-remote-user': 'admin',
  'x-authenticated-user': 'admin',
  'x-role': 'predefined_admin_write',
  'x-request-id': '\u00e9chec',
  'request-id': 'abc',
  connection: 'close, cookie, host',
  'proxy-authorization': 'Basic YWRtaW46YWRtaW4=',
  authorization: 'Basic YWRtaW46YWRtaW4=',
  'accept-language': 'xx',
  accept: 'text/csv',
  via: '1.1 evil.test',
  range: 'bytes=0-1',
  'upgrade-insecure-requests': '1',
}

/** By day a read gets every fourth of them, and all of them at once; the next read gets the next ones. */
const shareOfClaims = process.env.PORTCULLIS_NIGHTLY === '1' ? 1 : 4

describe('a header that merely claims something', () => {
  it('leaves the reply of every GET as it is, byte for byte', async () => {
    assert.ok(Object.keys(hearsay).length >= 40)
    const gateway = await createTestGateway()
    const clients = await Promise.all(
      ['predefined_admin_write', 'predefined_reports_view'].map((role) =>
        gateway.client(role as (typeof roleIds)[number]),
      ),
    )
    clients.push(await gateway.client(null))
    // Nothing else of the gateway changes: the audit trail is what grows with each refused request.
    const reads = endpoints.filter((endpoint) => endpoint.method === 'GET' && !endpoint.path.startsWith('/journal'))
    // Some replies are long, and each is asked for over a hundred times: they are compared as they are, and never parsed.
    const read = async (cookie: string, url: string, more: Readonly<Record<string, string>>) => {
      const asked = { host: 'gateway.test', ...(cookie === '' ? {} : { cookie }), ...more }
      const answer = await gateway.http.inject({ method: 'GET', url, headers: asked })
      const { date: _date, connection: _connection, 'content-length': _length, ...headers } = answer.headers
      const isRefused = answer.statusCode >= 400
      const text = isRefused ? answer.body.replaceAll(/"request_id":"[^"]*"/g, '') : answer.body
      return { status: answer.statusCode, headers: JSON.stringify(headers), text }
    }
    for (const client of clients) {
      for (const [turn, endpoint] of reads.entries()) {
        const url = fillPath(endpoint.path)
        // Without a session only so many requests are answered in a second.
        gateway.clock.advance(2)
        const plain = await read(client.cookie, url, {})
        assert.notEqual(plain.status, 429, url)
        const claims = Object.entries(hearsay)
          .filter((_, index) => (index + turn) % shareOfClaims === 0)
          .map(([name, value]) => ({ title: name, headers: { [name]: value } }))
        for (const { title, headers } of [...claims, { title: 'all of them', headers: hearsay }]) {
          const reply = await read(client.cookie, url, headers)
          assert.equal(reply.status, plain.status, `${title} at ${url}`)
          assert.equal(reply.headers, plain.headers, `${title} at ${url}`)
          assert.ok(reply.text === plain.text, `${title} at ${url}`)
        }
      }
    }
    await gateway.close()
  })

  it('does not turn a read into something else', async () => {
    const gateway = await createTestGateway()
    const admin = await gateway.client('predefined_admin_write')
    const { revision } = gateway.engine
    for (const name of ['x-http-method-override', 'x-http-method', 'x-method-override']) {
      assert.equal((await admin('GET', '/config/confirm', undefined, { [name]: 'DELETE' })).status, 200)
      assert.equal((await admin('POST', '/config/revisions/0', '{}', { [name]: 'GET' })).status, 405)
    }
    const other = { 'x-original-url': '/web/whoami', 'x-rewrite-url': '/web/whoami' }
    assert.equal((await admin('GET', '/nothing', undefined, other)).status, 404)
    assert.equal(gateway.engine.revision, revision)
    await gateway.close()
  })
})
