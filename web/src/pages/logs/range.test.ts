// Time ranges in the address and the buckets of the histogram.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bucketWidth, countTimes, presetRange, readRange, writeRange } from './range.ts'

const now = 1_800_000_000

test('a range is a preset that moves on, or two moments', () => {
  assert.deepEqual(readRange({ from: '-15m' }, now), { from: now - 900, until: now, preset: '-15m' })
  assert.deepEqual(readRange({}, now).preset, '-1h')
  assert.deepEqual(readRange({ from: '100', until: '200' }, now), { from: 100, until: 200, preset: null })
  assert.deepEqual(readRange({ from: '200', until: '100' }, now).preset, '-1h')
  assert.deepEqual(readRange({ from: 'x' }, now).preset, '-1h')
  assert.deepEqual(writeRange('-1h'), { from: null, until: null })
  assert.deepEqual(writeRange({ from: 10.5, until: 20.5 }), { from: '10', until: '21' })
})

test('buckets are round, complete and few', () => {
  const range = presetRange('-15m', now)
  const width = bucketWidth(range)
  assert.equal(width, 10)
  const buckets = countTimes([now * 1_000 - 1, now * 1_000 - 2, (now - 900) * 1_000], range)
  assert.equal(buckets.length, 90)
  assert.equal(buckets[0]?.count, 1)
  assert.equal(buckets.at(-1)?.count, 2)
  assert.equal(
    buckets.every(({ time }) => time % width === 0),
    true,
  )
})
