// The tree of groups as other areas ask for it.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Config, write } from '../../core/model/slots.ts'
import { groupPath, groups } from './config.ts'
import type { Group } from './contract.ts'

const group = (number: number, parent: number): Group => ({
  id: `group.id.${number}`,
  name: `group ${number}`,
  parent_id: `group.id.${parent}`,
  domain_type: 'local',
  domain_name: '',
  ldap_guid: '',
})

const withGroups = (...items: readonly Group[]): Config => write({}, groups, items)

describe('the path of a group', () => {
  it('leads from the group to the topmost one', () => {
    const config = withGroups(group(3, 1), group(4, 3), group(5, 4))
    assert.deepEqual(groupPath(config, 'group.id.5'), ['group.id.5', 'group.id.4', 'group.id.3', 'group.id.1'])
    assert.deepEqual(groupPath(config, 'group.id.1'), ['group.id.1'])
  })

  it('is empty for a group that does not exist, and ends where a parent is missing', () => {
    assert.deepEqual(groupPath({}, 'group.id.9'), [])
    assert.deepEqual(groupPath(withGroups(group(3, 8)), 'group.id.3'), ['group.id.3'])
  })

  it('ends even when damaged data makes a circle', () => {
    const config = withGroups(group(3, 4), group(4, 3))
    assert.deepEqual(groupPath(config, 'group.id.3'), ['group.id.3', 'group.id.4'])
  })
})
