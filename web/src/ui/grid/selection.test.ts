// Selecting rows, and what a drag of them carries.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { draggedKeys, extend, nothing, only, type SelectionState, toggle, toggleAll } from './selection.ts'

const order = ['a', 'b', 'c', 'd', 'e']
const keysOf = (state: SelectionState): string => [...state.keys].toSorted().join('')

describe('selection of rows', () => {
  it('toggles single rows', () => {
    const one = toggle(nothing, 'b')
    assert.equal(keysOf(one), 'b')
    assert.equal(keysOf(toggle(toggle(one, 'd'), 'b')), 'd')
    assert.equal(nothing.keys.size, 0)
  })

  it('grows and shrinks a range around its anchor', () => {
    const start = only('c')
    const down = extend(start, order, 'c', 'e')
    assert.equal(keysOf(down), 'cde')
    assert.equal(keysOf(extend(down, order, 'e', 'd')), 'cd')
    assert.equal(keysOf(extend(down, order, 'e', 'a')), 'abc')
  })

  it('begins at the focus when there is no anchor', () => {
    assert.equal(keysOf(extend(nothing, order, 'b', 'c')), 'bc')
    assert.equal(keysOf(extend({ keys: new Set(), anchor: 'gone' }, order, 'b', 'c')), 'bc')
  })

  it('adds a range to others when asked for', () => {
    const state = toggle(only('a'), 'd')
    assert.equal(keysOf(extend(state, order, 'd', 'e', true)), 'ade')
  })

  it('selects all, then none', () => {
    const all = toggleAll(only('b'), order)
    assert.equal(keysOf(all), 'abcde')
    assert.equal(keysOf(toggleAll(all, order)), '')
  })

  it('drags the selection in the order of the list, or a row outside of it alone', () => {
    assert.deepEqual(draggedKeys(new Set(['d', 'b']), order, 'b'), ['b', 'd'])
    assert.deepEqual(draggedKeys(new Set(['d', 'b']), order, 'c'), ['c'])
  })
})
