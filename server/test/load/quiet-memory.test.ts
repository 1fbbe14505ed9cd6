// A process that has become quiet gives memory back; see src/memory.ts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLook } from '../../src/memory.ts'

const megabyte = 1024 * 1024

/** A heap whose size and load the test sets; a collection leaves 60 megabytes. */
function standIn() {
  const heap = { megabytes: 100, load: 0, done: [] as string[] }
  const look = createLook({
    size: () => heap.megabytes * megabyte,
    load: () => heap.load,
    collect: () => {
      heap.done.push('collect')
      heap.megabytes = 60
    },
    trim: () => heap.done.push('trim'),
  })
  const lookTimes = (times: number): void => {
    for (let time = 0; time < times; time++) look()
  }
  return { heap, lookTimes }
}

const twice = ['collect', 'trim', 'collect', 'trim']

test('a process that became quiet collects its garbage, trims the allocator, and then does no more', () => {
  const { heap, lookTimes } = standIn()
  lookTimes(2)
  assert.deepEqual(heap.done, ['collect', 'trim'])
  lookTimes(100)
  assert.deepEqual(heap.done, twice)
})

test('a process with work to do is left alone', () => {
  const { heap, lookTimes } = standIn()
  heap.load = 0.2
  lookTimes(10)
  assert.deepEqual(heap.done, [])
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
