// Sizes and rates: decimal, and bits for rates.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { byteFactors, printBytes, printCount, printRate, splitBytes } from './amount.ts'

test('sizes are decimal and rates are bits', () => {
  assert.equal(printBytes(0, 'en'), '0 byte')
  assert.equal(printBytes(1_500_000, 'en'), '1.5 MB')
  assert.equal(printBytes(150_000_000, 'en'), '150 MB')
  assert.equal(printRate(12_500_000, 'en'), '100 Mbit/s')
  assert.equal(printCount(9982, 'en'), '9,982')
  assert.equal(printCount(1_200_000, 'en'), '1.2M')
  assert.match(printBytes(1_500_000, 'ru'), /1,5.МБ/u)
})

test('a size splits into an amount and a unit without loss', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 100_000_000_000 }), (bytes) => {
      const { amount, factor } = splitBytes(bytes)
      assert.equal(Math.round(amount * factor), bytes)
      assert.ok(byteFactors.some((known) => known.factor === factor))
    }),
  )
  assert.deepEqual(splitBytes(150_000_000), { amount: 150, factor: 1_000_000 })
  assert.deepEqual(splitBytes(1_500), { amount: 1.5, factor: 1_000 })
})
