// What a configuration that was put together elsewhere, as in a restore, must not say about group synchronization.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addItem } from '../../model/list-edits.ts'
import type { Config } from '../../model/slots.ts'
import { groups } from '../users/config.ts'
import { adDomains, adGroupSettings, aldGroupSettings } from './config.ts'
import { references, verify } from './verify.ts'

const local = { domain_type: 'local', domain_name: '', ldap_guid: '', parent_id: 'group.id.1' } as const
const record = {
  id: 7,
  search_filter: '',
  object_guid: '6f9619ff-8b86-d011-b42d-00cf4fc964ff',
  group_alias_id: 'group.id.5',
  domain_name: 'CORP.example',
  sync_type: 'ldap',
} as const
const domain = { id: 'one', name: 'corp.example', computer_name: 'gw', dns_ips: [], user: 'x', ldap_paths: [] }

const withDomain: Config = addItem({}, adDomains, domain)
const whole = addItem(withDomain, groups, { id: 'group.id.5', name: 'Sales', ...local })

describe('a group synchronization', () => {
  it('is in order when its domain and its group exist', () => {
    const config = addItem(whole, adGroupSettings, record)
    assert.deepEqual(verify(config), [])
    assert.deepEqual(references(config), [
      {
        id: 'group.id.5',
        object: 'directory.ad_group_settings[7]',
        field: 'group_alias_id',
        title: 'Synchronization with the AD domain CORP.example',
      },
    ])
  })

  it('is at fault without its group, in words that name both', () =>
    assert.deepEqual(verify(addItem(withDomain, adGroupSettings, record)), [
      {
        field: 'directory.ad_group_settings[7].group_alias_id',
        message: 'There is no group with the id group.id.5.',
      },
    ]))

  it('is at fault when its domain is of the other type', () =>
    assert.deepEqual(
      verify(addItem(whole, aldGroupSettings, record)).map(({ field }) => field),
      ['directory.ald_group_settings[7].domain_name'],
    ))

  it('takes a group of its own type of directory, and none of another', () => {
    const imported = (domain_type: 'ad' | 'ald' | 'radius' | 'device') =>
      verify(
        addItem(
          addItem(withDomain, groups, { id: 'group.id.5', name: 'Sales', ...local, domain_type }),
          adGroupSettings,
          record,
        ),
      ).map(({ field }) => field)
    assert.deepEqual(imported('ad'), [])
    for (const type of ['ald', 'radius', 'device'] as const)
      assert.deepEqual(imported(type), ['directory.ad_group_settings[7].group_alias_id'], type)
  })
})
