// Lines joined as they come, and facets.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { facetOf, joinLines, keyed } from './lines.ts'

const line = (key: string, time: number, action = 'drop') => ({ key, time, cells: { action } })

test('new lines come first, known ones stay', () => {
  const known = [line('b', 2), line('a', 1)]
  assert.equal(joinLines(known, [line('a', 1)]), known)
  assert.deepEqual(
    joinLines(known, [line('c', 3), line('b', 2)]).map(({ key }) => key),
    ['c', 'b', 'a'],
  )
})

test('facets are the most frequent values', () => {
  const lines = [line('a', 1), line('b', 2, 'accept'), line('c', 3), line('d', 3, '')]
  assert.deepEqual(facetOf(lines, 'action'), [
    { value: 'drop', count: 2 },
    { value: 'accept', count: 1 },
  ])
  assert.deepEqual(facetOf(lines, 'missing'), [])
})

test('equal records of one moment keep their keys when newer ones come', () => {
  const before = keyed(['x', 'x', 'y'], String)
  const after = keyed(['x', 'x', 'x', 'y'], String)
  assert.deepEqual(
    before.map(({ key }) => key),
    ['x 1', 'x', 'y'],
  )
  assert.deepEqual(
    after.map(({ key }) => key),
    ['x 2', 'x 1', 'x', 'y'],
  )
})
