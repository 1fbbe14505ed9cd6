// What a restored or reverted configuration must not say about domains and group synchronizations.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addItem } from '../../core/model/list-edits.ts'
import type { Config } from '../../core/model/slots.ts'
import { groups } from '../users/config.ts'
import { adDomains, adGroupSettings, aldDomains, aldGroupSettings } from './config.ts'
import { directory } from './index.ts'

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
const aldDomain = { id: 'two', name: 'other', computer_name: 'gw', dns_ips: [] }

const withDomain: Config = addItem({}, adDomains, domain)
const whole = addItem(withDomain, groups, { id: 'group.id.5', name: 'Sales', ...local })

const verify = (config: Config) => directory.verify?.(config) ?? []
const faultsOf = (config: Config) => verify(config).map(({ field }) => field)

describe('a domain', () => {
  it('has a name that no other domain of either type has', () => {
    assert.deepEqual(faultsOf(addItem(withDomain, aldDomains, aldDomain)), [])
    assert.deepEqual(faultsOf(addItem(withDomain, aldDomains, { ...aldDomain, name: 'CORP.example' })), [
      'directory.ad_domains[one].name',
      'directory.ald_domains[two].name',
    ])
    assert.deepEqual(faultsOf(addItem(withDomain, adDomains, { ...domain, id: 'two' })), [
      'directory.ad_domains[one].name',
      'directory.ad_domains[two].name',
    ])
  })

  it('is not called like the sign-in through RADIUS', () =>
    assert.deepEqual(faultsOf(addItem({}, aldDomains, { ...aldDomain, name: 'Radius' })), [
      'directory.ald_domains[two].name',
    ]))
})

describe('a group synchronization', () => {
  it('is accepted when its domain and its group exist, and keeps both in use', () => {
    const config = addItem(whole, adGroupSettings, record)
    assert.deepEqual(verify(config), [])
    const mentions = directory.references?.(config) ?? []
    const title = 'Synchronization with the AD domain CORP.example'
    assert.deepEqual(
      mentions.map(({ id, object, field, title, along }) => [id, object, field, title, along !== undefined]),
      [
        ['group.id.5', 'directory.ad_group_settings[7]', 'group_alias_id', title, false],
        ['domain.ad.corp.example', 'directory.ad_group_settings[7]', 'domain_name', title, true],
      ],
    )
  })

  it('is refused without its group, with a message that names both', () =>
    assert.deepEqual(verify(addItem(withDomain, adGroupSettings, record)), [
      {
        field: 'directory.ad_group_settings[7].group_alias_id',
        message: 'There is no group with the id group.id.5.',
      },
    ]))

  it('is refused when its domain is of the other type', () =>
    assert.deepEqual(faultsOf(addItem(whole, aldGroupSettings, record)), [
      'directory.ald_group_settings[7].domain_name',
    ]))

  it('is refused with a filter that is not an LDAP filter', () =>
    assert.deepEqual(faultsOf(addItem(whole, adGroupSettings, { ...record, search_filter: '(x' })), [
      'directory.ad_group_settings[7].search_filter',
    ]))

  it('is the only one of its group, over both types', () => {
    const twice = addItem(addItem(whole, adGroupSettings, record), adGroupSettings, { ...record, id: 8 })
    assert.deepEqual(faultsOf(twice), ['directory.ad_group_settings[8].group_alias_id'])
    const inBoth = addItem(addItem(addItem(whole, aldDomains, aldDomain), adGroupSettings, record), aldGroupSettings, {
      ...record,
      domain_name: 'other',
    })
    assert.deepEqual(faultsOf(inBoth), [
      'directory.ad_group_settings[7].group_alias_id',
      'directory.ald_group_settings[7].group_alias_id',
    ])
  })

  it('takes a group of its own type of directory, and not of another type', () => {
    const imported = (domain_type: 'ad' | 'ald' | 'radius' | 'device') =>
      faultsOf(
        addItem(
          addItem(withDomain, groups, { id: 'group.id.5', name: 'Sales', ...local, domain_type }),
          adGroupSettings,
          record,
        ),
      )
    assert.deepEqual(imported('ad'), [])
    for (const type of ['ald', 'radius', 'device'] as const)
      assert.deepEqual(imported(type), ['directory.ad_group_settings[7].group_alias_id'], type)
  })

  it('cannot follow a built-in group', () =>
    assert.deepEqual(faultsOf(addItem(whole, adGroupSettings, { ...record, group_alias_id: 'group.id.1' })), [
      'directory.ad_group_settings[7].group_alias_id',
    ]))
})
