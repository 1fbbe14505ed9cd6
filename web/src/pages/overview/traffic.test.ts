// Numbers of the dashboard.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lastValue, mostFrequent, outerDevices, roomOf, sumRates } from './traffic.ts'

const point = (time: number, avg: number) => ({ time, min: avg, avg, max: avg })
const charts = {
  step_seconds: 10,
  series: [
    { name: 'wan0/bytes_in', unit: 'bytes/s', points: [point(10, 1), point(20, 2), point(60, 3)] },
    { name: 'wan1/bytes_in', unit: 'bytes/s', points: [point(20, 10)] },
    { name: 'lan0/bytes_in', unit: 'bytes/s', points: [point(20, 100)] },
  ],
}

test('rates are bits, summed over devices, with gaps', () => {
  const points = sumRates(charts, new Set(['wan0', 'wan1']), 'bytes_in')
  assert.deepEqual(points, [
    { time: 10, value: 8 },
    { time: 20, value: 96 },
    { time: 30, value: null },
    { time: 60, value: 24 },
  ])
  assert.equal(lastValue(points), 24)
  assert.deepEqual(sumRates(charts, new Set(), 'bytes_in'), [])
})

test('without a way to the internet all devices count', () => {
  const state = (type: string, device: string | null) => ({ type, summary: { device } })
  assert.deepEqual([...outerDevices([state('lan', 'lan0'), state('wan', 'wan0')], charts)], ['wan0'])
  assert.deepEqual([...outerDevices([state('lan', 'lan0')], charts)], ['wan0', 'wan1', 'lan0'])
})

test('ranges have room, the most frequent is counted', () => {
  assert.equal(roomOf(['10.0.0.10-10.0.0.19', 'nonsense']), 10)
  assert.deepEqual(mostFrequent(['a', 'b', 'b']), { value: 'b', count: 2 })
  assert.equal(mostFrequent([]), null)
})
