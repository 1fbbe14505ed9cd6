// Moves of rules: any order is reached, and with as few moves as there can be.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Move, movesBetween, orderAt, orderBeside, orderByStep, readPosition } from './moves.ts'

/** As the gateway does it. */
function apply(order: readonly number[], { id, anchor, isAfter }: Move): number[] {
  const rest = order.filter((one) => one !== id)
  const at = rest.indexOf(anchor) + (isAfter ? 1 : 0)
  return [...rest.slice(0, at), id, ...rest.slice(at)]
}

const range = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1)

test('moves lead from any order to any other', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 30 }).chain((count) => fc.shuffledSubarray(range(count), { minLength: count })),
      (to) => {
        const from = range(to.length)
        assert.deepEqual(movesBetween(from, to).reduce<readonly number[]>(apply, from), to)
      },
    ),
  )
})

test('a block that moves one step up is one move of its neighbour', () => {
  const from = range(300)
  const block = new Set(range(300).filter((id) => id > 100 && id <= 300))
  const to = orderByStep(from, block, -1)
  assert.deepEqual(to.slice(98, 101), [99, 101, 102])
  assert.deepEqual(movesBetween(from, to), [{ id: 100, anchor: 300, isAfter: true }])
})

test('a step closes the gaps of a block and stops at the ends', () => {
  assert.deepEqual(orderByStep([1, 2, 3, 4, 5], new Set([2, 4]), -1), [1, 2, 4, 3, 5])
  assert.deepEqual(orderByStep([1, 2, 3, 4, 5], new Set([2, 4]), 1), [1, 3, 2, 4, 5])
  assert.deepEqual(orderByStep([1, 2, 3], new Set([1]), -1), [1, 2, 3])
  assert.deepEqual(orderByStep([1, 2, 3], new Set([3]), 1), [1, 2, 3])
})

test('a position is that of the first rule of the block afterwards', () => {
  assert.deepEqual(orderAt([1, 2, 3, 4, 5], new Set([1, 2]), 3), [3, 4, 1, 2, 5])
  assert.deepEqual(orderAt([1, 2, 3, 4, 5], new Set([4]), 1), [4, 1, 2, 3, 5])
  assert.deepEqual(orderAt([1, 2, 3], new Set([1]), 99), [2, 3, 1])
})

test('a drop goes beside the rule it is dropped on', () => {
  assert.deepEqual(orderBeside([1, 2, 3, 4], new Set([1]), 3, true), [2, 3, 1, 4])
  assert.deepEqual(orderBeside([1, 2, 3, 4], new Set([4]), 2, false), [1, 4, 2, 3])
  assert.deepEqual(orderBeside([1, 2, 3], new Set([2]), 2, true), [1, 2, 3])
})

test('a position is read from what was typed', () => {
  const words = { top: 'начало', end: 'конец' }
  assert.equal(readPosition('120', 500, words), 120)
  assert.equal(readPosition('900', 500, words), 500)
  assert.equal(readPosition(' Top ', 500, words), 1)
  assert.equal(readPosition('конец', 500, words), 500)
  assert.equal(readPosition('up', 500, words), null)
  assert.equal(readPosition('0', 500, words), null)
})
