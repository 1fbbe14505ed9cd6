// One-time codes by time, by the vectors of RFC 6238 (the last six of their eight digits) and RFC 4648.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { codeAt, createSecret, decodeBase32, encodeBase32, enrolmentUri, stepsOf } from './totp.ts'

const secret = encodeBase32(Buffer.from('12345678901234567890'))

describe('codes of authenticator apps', () => {
  it('are those of RFC 6238', () => {
    const vectors = [
      [59, '287082'],
      [1_111_111_109, '081804'],
      [1_111_111_111, '050471'],
      [1_234_567_890, '005924'],
      [2_000_000_000, '279037'],
      [20_000_000_000, '353130'],
    ] as const
    for (const [seconds, code] of vectors) {
      assert.equal(codeAt(secret, Math.floor(seconds / 30)), code)
      assert.deepEqual(stepsOf(secret, code, seconds), [Math.floor(seconds / 30)])
    }
  })

  it('are right one step before and after their time, and not two', () => {
    const at = 1_234_567_890
    const step = Math.floor(at / 30)
    for (const offset of [-1, 0, 1])
      assert.deepEqual(stepsOf(secret, codeAt(secret, step + offset), at), [step + offset])
    for (const offset of [-2, 2]) assert.deepEqual(stepsOf(secret, codeAt(secret, step + offset), at), [])
    for (const wrong of ['', '00592', '0059244', 'abcdef', '００５９２４'])
      assert.deepEqual(stepsOf(secret, wrong, at), [])
    assert.deepEqual(stepsOf(secret, '000000', 0), [], 'the first second of time does not fail')
  })

  it('have secrets of 160 bits in base32', () => {
    const secrets = Array.from({ length: 50 }, createSecret)
    for (const one of secrets) {
      assert.match(one, /^[A-Z2-7]{32}$/)
      assert.equal(encodeBase32(decodeBase32(one)), one)
    }
    assert.equal(new Set(secrets).size, secrets.length)
    for (const [text, encoded] of [
      ['', ''],
      ['f', 'MY'],
      ['fo', 'MZXQ'],
      ['foobar', 'MZXW6YTBOI'],
    ] as const) {
      assert.equal(encodeBase32(Buffer.from(text)), encoded)
      assert.equal(decodeBase32(encoded).toString(), text)
    }
  })

  it('are taken over by an address in which names stay names', () => {
    const uri = new URL(enrolmentUri(secret, 'Brand & co?secret=X', 'an/na:x#y'))
    assert.equal(uri.protocol, 'otpauth:')
    assert.equal(uri.hash, '')
    assert.deepEqual(
      [...uri.searchParams],
      [
        ['secret', secret],
        ['issuer', 'Brand & co?secret=X'],
        ['algorithm', 'SHA1'],
        ['digits', '6'],
        ['period', '30'],
      ],
    )
    assert.equal(decodeURIComponent(uri.pathname).endsWith('Brand & co?secret=X:an/na:x#y'), true)
  })
})
