// Lists of objects: rows, filter, values.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filterObjects, objectRows, readValues, valueText } from './rows.ts'

const object = (id: string, title: string, rest: object = {}) => ({
  id,
  title,
  comment: '',
  type: id.split('.')[0] ?? '',
  ...rest,
})

const all = [
  object('any', 'Any'),
  object('ip.id.1', 'Web', { value: '10.0.0.1' }),
  object('address_list.id.2', 'Servers', { values: ['ip.id.1'] }),
  object('port.id.3', 'https', { value: 443 }),
  object('iplist.id.276', 'Germany'),
  object('list_of_iplists.id.4', 'Europe', { values: ['iplist.id.276'] }),
  { ...object('interface.local_any', 'Local'), type: 'special_interface' },
]
const uses = new Map([['ip.id.1', 2]])
const keys = (rows: readonly { key: string }[]) => rows.map(({ key }) => key)

test('a page has the kinds of its group', () => {
  assert.deepEqual(keys(objectRows(all, 'addresses', uses)), ['ip.id.1', 'address_list.id.2'])
  assert.deepEqual(keys(objectRows(all, 'countries', uses)), ['iplist.id.276', 'list_of_iplists.id.4'])
  assert.deepEqual(keys(objectRows(all, null, uses)), [
    'ip.id.1',
    'address_list.id.2',
    'port.id.3',
    'list_of_iplists.id.4',
  ])
})

test('unused objects, kinds and words are filtered', () => {
  const rows = objectRows(all, null, uses)
  assert.deepEqual(keys(filterObjects(rows, { text: '', kind: null, isOnlyUnused: true })), [
    'address_list.id.2',
    'port.id.3',
    'list_of_iplists.id.4',
  ])
  assert.deepEqual(keys(filterObjects(rows, { text: '', kind: 'port', isOnlyUnused: false })), ['port.id.3'])
  assert.deepEqual(keys(filterObjects(rows, { text: 'WEB 10.0', kind: null, isOnlyUnused: false })), ['ip.id.1'])
})

test('values are said in short', () => {
  assert.equal(
    valueText({ ...object('time_range.id.1', 'x', { weekdays: [1, 2, 3, 4, 5], start: '08:00', end: '18:00' }) }),
    'Mo–Fr 08:00–18:00',
  )
  assert.equal(
    valueText({ ...object('time_range.id.1', 'x', { weekdays: [1, 2, 3, 4, 5, 6, 7], start: '00:00', end: '00:00' }) }),
    'every day all day',
  )
  assert.equal(valueText(object('port_range.id.1', 'x', { start: 1, end: 9 })), '1-9')
})

test('pasted values are parted and appear once', () => {
  assert.deepEqual(readValues(' 10.0.0.1, 10.0.0.2\n10.0.0.1;10.0.0.0/8 '), ['10.0.0.1', '10.0.0.2', '10.0.0.0/8'])
})
