// The whole firewall is verified at every change: what dangles is named by rule and field, and what held is not looked at
// again before it or the objects change.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { lan } from '../../../test/support/network-samples.ts'
import { addTo } from '../../core/model/lists.ts'
import { type Config, type Item, write } from '../../core/model/slots.ts'
import { createPlanner } from '../../core/plan/planner.ts'
import { rules as olderRules } from '../application-control/config.ts'
import { profiles as applicationProfiles } from '../application-profiles/config.ts'
import { connections, zones } from '../network/config.ts'
import { ipAddresses } from '../objects/config.ts'
import { groups, users } from '../users/config.ts'
import { accessLists, accessOrder, bypassList, checks, macRules, type RuleTable } from './config.ts'
import type { Rule } from './contract-rules.ts'
import { firewall } from './index.ts'
import { checkList, ruleLists } from './lists.ts'

const { verify } = createPlanner([firewall])
const references = (config: Config) => firewall.references?.(config) ?? []
const addRule = (config: Config, table: RuleTable, id: number, fields: object): Config =>
  addTo(config, ruleLists[table], id, fields)

const objects = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `ip.id.${index + 1}`,
    title: `${index}`,
    comment: '',
    type: 'ip',
    value: '192.0.2.1',
  })) as never

const withObjects = write({}, ipAddresses, objects(2))
const withRule = addRule(withObjects, 'dnat', 7, {
  action: 'dnat',
  source_addresses: ['ip.id.1', 'ip.id.2'],
  change_destination_address: 'ip.id.2',
})

const fieldsOf = (config: Config): string[] => verify(config).map(({ field }) => field)

