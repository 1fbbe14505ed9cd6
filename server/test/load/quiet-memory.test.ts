// A process that has become quiet gives memory back; see src/memory.ts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLook } from '../../src/memory.ts'

const megabyte = 1024 * 1024

/** A heap whose size and load the test sets; a collection leaves 60 megabytes. */
function standIn() {
  const heap = { megabytes: 100, load: 0, collections: 0 }
  const look = createLook({
    size: () => heap.megabytes * megabyte,
    load: () => heap.load,
    collect: () => {
      heap.collections++
      heap.megabytes = 60
    },
  })
  return { heap, look }
}

test('a process that became quiet collects its garbage, and then no more', () => {
  const { heap, look } = standIn()
  for (let times = 0; times < 10; times++) look()
  assert.equal(heap.collections, 2)
})

test('a process with work to do is left alone', () => {
  const { heap, look } = standIn()
  heap.load = 0.2
  for (let times = 0; times < 10; times++) look()
  assert.equal(heap.collections, 0)
})

test('only growth is a reason to collect again', () => {
  const { heap, look } = standIn()
  for (let times = 0; times < 3; times++) look()
  heap.megabytes = 63
  look()
  assert.equal(heap.collections, 2)
  heap.megabytes = 90
  for (let times = 0; times < 3; times++) look()
  assert.equal(heap.collections, 4)
})

test('a very large heap is left to the runtime, because a collection of it would hold answers up', () => {
  const { heap, look } = standIn()
  heap.megabytes = 400
  look()
  assert.equal(heap.collections, 0)
})
