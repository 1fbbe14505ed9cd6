// The filter of a log in the address, as typed, and on lines.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { join, noFilter, parseTyped, readFilter, toggle, wireFilter, without, writeFilter } from './filter.ts'

const columns = ['action', 'source_ip', 'unit']

test('a filter survives the address, also with commas, backslashes and exclamation marks', () => {
  const filter = {
    text: 'a b',
    conditions: [
      { column: 'action', value: 'drop', isNot: false },
      { column: 'action', value: '!odd,\\', isNot: false },
      { column: 'unit', value: '!x,', isNot: true },
      { column: 'unit', value: '', isNot: true },
    ],
  }
  const search = Object.fromEntries(Object.entries(writeFilter(filter, columns)).filter(([, value]) => value !== null))
  assert.deepEqual(readFilter(search as Record<string, string>, columns), filter)
})

test('unknown columns of the address are dropped and no filter leaves no trace', () => {
  assert.deepEqual(readFilter({ other: 'x', q: '' }, columns), noFilter)
  assert.deepEqual(Object.values(writeFilter(noFilter, columns)), [null, null, null, null])
})

test('the same click takes a condition away, the other one turns it round', () => {
  const only = toggle(noFilter, { column: 'action', value: 'drop', isNot: false })
  assert.equal(only.conditions.length, 1)
  assert.deepEqual(toggle(only, { column: 'action', value: 'drop', isNot: false }), noFilter)
  assert.deepEqual(toggle(only, { column: 'action', value: 'drop', isNot: true }).conditions, [
    { column: 'action', value: 'drop', isNot: true },
  ])
  assert.deepEqual(without(only, { column: 'action', value: 'drop', isNot: true }), noFilter)
})

test('typed words become conditions where they name a column', () => {
  assert.deepEqual(parseTyped('action=drop source_ip!=10.0.0.1 port=5 lost', columns), {
    text: 'port=5 lost',
    conditions: [
      { column: 'action', value: 'drop', isNot: false },
      { column: 'source_ip', value: '10.0.0.1', isNot: true },
    ],
  })
})

test('values of one column are one condition of the query', () => {
  const filter = join(noFilter, parseTyped('action=drop action=reject unit!=dns ten', columns))
  assert.deepEqual(wireFilter(filter), [
    { items: [{ column_name: 'action', operator: 'equals', value: ['drop', 'reject'] }] },
    { items: [{ column_name: 'unit', operator: 'not_equals', value: ['dns'] }] },
  ])
})
