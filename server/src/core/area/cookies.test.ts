// Reading and writing the session cookies, without a server around them.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { GatewayError } from '../contract/error.ts'
import { checkRestPath, cookieNames, createCookieJar, readCookies, setCookies } from './cookies.ts'

const names = cookieNames('brand')
const seed = Number(process.env.PORTCULLIS_SEED ?? 20_260_101)

describe('a Cookie header', () => {
  const rows: [header: string | undefined, session: string | null, secures: Record<string, string>][] = [
    [undefined, null, {}],
    ['', null, {}],
    ['insecure-brand-session=a', null, {}],
    ['__Secure-brand-x=b', null, {}],
    ['insecure-brand-session=a; __Secure-brand-x=b', 'a', { x: 'b' }],
    ['__Secure-brand-x=b;insecure-brand-session=a', 'a', { x: 'b' }],
    [' insecure-brand-session = a ;  __Secure-brand-x = b ', 'a', { x: 'b' }],
    ['insecure-brand-session=a; __Secure-brand-x=b; __Secure-brand-y=c', 'a', { x: 'b', y: 'c' }],
    ['insecure-brand-session=a=b; __Secure-brand-x=c=d', 'a=b', { x: 'c=d' }],
    ['insecure-brand-session=a; insecure-brand-session=a; __Secure-brand-x=b', null, {}],
    ['insecure-brand-session=a; __Secure-brand-x=b; __Secure-brand-x=b', null, {}],
    ['Insecure-brand-session=a; __Secure-brand-x=b', null, {}],
    ['insecure-other-session=a; __Secure-brand-x=b', null, {}],
    ['insecure-brand-session; __Secure-brand-x', null, {}],
    [`insecure-brand-session=${'a'.repeat(200)}; __Secure-brand-x=b`, null, {}],
    [`other=${'a'.repeat(5_000)}; insecure-brand-session=a; __Secure-brand-x=b`, 'a', { x: 'b' }],
  ]
  for (const [header, session, secures] of rows) {
    it(`${JSON.stringify(header?.slice(0, 70))} is read as ${session === null ? 'nothing' : JSON.stringify(secures)}`, () => {
      const read = readCookies(names, header)
      assert.equal(read?.session ?? null, session)
      assert.deepEqual(Object.fromEntries(read?.secures ?? []), secures)
    })
  }

  it('of any form never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (header) => {
        readCookies(names, header)
        createCookieJar(names).clear(header, '/')
      }),
      { seed, numRuns: 2_000 },
    )
  })
})

describe('a rest_path', () => {
  it('that passes cannot leave its place in the header', () => {
    const piece = fc.constantFrom(
      '/',
      'a',
      '.',
      '..',
      ';',
      ' ',
      '\r',
      '\n',
      '%',
      '=',
      ',',
      '"',
      'Domain',
      '~',
      '-',
      '_',
      '\u2028',
      'é',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const path = pieces.join('')
        let taken = ''
        try {
          taken = checkRestPath(path)
        } catch (error) {
          assert.ok(error instanceof GatewayError && error.code === 'invalid')
          return
        }
        assert.match(taken, /^\/[A-Za-z0-9._~/-]*$/)
        const tokens = { session: 's', secureName: 'n', secureValue: 'v' }
        for (const cookie of setCookies(names, tokens, taken)) assert.equal(cookie.split(';').length, 5)
      }),
      { seed, numRuns: 5_000 },
    )
  })
})
