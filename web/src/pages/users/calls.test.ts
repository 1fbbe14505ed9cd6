// Changes of users and groups as calls.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUser, emptyUser, formOf, freeNames, moveInto, removeAll, updateUser } from './calls.ts'
import { type Group, indexTree, pathTo, type User } from './tree.ts'

const origin = { domain_type: 'local', domain_name: '', ldap_guid: '' } as const
const all: Group = { id: 'group.id.1', name: 'All', parent_id: '', ...origin }
const sales: Group = { id: 'group.id.3', name: 'Sales', parent_id: 'group.id.1', ...origin }
const zoe: User = {
  id: 'user.id.7',
  name: 'Zoe',
  login: 'zoe',
  parent_id: 'group.id.3',
  enabled: true,
  ...origin,
  phone_number: null,
  comment: '',
}
const index = indexTree([all, sales], [zoe])

test('a user is sent whole, and denied access is the flag of the wire', () => {
  assert.deepEqual(updateUser(zoe, { ...formOf(zoe), name: 'Zoë' }, 'tag'), {
    endpoint: updateUser(zoe, formOf(zoe), null).endpoint,
    params: { user_id: '7' },
    body: {
      name: 'Zoë',
      login: 'zoe',
      parent_id: 'group.id.3',
      comment: '',
      phone_number: null,
      enabled: true,
      ...origin,
    },
    etag: 'tag',
  })
  assert.deepEqual(createUser({ ...emptyUser('group.id.1'), name: 'A', login: 'a', password: 'secret' }, null).body, {
    name: 'A',
    login: 'a',
    parent_id: 'group.id.1',
    comment: '',
    phone_number: null,
    psw: 'secret',
  })
})

test('many are moved and removed as one change, what is inside goes with its group', () => {
  assert.deepEqual(
    moveInto(index, ['user.id.7', 'group.id.3', 'gone'], 'group.id.1').map(({ params }) => params),
    [{ user_id: '7' }, { group_id: '3' }],
  )
  const removed = removeAll(index, ['user.id.7', 'group.id.3'], (id) => pathTo(index, id))
  assert.deepEqual(
    removed.map(({ params }) => params),
    [{ group_id: '3' }],
  )
})

test('a copy gets names that are free', () => {
  assert.deepEqual(freeNames(index, zoe), { name: 'Zoe 2', login: 'zoe-2' })
})
