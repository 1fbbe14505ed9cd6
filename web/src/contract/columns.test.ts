// Columns, the search over them and their order.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { staticLeases } from '@gateway/server/contract/dhcp'
import {
  columnsOf,
  columnText,
  compareRows,
  isFound,
  readSort,
  restColumn,
  widthOf,
  wordsOf,
  writeSort,
} from './columns.ts'
import type { Collection } from './define.ts'

const speaking = { zone: 'UTC', language: 'en', nameOf: () => null }

const columns = columnsOf({
  endpoints: staticLeases,
  columns: ['enabled', 'ip_address', 'comment'],
} as unknown as Collection)

test('declared columns come first, other fields can be chosen', () => {
  assert.deepEqual(
    columns.map(({ id, isExtra }) => [id, isExtra]),
    [
      ['enabled', false],
      ['ip_address', false],
      ['comment', false],
      ['mac', true],
    ],
  )
  const [enabled, , comment] = columns
  assert.ok(enabled && comment)
  assert.equal(restColumn(columns), 'comment')
  assert.equal(widthOf(enabled, 'comment'), 84)
  assert.equal(widthOf(comment, 'comment'), 'rest')
})

test('rows are found by all words and sorted by number where that is what they are', () => {
  const address = columns[1]
  assert.ok(address)
  const rows = [{ ip_address: '10.0.0.10' }, { ip_address: '10.0.0.9' }]
  assert.deepEqual(
    rows.toSorted(compareRows(address, speaking)).map((row) => columnText(address, row, speaking)),
    ['10.0.0.9', '10.0.0.10'],
  )
  assert.equal(isFound('10.0.0.9 printer room 4', wordsOf(' Printer 10.0 ')), true)
  assert.equal(isFound('10.0.0.9 printer', wordsOf('scanner')), false)
})

test('the order in the address', () => {
  assert.deepEqual(readSort('-name'), { id: 'name', isDown: true })
  assert.equal(writeSort({ id: 'name', isDown: false }), 'name')
  assert.equal(readSort(''), null)
  assert.equal(writeSort(null), null)
})