describe('the firewall as a whole', () => {
  it('is valid when its objects are there', () => {
    assert.deepEqual(verify({}), [])
    assert.deepEqual(verify(withRule), [])
  })

  it('names rules whose objects are gone, and forgets that when they are back', () => {
    const without = write(withRule, ipAddresses, objects(1))
    const named = ['firewall.dnat[7].source_addresses[1]', 'firewall.dnat[7].change_destination_address']
    assert.deepEqual(fieldsOf(without), named)
    assert.deepEqual(fieldsOf(without), named)
    assert.deepEqual(verify(withRule), [])
    assert.deepEqual(fieldsOf(write(withRule, ipAddresses, [])).length, 3)
  })

  it('names rules whose users, groups, zones and interfaces are gone', () => {
    const named = (id: string) => ({ id, title: id, comment: '', name: id })
    const there: Config = {
      [users.key]: [named('user.id.3')],
      [groups.key]: [named('group.id.3')],
      [zones.key]: [named('zone.id.3')],
      [connections.key]: [lan],
    }
    const config = addRule(there, 'forward', 4, {
      action: 'drop',
      source_addresses: ['user.id.3'],
      destination_addresses: ['group.id.3'],
      incoming_interface: 'zone.id.3',
      outgoing_interface: 'interface.id.1',
    })
    const fields = ['source_addresses[0]', 'destination_addresses[0]', 'incoming_interface', 'outgoing_interface']
    for (const [at, slot] of [users, groups, zones, connections].entries()) {
      assert.deepEqual(verify(config), [])
      assert.deepEqual(fieldsOf({ ...config, [slot.key]: [] }), [`firewall.forward[4].${fields[at]}`])
    }
  })

  it('names bindings without a list, hardware rules for IPv4 and exceptions for nothing', () => {
    const item = { enabled: true, comment: '' }
    let config = write({}, accessOrder, { acl_ordered_list: [{ src: [], hip: [], acl: 'gone' }] })
    config = write(config, macRules, [{ ...item, id: 'm', mac: '02:00:00:00:00:01', protocol: 2048 }])
    config = write(config, bypassList, [{ ...item, id: 'b', aliases: ['ip.id.1'] }])
    assert.deepEqual(fieldsOf(config), [
      'firewall.acl_order.acl_ordered_list[0].acl',
      'firewall.hw_mac[m].protocol',
      'firewall.bypass[b].aliases[0]',
    ])
  })

  const refused: [title: string, table: RuleTable, fields: object, expected: string[]][] = [
    ['any among addresses', 'forward', { source_addresses: ['any', 'ip.id.1'] }, ['source_addresses']],
    ['an object of another kind', 'input', { destination_addresses: ['port.id.1'] }, ['destination_addresses[0]']],
    ['a missing interface', 'log', { incoming_interface: 'interface.id.9' }, ['incoming_interface']],
    ['ports without a protocol', 'forward', { source_ports: ['port.id.1'] }, ['source_ports[0]', 'source_ports']],
    ['a missing profile', 'forward', { ips_profile: 'gone' }, ['ips_profile']],
    ['inspection without a profile', 'input', { dpi_enabled: true }, ['dpi_profile']],
    ['a DNAT rule that changes nothing', 'dnat', { action: 'dnat' }, ['change_destination_address']],
    ['a translation of accepted traffic', 'snat', { change_source_address: '192.0.2.1' }, ['change_source_address']],
    [
      'a translation to a missing object',
      'snat',
      { action: 'snat', change_source_address: 'ip.id.9' },
      ['change_source_address'],
    ],
    ['a translation to a name', 'snat', { action: 'snat', change_source_address: 'name' }, ['change_source_address']],
  ]
  for (const [title, table, fields, expected] of refused)
    it(`refuses ${title}, in whatever way it was stored`, () => {
      const { slot, defaults } = ruleLists[table]
      const config = write(withObjects, slot, [{ ...defaults, id: 1, action: 'accept', ...fields } as Rule])
      assert.deepEqual(
        fieldsOf(config),
        expected.map((field) => `firewall.${table}[1].${field}`),
      )
    })

  it('refuses the rule that asks for one more channel of inspection than there can be', () => {
    const profiles = Array.from({ length: 64 }, (_, at) => ({ id: `p${at}`, name: '', comment: '', protocols: [] }))
    const known = write({}, applicationProfiles, profiles)
    const { slot, defaults } = ruleLists.forward
    const rules = profiles.map(
      ({ id }, at) => ({ ...defaults, id: at + 1, action: 'accept', dpi_enabled: true, dpi_profile: id }) as Rule,
    )
    assert.deepEqual(fieldsOf(write(known, slot, rules.slice(0, 63))), [])
    // Many rules with the same profiles are one channel.
    assert.deepEqual(fieldsOf(write(known, slot, [...rules.slice(0, 63), { ...rules[0], id: 99 } as Rule])), [])
    const [problem, ...more] = verify(write(known, slot, rules))
    assert.deepEqual([problem?.field, more], ['firewall.forward[64].dpi_profile', []])
    assert.match(problem?.message ?? '', /^At most 63 /)
    const disabled = rules.with(63, { ...rules[63], enabled: false } as Rule)
    assert.deepEqual(fieldsOf(write(known, slot, disabled)), [])
    const older = {
      id: 5,
      parent_id: '',
      name: 'x',
      action: 'drop',
      comment: '',
      aliases: ['any'],
      protocols: [],
    } as const
    const full = write(known, slot, rules.slice(0, 63))
    assert.deepEqual(fieldsOf(write(full, olderRules, [{ ...older, enabled: true } as never])), [
      'application_control.rules[5]',
    ])
  })

  it('keeps a rule test whose interface is gone, but accepts no new one', () => {
    const check = {
      ...({ id: 'c', enabled: true, comment: '', protocol: 'tcp', expected_result: 'drop' } as const),
      src_ip: '192.0.2.1',
      dst_ip: '192.0.2.2',
      src_port: 50_000,
      dst_port: 80,
      incoming_interface: 'interface.id.9',
    }
    assert.deepEqual(verify(write({}, checks, [check])), [])
    assert.throws(() => addTo({}, checkList, 'd', check), { code: 'invalid' })
  })

  it('looks again only at the rule that changed, or at all when something is gone that a rule names', () => {
    const read: string[] = []
    const watched = (id: number, fields: object = {}): Item => {
      const [rule] = addRule(withObjects, 'log', id, { action: 'mark_log', ...fields })['firewall.log'] as Item[]
      return Object.defineProperty({ ...rule } as Item, 'protocol', {
        enumerable: true,
        get: () => {
          read.push(`${id}`)
          return 'any'
        },
      })
    }
    const first = watched(1)
    assert.deepEqual(verify({ 'firewall.log': [first] }), [])
    read.length = 0
    const rules = [first, watched(2), watched(3, { source_addresses: ['ip.id.1'] })]
    const readIn = (count: number): string[] => {
      read.length = 0
      verify(write({ 'firewall.log': rules }, ipAddresses, objects(count)))
      return [...new Set(read)]
    }
    assert.deepEqual(readIn(2), ['2', '3'])
    assert.deepEqual(readIn(9), [], 'new and changed objects make no rule wrong')
    assert.deepEqual(readIn(1), [], 'nor does one that no rule names')
    assert.deepEqual(readIn(0), ['1', '2', '3'])
  })

  it('counts the entries of all access control lists together', () => {
    const entry = { saddr: '0.0.0.0/0', daddr: '0.0.0.0/0', proto: 'ip', action: 'deny' } as const
    const ports = { sport_min: 0, sport_max: 0, dport_min: 0, dport_max: 0 }
    const value = Array.from({ length: 10_000 }, () => ({ ...entry, ...ports }))
    const lists = Array.from({ length: 10 }, (_, index) => ({ id: `${index}`, name: 'x', value }))
    assert.deepEqual(verify(write({}, accessLists, lists)), [])
    const more = [...lists, { id: 'more', name: 'x', value: value.slice(0, 1) }]
    assert.deepEqual(fieldsOf(write({}, accessLists, more)), ['firewall.acl'])
  })
})

describe('references of the firewall', () => {
  it('are all objects that rules, bindings and exceptions name, and nothing else', () => {
    let config: Config = addRule(withRule, 'forward', 3, {
      action: 'drop',
      hip_profiles: ['hip_profile.id.1'],
      incoming_interface: 'interface.external_any',
    })
    config = addRule(config, 'snat', 1, { action: 'snat', change_source_address: '192.0.2.1-192.0.2.9' })
    config = write(config, accessOrder, { acl_ordered_list: [{ src: ['group.id.1'], hip: [], acl: 'x' }] })
    config = write(config, bypassList, [{ id: 'b', aliases: ['user.id.2'], comment: '', enabled: true }])
    assert.deepEqual(
      references(config).map(({ id, object, field }) => `${id} in ${object}.${field}`),
      [
        'group.id.1 in firewall.acl_order.acl_ordered_list[0].src[0]',
        'x in firewall.acl_order.acl_ordered_list[0].acl',
        'hip_profile.id.1 in firewall.forward[3].hip_profiles',
        'interface.external_any in firewall.forward[3].incoming_interface',
        'ip.id.1 in firewall.dnat[7].source_addresses',
        'ip.id.2 in firewall.dnat[7].source_addresses',
        'ip.id.2 in firewall.dnat[7].change_destination_address',
        'user.id.2 in firewall.bypass[b].aliases',
      ],
    )
    assert.equal(references(config)[4]?.title, 'DNAT rule 7')
  })
})
