// Hashes and rules of passwords.
// Requirements 1 and 2.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { GatewayError } from '../contract/error.ts'
import { Passwords, weaknessOf } from './passwords.ts'

describe('a password hash', () => {
  const passwords = new Passwords()

  it('is argon2id with the cost, its own salt and a tag of 32 bytes', async () => {
    const hashes = await Promise.all([passwords.hash('the same phrase'), passwords.hash('the same phrase')])
    const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/
    const [first, second] = hashes.map((hash) => form.exec(hash))
    assert.ok(first && second)
    assert.ok(Number(first[1]) >= 19_456 && Number(first[2]) >= 2)
    assert.notEqual(first[3], second[3])
    assert.notEqual(first[4], second[4])
  })

  it('fits exactly the text it was made of', async () => {
    const seed = 20_260_101
    const text = fc.string({ unit: 'grapheme', minLength: 10, maxLength: 42 })
    await fc.assert(
      fc.asyncProperty(text, text, async (right, other) => {
        const hash = await passwords.hash(right)
        assert.equal(await passwords.fits(right, hash, null), true)
        for (const wrong of [other, `${right} `, right.slice(1), right.normalize('NFD'), right.toUpperCase()]) {
          assert.equal(await passwords.fits(wrong, hash, null), wrong === right)
        }
      }),
      { numRuns: process.env.PORTCULLIS_NIGHTLY ? 200 : 8, seed },
    )
  })

  it('with a cost that an attacker chose, such as in a crafted backup, fits nothing and is not computed', async () => {
    const [salt, tag] = ['A'.repeat(22), 'A'.repeat(43)]
    for (const cost of ['m=99999999,t=2,p=1', 'm=19456,t=999,p=1', 'm=19456,t=2,p=99']) {
      const { user } = process.cpuUsage()
      assert.equal(await passwords.fits('anything at all', `$argon2id$v=19$${cost}$${salt}$${tag}`, null), false)
      assert.ok(process.cpuUsage().user - user < 1_000_000, cost)
    }
  })

  it('that is missing, damaged or of another kind fits nothing', async () => {
    for (const stored of [null, '', 'plain', '$2b$12$abcdefghijklmnopqrstuv', '$argon2i$v=19$m=8,t=1,p=1$AAAA$AAAA']) {
      assert.equal(await passwords.fits('anything at all', stored, null), false, String(stored))
    }
  })

  it('made with a lower cost is outdated', async () => {
    assert.equal(passwords.isOutdated(await passwords.hash('any phrase at all')), false)
    assert.equal(passwords.isOutdated('$argon2id$v=19$m=4096,t=2,p=1$c29tZXNhbHQ$AAAA'), true)
    assert.equal(passwords.isOutdated('nonsense'), true)
  })

  it('asked for by administrators is computed for two at once while 32 wait; the next hears to come back', async () => {
    const busy = new Passwords()
    const results = await Promise.allSettled(Array.from({ length: 40 }, () => busy.hash('some pass phrase')))
    const refused = results.filter((result) => result.status === 'rejected')
    assert.equal(refused.length, 40 - 2 - 32)
    for (const { reason } of refused) {
      assert.ok(reason instanceof GatewayError)
      assert.equal(reason.code, 'unavailable')
      assert.equal(reason.retryAfterSeconds, 1)
    }
    assert.match(await busy.hash('and afterwards it goes on'), /^\$argon2id/)
  })

  it('leaves the event loop free while it is computed', async () => {
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    await Promise.all(Array.from({ length: 8 }, () => passwords.hash('some pass phrase')))
    clearInterval(timer)
    assert.ok(turns >= 2, `${turns} turns`)
  })
})

describe('a new password', () => {
  const forbidden = ['ann', 'bobby', 'portcullis', 'gateway-host']

  it('may be anything that is neither common nor made of the login, the product or the host', () => {
    for (const password of [
      'correct horse',
      '          x',
      'пароль-надёжный',
      '😀😀😀😀😀😀😀😀😀😀',
      'annannannann',
    ]) {
      assert.equal(weaknessOf(password, forbidden), null, password)
    }
  })

  it('must not contain one of those words, in any case', () => {
    for (const password of ['xxBOBBYxxx', 'my portcullis 1', 'Gateway-Host!', 'bobbybobby']) {
      assert.match(weaknessOf(password, forbidden) ?? '', /must not contain/, password)
    }
  })

  it('must not be too common', () => {
    for (const password of ['1234567890', 'qwertyuiop', 'QwertyUiop', 'Q1W2E3R4T5']) {
      assert.match(weaknessOf(password, []) ?? '', /too common/, password)
    }
  })

  it('is held against a list whose entries could all be chosen', () => {
    const list = readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8')
      .trimEnd()
      .split('\n')
    assert.equal(new Set(list).size, list.length)
    for (const entry of list) {
      const length = [...entry].length
      assert.ok(length >= 10 && length <= 42 && entry === entry.toLowerCase(), entry)
    }
  })
})
