// A session needs both of its cookies, whole, once each and of the same session. Everything else is an unauthenticated client, at every
// endpoint that is not public.
// Requirement 4.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { nameOf } from '../../src/core/contract/endpoint.ts'
import { ask, cookieOf, fillPath, protectedEndpoints } from '../contract/contract.ts'
import { createTestGateway, type FakeClock, type TestGateway } from '../support/test-gateway.ts'
import { seed } from './random.ts'

describe('a session', () => {
  let gateway: TestGateway
  let clock: FakeClock
  let adminId = ''
  before(async () => {
    gateway = await createTestGateway()
    clock = gateway.clock
    adminId = await gateway.addAdministrator('holder', 'predefined_admin_write')
  })
  after(() => gateway.close())

  const make = () => gateway.services.accounts.sessions.create(adminId, '127.0.0.1', '/')
  const first = (value: string): string => `insecure-portcullis-session=${value}`
  const second = (name: string, value: string): string => `__Secure-portcullis-${name}=${value}`
  const whoami = async (cookie: string, headers: Record<string, string> = {}): Promise<number> =>
    (await ask(gateway, { method: 'GET', url: '/web/whoami', cookie, headers, from: freshAddress() })).status

  let source = 0
  /** The share of one address would otherwise answer 429 after a few thousand refusals. */
  const freshAddress = (): string => `10.9.${(++source >> 8) & 255}.${source & 255}`

  const badHeaders = (): [title: string, cookie: string][] => {
    const a = make()
    const b = make()
    const upper = { ...a, session: a.session.toUpperCase() }
    return [
      ['no cookie', ''],
      ['only the first half', first(a.session)],
      ['only the second half', second(a.secureName, a.secureValue)],
      ['the halves swapped', `${first(a.secureValue)}; ${second(a.secureName, a.session)}`],
      ['the second half of another session', `${first(a.session)}; ${second(b.secureName, b.secureValue)}`],
      [
        'the value of another session under its own name',
        `${first(a.session)}; ${second(a.secureName, b.secureValue)}`,
      ],
      ['its own value under another name', `${first(a.session)}; ${second(b.secureName, a.secureValue)}`],
      ['the second half without its time', `${first(a.session)}; ${second(a.secureName, a.secureValue.slice(0, 36))}`],
      ['the first half twice', `${first(a.session)}; ${cookieOf(a)}`],
      ['the second half twice', `${cookieOf(a)}; ${second(a.secureName, a.secureValue)}`],
      ['a half that is too long', `${cookieOf(a)}${'0'.repeat(200)}`],
      ['quoted values', `${first(`"${a.session}"`)}; ${second(a.secureName, `"${a.secureValue}"`)}`],
      ['other letter case', cookieOf(upper)],
      ['commas instead of semicolons', cookieOf(a).replace('; ', ', ')],
      ['the handle of the list', `${first(a.handle)}; ${second(a.secureName, a.secureValue)}`],
      [
        'the hash instead of the value',
        `${first('47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=')}; ${second(a.secureName, '')}`,
      ],
      ['the first half empty', `${first('')}; ${second(a.secureName, a.secureValue)}`],
      ['the second half empty', `${first(a.session)}; ${second(a.secureName, '')}`],
    ]
  }

  describe('that is not whole', () => {
    let bad: ReturnType<typeof badHeaders>
    before(() => {
      bad = badHeaders()
    })

    for (const endpoint of protectedEndpoints) {
      it(`opens nothing at ${nameOf(endpoint)}`, async () => {
        const { revision } = gateway.engine
        for (const [title, cookie] of bad) {
          const url = fillPath(endpoint.path)
          const answer = await ask(gateway, { method: endpoint.method, url, cookie, body: {}, from: freshAddress() })
          assert.equal(answer.status, 401, `${title}: ${answer.text}`)
          assert.equal(answer.body.code, 'unauthenticated')
        }
        assert.equal(gateway.engine.revision, revision)
      })
    }
  })

  it('that has expired opens nothing anywhere', async () => {
    const { revision } = gateway.engine
    const old = cookieOf(make())
    clock.advance(15 * 60)
    for (const { method, path } of protectedEndpoints) {
      const answer = await ask(gateway, { method, url: fillPath(path), cookie: old, from: freshAddress() })
      assert.equal(answer.status, 401, `${method} ${path}: ${answer.text}`)
    }
    assert.equal(gateway.engine.revision, revision)
  })

  it('is found among other cookies, in either order', async () => {
    const a = make()
    const old = second(crypto.randomUUID(), 'left over')
    assert.equal(await whoami(`x=1; ${cookieOf(a)}; y="2"`), 200)
    assert.equal(await whoami(`${second(a.secureName, a.secureValue)};${first(a.session)}`), 200)
    assert.equal(await whoami(`${old}; ${cookieOf(a)}`), 200, 'half of a session that is over')
  })

  it('is taken from the Cookie header only', async () => {
    const a = make()
    const value = cookieOf(a)
    for (const name of ['authorization', 'x-session', 'cookie2', 'x-cookie', 'set-cookie', 'session', 'x-auth-token']) {
      assert.equal(await whoami('', { [name]: value }), 401, name)
    }
    const asQuery = `/web/whoami?session=${a.session}&secure=${a.secureValue}`
    assert.equal((await ask(gateway, { method: 'GET', url: asQuery })).status, 401)
  })

  it('does not open for 500 mutations of its cookies', async () => {
    const good = cookieOf(make())
    const mutation = fc.oneof(
      fc
        .tuple(fc.nat(good.length - 1), fc.nat(255))
        .map(([at, byte]) => good.slice(0, at) + hexDigit(byte, good[at]) + good.slice(at + 1)),
      fc.nat(good.length - 1).map((length) => good.slice(0, length)),
      fc.nat(good.length - 1).map((at) => good.slice(0, at) + good.slice(at + 1)),
      fc.string({ unit: 'binary-ascii', maxLength: 300 }).map((text) => text.replaceAll(/[^\x20-\x7e]/g, '~')),
      fc.constantFrom(...good.split('; ')).map((half) => `${half}; ${half}`),
    )
    await fc.assert(
      fc.asyncProperty(mutation, async (cookie) => {
        // Losing one space or a name's neighbour may leave the same two cookies.
        fc.pre(cookie.replaceAll(' ', '') !== good.replaceAll(' ', ''))
        assert.equal(await whoami(cookie), 401, cookie)
      }),
      { numRuns: 500, seed },
    )
    assert.equal(await whoami(good), 200, 'and the session itself still stands')
  })
})

/** Another character than the one that is there. */
const hexDigit = (byte: number, old: string | undefined): string => {
  const digit = (byte & 15).toString(16)
  return digit === old ? 'g' : digit
}
