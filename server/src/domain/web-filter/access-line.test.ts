// Lines as Squid 5.7 wrote them, and lines that clients and cuts make of them.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Random, seed } from '../../../test/security/random.ts'
import { parseAccessLine, type WebRequest } from './access-line.ts'

const usual = {
  t: 1794861134.75,
  ms: 22,
  src: '10.99.1.2',
  dst: '10.99.2.2',
  port: '443',
  via: 'https',
  user: 'ada',
  uid: 'user.id.5',
  st: 200,
  in: 74,
  out: 1443,
  m: 'GET',
  u: 'https://site.test/a?b=1',
  sni: 'site.test',
  mode: 'bump',
  tls: 'bump:7',
  v: 'allow',
  vr: '-',
  vt: '-',
  rule: '7',
  cat: 'users.id.1,extended.id.3',
  why: 'rule',
  ct: 'text/html',
  ua: 'curl/7.88.1',
  ref: '-',
  words: '-',
  virus: '-',
  err: '-',
}
const tunnel = {
  m: 'CONNECT',
  u: '10.99.2.2:443',
  st: 200,
  in: 201,
  out: 3392,
  mode: 'splice',
  tls: 'splice:7',
  vt: 'splice',
  v: '-',
  ct: '-',
  ua: '-',
}
const plain = { port: '80', via: 'http', u: 'http://site.test/', sni: '-', mode: '-', tls: '-' }

const lineOf = (fields: object): string => JSON.stringify({ ...usual, ...fields })

function requestOf(fields: object): WebRequest {
  const read = parseAccessLine(lineOf(fields))
  assert.ok(read.is === 'request', `${JSON.stringify(fields)} is ${read.is}`)
  return read.request
}
const judged = (fields: object): string => {
  const { result, reason, isDecrypted } = requestOf(fields)
  return `${result} ${reason}${isDecrypted ? ' inside' : ''}`
}

