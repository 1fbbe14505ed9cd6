// The writer: names from outside are quoted or refused, never syntax.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { addresses, inSet, mac, name, numbers, quoteInterface, record, rule, words } from './nft.ts'

it('an interface name is one quoted string or refused', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (text) => {
      let quoted: string
      try {
        quoted = quoteInterface(text)
      } catch {
        return
      }
      assert.match(quoted, /^"[^"\\\s]{1,15}"$/)
    }),
    { numRuns: 5_000 },
  )
})

it('an origin that is not an object path is refused', () => {
  for (const origin of ['a"b', 'a\nb', '', 'a b', 'x'.repeat(121), 'a;b', 'a}b'])
    assert.throws(() => rule(origin, words('accept')))
})

it('words and names take nothing but plain lower-case text', () => {
  for (const text of ['a{', '"', 'a\n', '', 'A', 'a@b', 'a$b']) assert.throws(() => words(text))
  for (const text of ['A', 'a b', '', '1a', 'a-b', 'a}', 'a\n', 'a'.repeat(62)]) {
    assert.throws(() => name(text))
    assert.throws(() => inSet(words('ip saddr'), text))
  }
})

it('what is not a number is refused', () => {
  for (const [low, high] of [
    [Number.NaN, 1],
    [1.5, 2],
    [-1, 2],
    [3, 2],
  ] as const) {
    assert.throws(() => numbers(low, high))
    assert.throws(() => addresses(low, high))
  }
  assert.throws(() => addresses(0, 2 ** 32))
})

it('a hardware address and a log prefix hold nothing else', () => {
  assert.throws(() => mac('11:22:33:44:55'))
  assert.throws(() => mac('11:22:33:44:55:66\n'))
  assert.throws(() => record(5, 'FWD', '1" ', 'drop'))
  assert.equal(record(5, 'FWD', '12', 'drop'), 'log group 5 prefix "FWD 12 drop "')
})
