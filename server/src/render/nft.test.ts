// The writer: names from outside are quoted or refused, never syntax.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { inSet, printTable, quoteInterface, rule, words } from './nft.ts'

it('an interface name is one quoted string or refused', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (name) => {
      let quoted: string
      try {
        quoted = quoteInterface(name)
      } catch {
        return
      }
      assert.match(quoted, /^"[^"\\\s]{1,15}"$/)
    }),
    { numRuns: 5_000 },
  )
})

it('an origin that is not an object path is refused', () => {
  for (const origin of ['a"b', 'a\nb', '', 'a b', 'x'.repeat(121), 'a;b', 'a}b']) {
    assert.throws(() => printTable([{ kind: 'chain', name: 'c', rules: [rule(origin, words('accept'))] }]))
  }
})

it('words and names take nothing but plain lower-case text', () => {
  for (const text of ['accept; drop', 'a{', '"', 'a\n', '']) assert.throws(() => words(text))
  for (const name of ['A', 'a b', '', '1a', 'a-b', 'a}']) assert.throws(() => inSet('ip saddr', name))
})
