// Series of charts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chartParts } from './series.ts'

const point = (time: number, avg: number) => ({ time, min: avg, avg, max: avg })

test('traffic is bits, one chart for each interface and unit', () => {
  const parts = chartParts({
    step_seconds: 10,
    series: [
      { name: 'lan0/bytes_in', unit: 'bytes/s', points: [point(10, 1), point(50, 2)] },
      { name: 'lan0/bytes_out', unit: 'bytes/s', points: [] },
      { name: 'lan0/packets_in', unit: 'packets/s', points: [point(10, 3)] },
    ],
  })
  assert.deepEqual(
    parts.map(({ name, series }) => [name, series.length]),
    [
      ['lan0', 2],
      ['lan0, packets', 1],
    ],
  )
  assert.deepEqual(parts[0]?.series[0]?.points, [
    { time: 10, value: 8 },
    { time: 20, value: null },
    { time: 50, value: 16 },
  ])
  assert.equal(parts[0]?.series[0]?.unit, 'bit/s')
})

test('a group without parts is one chart', () => {
  const parts = chartParts({ step_seconds: 10, series: [{ name: 'busy', unit: 'percent', points: [point(10, 5)] }] })
  assert.deepEqual(
    parts.map(({ name }) => name),
    [''],
  )
})
