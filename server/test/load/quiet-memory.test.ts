// A process that has become quiet gives memory back; see shared/memory.ts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLook } from '../../src/shared/memory.ts'

const megabyte = 1024 * 1024

/** A heap whose size and load the test sets, and what a collection leaves of it. */
function standIn(left = 60) {
  const heap = { megabytes: 100, load: 0, done: [] as string[] }
  const look = createLook({
    size: () => heap.megabytes * megabyte,
    load: () => heap.load,
    collect: () => {
      heap.done.push('collect')
      heap.megabytes = left
    },
    trim: () => heap.done.push('trim'),
  })
  const lookTimes = (times: number): void => {
    for (let time = 0; time < times; time++) look()
  }
  return { heap, lookTimes }
}

const once = ['collect', 'trim']
const twice = [...once, ...once, 'trim']

test('a process that became quiet collects its garbage, trims the allocator, and then does no more', () => {
  const { heap, lookTimes } = standIn()
  lookTimes(2)
  assert.deepEqual(heap.done, once)
  lookTimes(100)
  assert.deepEqual(heap.done, twice)
})

test('the garbage of the start is collected at the first look, whatever there is to do', () => {
  const { heap, lookTimes } = standIn()
  heap.load = 0.8
  lookTimes(10)
  assert.deepEqual(heap.done, once)
})

test('a large process with work to do is left alone, and a small one until it is twice as large', () => {
  for (const { left, collections } of [
    { left: 60, collections: 1 },
    { left: 10, collections: 2 },
  ]) {
    const { heap, lookTimes } = standIn(left)
    heap.load = 0.8
    lookTimes(1)
    heap.megabytes = 1.9 * left
    lookTimes(10)
    assert.deepEqual(heap.done, once)
    heap.megabytes = 2.1 * left
    lookTimes(10)
    assert.equal(heap.done.filter((step) => step === 'collect').length, collections)
  }
})

test('only growth is a reason to collect again, and a large heap may grow by more', () => {
  const { heap, lookTimes } = standIn()
  lookTimes(10)
  heap.megabytes = 67
  lookTimes(10)
  assert.deepEqual(heap.done, twice)
  heap.megabytes = 90
  lookTimes(10)
  assert.deepEqual(heap.done, [...twice, ...twice])
})

test('a very large heap is left to the runtime, because a collection of it would hold answers up', () => {
  const { heap, lookTimes } = standIn()
  heap.megabytes = 400
  lookTimes(10)
  assert.deepEqual(heap.done, [])
})
