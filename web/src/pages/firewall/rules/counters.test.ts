// Hits are written only into what is on screen, and the last five minutes are counted here.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCounters, stepMs, steps } from './counters.ts'

const counter = (id: number, packets: number) => ({
  id,
  packets,
  bytes: packets * 100,
  since: 1,
  last_hit: packets > 0 ? 2 : null,
})

test('only listeners of changed rules are told', () => {
  const store = createCounters()
  const told: number[] = []
  store.subscribe(1, () => told.push(1))
  store.subscribe(2, () => told.push(2))
  store.take({ complete: true, counters: [counter(1, 0), counter(2, 5)] }, 0)
  assert.deepEqual(told, [1, 2])
  store.take({ complete: false, counters: [counter(2, 9)] }, 1000)
  assert.deepEqual(told, [1, 2, 2])
  assert.equal(store.get(2)?.packets, 9)
  assert.equal(store.get(3), null)
})

test('recent hits are counted from the second reading on and run out', () => {
  const store = createCounters()
  store.take({ complete: true, counters: [counter(1, 100)] }, 0)
  assert.equal(store.get(1)?.recent, null)
  store.take({ complete: false, counters: [counter(1, 107)] }, stepMs)
  assert.deepEqual(store.get(1)?.recent?.at(-1), 7)
  store.take({ complete: false, counters: [counter(1, 110)] }, 2 * stepMs)
  assert.deepEqual(store.get(1)?.recent?.slice(-2), [7, 3])
  store.take({ complete: false, counters: [] }, (steps + 5) * stepMs)
  assert.equal(store.get(1)?.recent, null)
})

test('a counter that begins at zero again counts no negative hits', () => {
  const store = createCounters()
  store.take({ complete: true, counters: [counter(1, 100)] }, 0)
  store.take({ complete: true, counters: [counter(1, 3)] }, stepMs)
  assert.equal(store.get(1)?.recent, null)
  store.take({ complete: true, counters: [] }, stepMs)
  assert.equal(store.get(1), null)
})