describe('a line of the access log', () => {
  it('is the request with everything that is known of it', () => {
    assert.deepEqual(requestOf({}), {
      time: 1_794_861_134_750_000,
      durationMs: 22,
      source: '10.99.1.2',
      destination: '10.99.2.2',
      via: 'transparent',
      login: 'ada',
      userId: 'user.id.5',
      method: 'GET',
      scheme: 'https',
      host: 'site.test',
      url: 'https://site.test/a?b=1',
      categories: ['users.id.1', 'extended.id.3'],
      ruleId: 7,
      result: 'decrypted',
      reason: 'rule',
      isDecrypted: true,
      status: 200,
      bytesSent: 74,
      bytesReceived: 1443,
      contentType: 'text/html',
      dictionary: '',
      virus: '',
      userAgent: 'curl/7.88.1',
      referer: '',
    })
  })

  it('has the result and the reason of the decision', () => {
    assert.equal(judged(plain), 'allowed rule')
    assert.equal(judged({ ...plain, v: 'deny', st: 403, err: '403:ERR_BLOCK' }), 'denied rule')
    assert.equal(judged({ ...plain, v: 'redirect', st: 302 }), 'redirected rule')
    assert.equal(judged({ ...plain, v: 'redirect', st: 302, why: 'safe-search' }), 'redirected safe-search')
    assert.equal(judged({ ...plain, v: 'wait', vr: 'deny', st: 403, err: '403:ERR_BLOCK' }), 'denied rule')
    assert.equal(judged({ ...plain, v: 'wait', vr: 'allow', rule: '-', why: 'default' }), 'allowed default')
    assert.equal(judged({ ...plain, words: 'Casino', st: 403 }), 'denied words')
    assert.equal(judged({ ...plain, virus: 'Eicar', st: 403 }), 'denied virus')
    assert.equal(judged({ ...plain, v: 'down', st: 503 }), 'denied failure')
    assert.equal(judged({ ...plain, v: 'down' }), 'allowed failure')
    assert.equal(judged({ ...plain, v: 'full', st: 503 }), 'denied failure')
    assert.equal(judged({ v: 'deny', tls: 'deny:7', st: 403, err: '403:ERR_BLOCK' }), 'denied rule inside')
    // The site answered with the fault, not the proxy.
    assert.equal(judged({ ...plain, st: 404 }), 'allowed rule')
    assert.equal(judged({ ...plain, st: 503, err: 'ERR_CONNECT_FAIL' }), 'denied failure')
    assert.equal(judged({ ...plain, v: '-', st: 0, err: 'ERR_CLIENT_GONE', rule: '-' }), 'denied failure')
  })

  it('of a TLS connection is a record only where no request inside can be one', () => {
    const isAside = (fields: object): boolean => parseAccessLine(lineOf(fields)).is === 'aside'
    assert.equal(judged(tunnel), 'allowed rule')
    assert.deepEqual([requestOf(tunnel).bytesReceived, requestOf(tunnel).url], [3392, 'https://site.test/'])
    assert.ok(isAside({ ...tunnel, st: 0, out: 0, mode: 'bump', tls: 'bump:7', vt: 'bump' }))
    assert.ok(isAside({ ...tunnel, st: 0, out: 0, mode: 'bump', tls: 'deny:7', vt: 'deny' }))
    const refused = { ...tunnel, st: 0, out: 0, mode: 'bump', err: 'ERR_SECURE_ACCEPT_FAIL' }
    assert.equal(judged({ ...refused, tls: 'bump:7' }), 'denied certificate')
    assert.equal(judged({ ...refused, tls: 'deny:7' }), 'denied rule')
    assert.equal(judged({ ...tunnel, st: 0, out: 0, mode: 'terminate', tls: 'down:-' }), 'denied failure')
    assert.equal(judged({ ...tunnel, st: 0, out: 0, mode: 'peek', err: 'ERR_CONNECT_FAIL' }), 'denied failure')
    assert.equal(
      judged({ ...tunnel, st: 0, out: 0, mode: 'bump', tls: 'bump:7', err: 'ERR_SECURE_CONNECT_FAIL' }),
      'denied certificate',
    )
    // A tunnel that a client asked for where there is none.
    const inside = { ...tunnel, u: 'site.test:80', st: 403, out: 3_000, mode: '-', vt: '-', err: '403:ERR_WEB_INSIDE' }
    assert.equal(judged({ ...inside, tls: '-', sni: '-', rule: '-', why: '-' }), 'denied failure')
    assert.equal(judged({ ...inside, mode: 'peek', tls: 'bump:7' }), 'denied failure')
    // The page that says so is decrypted, but the record of the connection is there.
    assert.ok(isAside({ v: '-', st: 503, err: 'ERR_SECURE_CONNECT_FAIL' }))
    assert.ok(isAside({ v: '-', st: 503, tls: 'splice:7', err: 'ERR_CONNECT_FAIL' }))
    assert.ok(!isAside({ v: 'allow', st: 503, err: 'ERR_CONNECT_FAIL' }))
    assert.equal(requestOf({ ...tunnel, sni: '-' }).host, '10.99.2.2')
  })

  it('of the direct proxy has no destination', () => {
    const { via, destination } = requestOf({ ...plain, via: 'direct', dst: '10.99.1.1', port: '3128' })
    assert.deepEqual([via, destination], ['direct', ''])
  })

  it('takes the last of what was said several times, and each category once', () => {
    const { ruleId, categories } = requestOf({ rule: '3,9', cat: 'users.id.1,users.id.1,bad,extended.id.2' })
    assert.deepEqual([ruleId, categories], [9, ['users.id.1', 'extended.id.2']])
  })

  it('is decoded once, and bytes that are not UTF-8 or control a terminal are replaced', () => {
    const request = requestOf({
      ...plain,
      u: 'http://site.test/%2580%25FF%2522',
      ua: '%1B%5B31m%FF%22',
      user: '%D0%90da',
    })
    assert.equal(request.url, 'http://site.test/%80%FF%22')
    assert.equal(request.userAgent, '\ufffd[31m\ufffd"')
    assert.equal(request.login, 'Аda')
  })

  it('has names of hosts in lower case, without user, port and last dot', () => {
    assert.equal(requestOf({ ...plain, u: 'http://ada:x@SITE.test.:8080/a' }).host, 'site.test')
    assert.equal(requestOf({ ...plain, u: 'http://[2001:DB8::1]:80/' }).host, '2001:db8::1')
    assert.equal(requestOf({ ...plain, u: '%00%01' }).host, '10.99.2.2')
  })

  it('is bounded in everything', () => {
    const long = 'x'.repeat(10_000)
    const request = requestOf({
      ...plain,
      u: `http://site.test/${long}`,
      ua: long,
      ref: long,
      user: long,
      ct: long,
      out: 1e300,
    })
    assert.ok(JSON.stringify(request).length < 7_000)
    assert.equal(request.bytesReceived, 2 ** 40)
    assert.equal(parseAccessLine(lineOf({ ua: 'x'.repeat(70_000) })).is, 'fault')
  })

  it('with a fault is not a request', () => {
    for (const line of [
      '',
      '{}',
      '[]',
      'null',
      '1',
      lineOf({ t: -1 }),
      lineOf({ t: 'now' }),
      lineOf({ src: 'x y' }),
      lineOf({ m: 'GET /' }),
    ])
      assert.equal(parseAccessLine(line).is, 'fault', line)
  })

  it('never throws, however it is cut or changed', () => {
    const random = new Random(seed)
    const whole = lineOf({ ua: '%FF%1B%22', u: 'http://a%C3/%2' })
    for (let at = 0; at < whole.length; at++) assert.equal(parseAccessLine(whole.slice(0, at)).is, 'fault')
    const values = [null, '', '-', '%', '%%%', '%FF', -1, 1e300, {}, [], true, '\u2028', '__proto__', ','.repeat(99)]
    for (let round = 0; round < 2_000; round++) {
      const fields = Object.fromEntries(
        Object.keys(usual).map((key) => [key, random.chance(0.3) ? random.pick(values) : usual[key as 'm']]),
      )
      const read = parseAccessLine(JSON.stringify(fields))
      if (read.is !== 'request') continue
      for (const [name, value] of Object.entries(read.request)) {
        if (typeof value === 'number') assert.ok(Number.isSafeInteger(value) && value >= 0, name)
        else assert.doesNotMatch(String(value), /\p{Cc}/u, name)
      }
    }
  })
})
