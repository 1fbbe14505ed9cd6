// What a page of another site can make a browser send changes nothing; scripts, which send no browser headers, are free.
// Requirement 16.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { nameOf } from '../../src/core/contract/endpoint.ts'
import { isOwnHost } from '../../src/gatewayd/http/origin.ts'
import { ask, changingEndpoints, endpoints, fillPath } from '../contract/contract.ts'
import { sample, schemaOf } from '../contract/samples.ts'
import { createTestGateway, type TestGateway, testPassword } from '../support/test-gateway.ts'

const json = 'application/json'

/** What browsers send for forms, fetch, frames and rebinding; the last number is the answer. */
const shapes: readonly [title: string, headers: Readonly<Record<string, string>>, status: number][] = [
  [
    'a form of another site',
    {
      origin: 'https://evil.test',
      'sec-fetch-site': 'cross-site',
      'content-type': 'application/x-www-form-urlencoded',
    },
    403,
  ],
  [
    'a text/plain form without a referrer',
    { origin: 'null', 'sec-fetch-site': 'cross-site', 'content-type': 'text/plain' },
    403,
  ],
  [
    'fetch with JSON from another site',
    { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site', 'content-type': json },
    403,
  ],
  [
    'a neighbour under the same domain',
    { origin: 'https://other.gateway.test', 'sec-fetch-site': 'same-site', 'content-type': json },
    403,
  ],
  ['an old browser that sends only Origin', { origin: 'https://evil.test', 'content-type': json }, 403],
  ['the same host over plain HTTP', { origin: 'http://gateway.test', 'content-type': json }, 403],
  ['the same host at another port', { origin: 'https://gateway.test:8444', 'content-type': json }, 403],
  [
    'a name that only resolves to us',
    { host: 'evil.test', origin: 'https://evil.test', 'sec-fetch-site': 'same-origin', 'content-type': json },
    403,
  ],
  ['a typed-in address', { 'sec-fetch-site': 'none', 'content-type': json }, 403],
  ['two origins', { origin: 'https://gateway.test, https://evil.test', 'content-type': json }, 403],
  [
    'our own page as a form',
    {
      origin: 'https://gateway.test',
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/x-www-form-urlencoded',
    },
    415,
  ],
  ['our own page without a type', { origin: 'https://gateway.test', 'sec-fetch-site': 'same-origin' }, 415],
]

describe('a request of another site', () => {
  let gateway: TestGateway
  let cookie = ''
  let adminId = ''
  before(async () => {
    gateway = await createTestGateway()
    adminId = await gateway.addAdministrator('victim', 'predefined_reports_view')
    cookie = (await gateway.client('predefined_admin_write')).cookie
  })
  after(() => gateway.close())

  for (const endpoint of changingEndpoints) {
    it(`never changes anything through ${nameOf(endpoint)}`, async () => {
      const { revision } = gateway.engine
      const sessions = gateway.services.accounts.sessions.list().length
      const body = endpoint.body ? sample(schemaOf(endpoint.body)) : {}
      for (const [title, headers, status] of shapes) {
        const url = fillPath(endpoint.path, adminId)
        const answer = await ask(gateway, { method: endpoint.method, url, cookie, headers, body })
        assert.equal(answer.status, status, `${title}: ${answer.text}`)
        assert.equal(answer.body.code, status === 403 ? 'forbidden' : 'unsupported_type')
        assert.equal(answer.headers['set-cookie'], undefined)
      }
      assert.equal(gateway.engine.revision, revision)
      assert.equal(gateway.services.accounts.sessions.list().length, sessions)
    })
  }

  it('cannot sign anyone in either', async () => {
    const body = { login: 'victim', password: testPassword, rest_path: '/' }
    for (const [title, headers, status] of shapes) {
      const answer = await ask(gateway, { method: 'POST', url: '/web/auth/login', headers, body })
      assert.equal(answer.status, status, title)
    }
  })

  it('that only reads has no effect: a storm of them leaves the revision as it is', async () => {
    const { revision } = gateway.engine
    const reads = endpoints.filter((endpoint) => endpoint.method === 'GET')
    const queries = ['', '?dry_run=false', '?_method=DELETE', '?enabled=false', '?limit=1']
    for (const endpoint of reads) {
      for (const query of queries) {
        for (const method of ['GET', 'HEAD']) {
          await ask(gateway, {
            method,
            url: fillPath(endpoint.path, adminId) + query,
            cookie,
            headers: { origin: 'https://evil.test' },
          })
        }
      }
    }
    assert.equal(gateway.engine.revision, revision)
  })
})

describe('a page of our own', () => {
  const own: readonly [host: string, origin: string][] = [
    ['gateway.test', 'https://gateway.test'],
    ['gateway.test:8443', 'https://gateway.test:8443'],
    ['192.0.2.1:8443', 'https://192.0.2.1:8443'],
    ['[2001:db8::1]:8443', 'https://[2001:db8::1]:8443'],
    ['localhost:8443', 'https://localhost:8443'],
  ]
  it('may change things under each of our names and addresses', async () => {
    const gateway = await createTestGateway()
    const admin = await gateway.client('predefined_admin_write')
    for (const [host, origin] of own) {
      const headers = {
        host,
        origin,
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/json; charset=utf-8',
      }
      assert.equal((await admin('PATCH', '/gather_stat/settings', { enabled: true }, headers)).status, 200, host)
      const withoutBody = { host, origin, 'sec-fetch-site': 'same-origin' }
      assert.equal((await admin('DELETE', '/web/auth/blocks', undefined, withoutBody)).status, 200, host)
    }
    await gateway.close()
  })

  it('is told from others by the name in Host', () => {
    const names = new Set(['gateway.test'])
    const ours = ['gateway.test', 'GATEWAY.test:1', '10.0.0.1', '[::1]', '[::1]:8443', 'localhost', '127.0.0.1:80']
    const others = [
      '',
      'evil.test',
      'gateway.test.evil.test',
      'xgateway.test',
      'gateway.test.',
      '10.0.0.1.evil.test',
      'localhost.evil.test',
      '0x7f.1',
      '2130706433',
      'gateway.test@evil.test',
      'gateway.test:99999999',
    ]
    for (const host of ours) assert.equal(isOwnHost(host, names), true, host)
    for (const host of others) assert.equal(isOwnHost(host, names), false, host)
  })
})
