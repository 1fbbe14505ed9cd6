// Applications by group, and the entries of a profile.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupApplications, setDenied } from './applications.ts'

const known = [
  { id: 'id.l7.bittorrent', name: 'BitTorrent', group: 'File sharing', recognised: true },
  { id: 'id.l7.gnutella', name: 'Gnutella', group: 'File sharing', recognised: false },
  { id: 'id.l7.zoom', name: 'Zoom', group: 'Conferences', recognised: true },
]

test('groups are sorted, and a search keeps whole groups or single applications', () => {
  const shown = (query: string) =>
    groupApplications(known, query, (group) => group).map(({ group, own, all }) => [group, own.length, all.length])
  assert.deepEqual(shown(''), [
    ['Conferences', 1, 1],
    ['File sharing', 2, 2],
  ])
  assert.deepEqual(shown('sharing'), [['File sharing', 2, 2]])
  assert.deepEqual(shown('gnut'), [['File sharing', 1, 2]])
  assert.deepEqual(shown('nothing'), [])
})

test('a choice denies, the other way removes, and other entries stay', () => {
  const listed = [{ id: 'id.l7.other', action: 'allow' }]
  const denied = setDenied(listed, ['id.l7.zoom', 'id.l7.other'], true)
  assert.deepEqual(denied, [
    { id: 'id.l7.zoom', action: 'deny' },
    { id: 'id.l7.other', action: 'deny' },
  ])
  assert.deepEqual(setDenied([...listed, { id: 'id.l7.zoom', action: 'deny' }], ['id.l7.zoom'], false), listed)
})
