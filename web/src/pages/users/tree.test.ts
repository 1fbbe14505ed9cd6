// The tree of users and groups.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Group, indexTree, mayMove, pathTo, treeRows, type User } from './tree.ts'

const group = (n: number, name: string, parent: number | null, domain_type: Group['domain_type'] = 'local'): Group => ({
  id: `group.id.${n}`,
  name,
  parent_id: parent === null ? '' : `group.id.${parent}`,
  domain_type,
  domain_name: '',
  ldap_guid: '',
})
const user = (n: number, name: string, parent: number, enabled = false): User => ({
  id: `user.id.${n}`,
  name,
  login: name.toLowerCase(),
  parent_id: `group.id.${parent}`,
  enabled,
  domain_type: 'local',
  domain_name: '',
  ldap_guid: '',
  phone_number: null,
  comment: '',
})

const index = indexTree(
  [
    group(1, 'All', null),
    group(2, 'Device VPN', 1),
    group(3, 'Sales', 1),
    group(4, 'North', 3),
    group(5, 'AD', 1, 'ad'),
  ],
  [user(1, 'Zoe', 3), user(2, 'Adam', 4), user(3, 'Root', 1, true)],
)

const all = new Set(['group.id.1', 'group.id.3', 'group.id.4'])
const names = (rows: ReturnType<typeof treeRows>) =>
  rows.map(({ depth, user: one, group: other }) => `${'.'.repeat(depth)}${one?.name ?? other?.name}`)

test('groups come before users, closed groups hide what is in them', () => {
  assert.deepEqual(names(treeRows(index, all)), [
    'All',
    '.AD',
    '.Device VPN',
    '.Sales',
    '..North',
    '...Adam',
    '..Zoe',
    '.Root',
  ])
  assert.deepEqual(names(treeRows(index, new Set())), ['All'])
  assert.equal(treeRows(index, all)[0]?.count, 3)
})

test('a search opens what leads to a find and shows all of a group that is found', () => {
  assert.deepEqual(names(treeRows(index, new Set(), { text: 'adam' })), ['All', '.Sales', '..North', '...Adam'])
  assert.deepEqual(names(treeRows(index, new Set(), { text: 'sales' })), [
    'All',
    '.Sales',
    '..North',
    '...Adam',
    '..Zoe',
  ])
  assert.deepEqual(names(treeRows(index, new Set(), { text: '', isDeniedOnly: true })), ['All', '.Root'])
  assert.deepEqual(treeRows(index, new Set(), { text: 'nothing' }), [])
})

test('nothing is moved into itself, what is in it, or what came from a directory', () => {
  assert.deepEqual(pathTo(index, 'user.id.2'), ['group.id.4', 'group.id.3', 'group.id.1'])
  assert.equal(mayMove(index, ['group.id.3'], 'group.id.4'), false)
  assert.equal(mayMove(index, ['group.id.4'], 'group.id.1'), true)
  assert.equal(mayMove(index, ['group.id.4'], 'group.id.3'), false)
  assert.equal(mayMove(index, ['user.id.1'], 'group.id.5'), false)
  assert.equal(mayMove(index, ['group.id.2'], 'group.id.3'), false)
})

test('a tree with a loop ends', () => {
  const odd = indexTree([group(1, 'All', null), group(3, 'A', 4), group(4, 'B', 3)], [])
  assert.equal(treeRows(odd, all).length, 1)
  assert.deepEqual(pathTo(odd, 'group.id.3'), ['group.id.4', 'group.id.3'])
})
