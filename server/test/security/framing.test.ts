// Requests as bytes over the real listener: whatever can be read in two ways is refused and the connection closed, and no
// spelling of a path leads around the door.
// Requirements 14 and 33.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createTlsGateway, type RawAnswer, sendRaw, type TlsGateway } from './tls-gateway.ts'

const host = 'Host: localhost\r\n'
const crlf = '\r\n'
const many = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => `${line(index)}\r\n`).join('')

describe('a raw request', () => {
  let target: TlsGateway
  let cookie = ''
  let revision = 0
  before(async () => {
    target = await createTlsGateway()
    cookie = `Cookie: ${(await target.gateway.client('predefined_admin_write')).cookie}\r\n`
    revision = target.gateway.engine.revision
  })
  after(() => target.close())

  const patch = '{"enabled":true}'
  const head = (rest: string): string => `PATCH /gather_stat/settings HTTP/1.1\r\n${host}${cookie}${rest}`
  const get = (rest = '', path = '/web/whoami'): string => `GET ${path} HTTP/1.1\r\n${host}${cookie}${rest}\r\n`

  /** 4xx and the end of the connection; built when the cookie is known. */
  const refused: [title: string, bytes: () => string | Buffer][] = [
    [
      'length and chunks',
      () =>
        `${head(`Content-Length: ${patch.length}\r\nTransfer-Encoding: chunked\r\n`)}\r\n10\r\n${patch}\r\n0\r\n\r\n`,
    ],
    ['chunks and length', () => `${head(`Transfer-Encoding: chunked\r\nContent-Length: 5\r\n`)}\r\n0\r\n\r\n`],
    ['two lengths', () => `${head('Content-Length: 16\r\nContent-Length: 17\r\n')}\r\n${patch}`],
    ['the same length twice', () => `${head('Content-Length: 16\r\nContent-Length: 16\r\n')}\r\n${patch}`],
    ['a list of lengths', () => `${head('Content-Length: 16, 16\r\n')}\r\n${patch}`],
    ['a length with a sign', () => `${head('Content-Length: +16\r\n')}\r\n${patch}`],
    ['a negative length', () => `${head('Content-Length: -1\r\n')}\r\n${patch}`],
    ['a length in hex', () => `${head('Content-Length: 0x10\r\n')}\r\n${patch}`],
    ['an empty length', () => `${head('Content-Length: \r\n')}\r\n${patch}`],
    ['a length beyond numbers', () => `${head(`Content-Length: ${'9'.repeat(30)}\r\n`)}\r\n${patch}`],
    ['an unknown transfer encoding', () => `${head('Transfer-Encoding: xchunked\r\n')}\r\n0\r\n\r\n`],
    ['chunked that is not last', () => `${head('Transfer-Encoding: chunked, identity\r\n')}\r\n0\r\n\r\n`],
    ['a chunk size that is none', () => `${head('Transfer-Encoding: chunked\r\n')}\r\nzz\r\n${patch}\r\n0\r\n\r\n`],
    [
      'a chunk size beyond numbers',
      () => `${head('Transfer-Encoding: chunked\r\n')}\r\n${'f'.repeat(20)}\r\n${patch}\r\n0\r\n\r\n`,
    ],
    ['a chunk with a bare LF', () => `${head('Transfer-Encoding: chunked\r\n')}\r\n10\n${patch}\r\n0\r\n\r\n`],
    [
      'bare LF at the end of lines',
      () => `PATCH /gather_stat/settings HTTP/1.1\n${host}${cookie}Content-Length: 16\n\n${patch}`,
    ],
    ['a bare LF inside of the headers', () => `${head('X: y\nContent-Length: 16\r\n')}\r\n${patch}`],
    ['a bare CR', () => `${head('X: a\rY: b\r\n')}\r\n`],
    ['a folded header', () => `${head('X: a\r\n b\r\n')}\r\n`],
    ['a space before the colon', () => `${head('Content-Length : 16\r\n')}\r\n${patch}`],
    ['a header without a name', () => `${head(': x\r\n')}\r\n`],
    ['a header without a colon', () => `${head('nonsense\r\n')}\r\n`],
    ['a space in a header name', () => `${head('X Y: 1\r\n')}\r\n`],
    ['a NUL in a header', () => `${head('X: a\u0000b\r\n')}\r\n`],
    ['a NUL in a name', () => `${head('X\u0000: b\r\n')}\r\n`],
    ['no Host', () => `GET /web/whoami HTTP/1.1\r\n${cookie}\r\n`],
    ['no Host in HTTP/1.0', () => `GET /web/whoami HTTP/1.0\r\n${cookie}\r\n`],
    ['two Hosts', () => get('Host: localhost\r\n')],
    ['two different Hosts', () => get('HOST: evil.test\r\n')],
    ['101 headers', () => get(many(99, (index) => `X-${index}: 1`))],
    ['1,000 headers', () => get(many(1_000, () => 'a: b'))],
    ['9 KiB of headers', () => get(`X: ${'a'.repeat(9 * 1024)}\r\n`)],
    ['a path of 9 KiB', () => get('', `/${'a'.repeat(9 * 1024)}`)],
    ['the preface of HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['HTTP/2 in the request line', () => `GET /web/whoami HTTP/2.0\r\n${host}\r\n`],
    ['HTTP/0.9', () => 'GET /web/whoami\r\n\r\n'],
    ['HTTP/1.2', () => `GET /web/whoami HTTP/1.2\r\n${host}\r\n`],
    ['a version in lower case', () => `GET /web/whoami http/1.1\r\n${host}\r\n`],
    ['a method in lower case', () => `get /web/whoami HTTP/1.1\r\n${host}\r\n`],
    ['an unknown method', () => `FOO /web/whoami HTTP/1.1\r\n${host}\r\n`],
    ['a tab in the request line', () => `GET\t/web/whoami HTTP/1.1\r\n${host}\r\n`],
    ['a space in the path', () => `GET /web/who ami HTTP/1.1\r\n${host}${cookie}\r\n`],
    ['control characters in the path', () => `GET /web/\u0001whoami HTTP/1.1\r\n${host}\r\n`],
    ['a NUL in the path', () => `GET /web/whoami\u0000 HTTP/1.1\r\n${host}\r\n`],
    ['a request to connect', () => `CONNECT localhost:22 HTTP/1.1\r\n${host}\r\n`],
    ['garbage', () => Buffer.from('\u0016\u0003\u0001garbage\r\n\r\n', 'latin1')],
    ['another protocol', () => 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['random bytes', () => Buffer.from(Array.from({ length: 300 }, (_, index) => (index * 7919) % 256))],
  ]

  for (const [title, bytes] of refused) {
    it(`with ${title} is refused and the connection closed`, async () => {
      const answer = await sendRaw(target, bytes())
      assert.equal(answer.closed, true, `${title}: ${answer.text.slice(0, 300)}`)
      assert.ok(
        answer.statuses.length <= 1 && answer.statuses.every((status) => status >= 400 && status < 500),
        answer.text,
      )
      assert.doesNotMatch(answer.text, /of-predefined_admin_write/)
      assert.doesNotMatch(answer.text, /^(?:server|x-powered-by):/im)
    })
  }

  /** Read, but to no effect: a door that is not there, or the same door. */
  const harmless: [title: string, bytes: () => string, expected: readonly number[]][] = [
    ['TRACE', () => `TRACE /web/whoami HTTP/1.1\r\n${host}${cookie}\r\n`, [405]],
    ['an absolute address of another host', () => get('', 'http://evil.test/web/whoami'), [200, 400, 404]],
    ['two spaces in the request line', () => `GET  /web/whoami HTTP/1.1\r\n${host}\r\n`, [401]],
    ['an asterisk', () => `OPTIONS * HTTP/1.1\r\n${host}${cookie}\r\n`, [400, 404]],
    [
      'an upgrade to HTTP/2',
      () => get('Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n'),
      [200],
    ],
    ['an upgrade to a WebSocket', () => get('Connection: Upgrade\r\nUpgrade: websocket\r\n'), [200]],
    ['an expectation we do not know', () => get('Expect: magic\r\n'), [200, 400, 417]],
    ['a hundred headers', () => get(many(97, (index) => `X-${index}: 1`)), [200]],
    ['empty lines before it', () => `\r\n\r\n${get()}`, [200]],
    ['the forbidden header taken off by Connection', () => get('Connection: close, Cookie\r\n'), [200]],
  ]
  for (const [title, bytes, expected] of harmless) {
    it(`with ${title} has no other effect`, async () => {
      const answer = await sendRaw(target, bytes())
      assert.equal(answer.statuses.length, 1, `${title}: ${answer.text}`)
      assert.ok(expected.includes(answer.statuses[0] ?? 0), `${title}: ${answer.text}`)
      assert.match(answer.text, /x-content-type-options: nosniff/i)
    })
  }

  it('hides no second request in its body', async () => {
    const hidden = `DELETE /web/auth/blocks HTTP/1.1\r\n${host}${cookie}\r\n`
    const outer = `GET /web/whoami HTTP/1.1\r\n${host}${cookie}Content-Length: ${hidden.length}\r\n\r\n${hidden}`
    const answer = await sendRaw(target, `${outer}${get('Connection: close\r\n')}`, 2)
    assert.deepEqual(answer.statuses, [200, 200])
  })

  it('after another on the same connection is its own request', async () => {
    const anonymous = `GET /web/whoami HTTP/1.1\r\n${host}Connection: close\r\n\r\n`
    const answer = await sendRaw(target, get() + anonymous, 2)
    assert.deepEqual(answer.statuses, [200, 401], 'a session does not stick to the connection')
  })

  const spellings = (path: string): string[] => {
    const [, first = '', second = ''] = path.split('/')
    return [
      `/${path}`,
      `//${path}`,
      `/.${path}`,
      `/x/..${path}`,
      `/${first}/./${second}`,
      `/${first}//${second}`,
      `/${first}/../${first}/${second}`,
      `${path}/`,
      `${path}//`,
      `${path}/.`,
      `${path}/..`,
      `${path};x`,
      `/${first};x/${second}`,
      `${path}%00`,
      `${path}%20`,
      `${path}%0a`,
      `${path}#`,
      `${path}#x`,
      `${path}?`,
      `${path}%3f`,
      `${path}%23`,
      `${path}.js`,
      `${path}.json`,
      `${path}.css`,
      `${path}/x.js`,
      path.toUpperCase(),
      `/%2e${path}`,
      `/%2e%2e${path}`,
      `/${first}%2f${second}`,
      `/${first}%252f${second}`,
      `/${first}%5c${second}`,
      `/${first}\\${second}`,
      `\\${first}\\${second}`,
      path.replace(/[a-z]/, (c) => `%${c.charCodeAt(0).toString(16)}`),
      path.replace(/[a-z]/, (c) => `%25${c.charCodeAt(0).toString(16)}`),
      path.replace(/[a-z]/, (c) => `%u00${c.charCodeAt(0).toString(16)}`),
      `http://localhost${path}`,
      `https://localhost${path}`,
      `http://evil.test${path}`,
      `/docs/..${path}`,
      `/docs%2f..${path}`,
      `/ui/..${path}`,
      `/ui/%2e%2e${path}`,
      `/ui/assets/..${path}`,
      `/openapi.json${path}`,
      `/docs/reference.js/..${path}`,
      `${path}%c0%af`,
      `${path}%e3%80%82`,
    ]
  }
  for (const path of ['/web/whoami', '/firewall/settings', '/journal/records', '/web/admins/local']) {
    it(`to ${path} in any spelling opens nothing without a session`, async () => {
      const all = spellings(path)
      assert.ok(all.length >= 40)
      const answers: RawAnswer[] = []
      for (let at = 0; at < all.length; at += 8) {
        const batch = all
          .slice(at, at + 8)
          .map((one) => sendRaw(target, `GET ${one} HTTP/1.1\r\n${host}Connection: close${crlf}${crlf}`))
        answers.push(...(await Promise.all(batch)))
      }
      answers.forEach((answer, index) => {
        assert.equal(answer.statuses.length, 1, `${all[index]}: ${answer.text}`)
        const [status = 0] = answer.statuses
        assert.ok(status >= 400 && status < 500, `${all[index]}: ${status}`)
      })
    })
  }

  it('of all these changed nothing and was no fault of ours', () => {
    assert.equal(target.gateway.engine.revision, revision)
  })
})
