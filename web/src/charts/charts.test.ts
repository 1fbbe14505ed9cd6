// Numbers, places and ranges of the charts.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { align, lastValue } from './align.ts'
import { bucketAt, rangeOf } from './range.ts'
import { shortNumber, spread, tickNumber } from './scale.ts'
import { sparkPath } from './spark-path.ts'

describe('charts', () => {
  it('writes numbers with three digits and a prefix', () => {
    assert.equal(shortNumber(0, 'bit/s'), '0 bit/s')
    assert.equal(shortNumber(412_345_678, 'bit/s'), '412 Mbit/s')
    assert.equal(shortNumber(1_500), '1.5 k')
    assert.equal(shortNumber(999_600, 'bytes'), '1 MB')
    assert.equal(shortNumber(1_500, 'connections'), '1.5 k connections')
    assert.equal(shortNumber(42, 'percent'), '42 %')
    assert.deepEqual([tickNumber(0, 's'), tickNumber(1_500, 'packets/s')], ['0', '1.5 k'])
    assert.equal(shortNumber(0.125, 's'), '0.13 s')
    assert.equal(shortNumber(-2_000), '-2 k')
  })

  it('joins series on one axis and keeps gaps', () => {
    const aligned = align([
      {
        name: 'a',
        unit: '',
        points: [
          { time: 1, value: 5 },
          { time: 2, value: null },
        ],
      },
      { name: 'b', unit: '', points: [{ time: 3, value: 7 }] },
    ])
    assert.deepEqual(aligned.times, [1, 2, 3])
    assert.deepEqual(aligned.values, [
      [5, null, null],
      [null, null, 7],
    ])
    assert.equal(lastValue(aligned.values[0] ?? []), 5)
    assert.equal(lastValue([null]), null)
  })

  it('moves labels apart', () => {
    assert.deepEqual(spread([50, 51, 10], 14, 100), [50, 64, 10])
    assert.deepEqual(spread([99, 100], 14, 100), [79, 93])
  })

  it('draws gaps of a spark as gaps', () => {
    assert.equal(sparkPath([0, 10, null, 10], 8, 12), 'M1 11L3 1M7 1')
    assert.equal(sparkPath([], 8, 12), '')
  })

  it('makes ranges of buckets, in either direction', () => {
    const buckets = [{ time: 10 }, { time: 20 }, { time: 30 }]
    assert.deepEqual(rangeOf(buckets, 1, 0), { from: 10, until: 30 })
    assert.deepEqual(rangeOf(buckets, 2, 2), { from: 30, until: 40 })
    assert.equal(rangeOf([], 0, 0), null)
    assert.equal(bucketAt(99, 100, 3), 2)
    assert.equal(bucketAt(-5, 100, 3), 0)
  })
})
