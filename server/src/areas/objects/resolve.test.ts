// What objects resolve to, and that an answer keeps its identity while nothing behind it has changed.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeRandom } from '../../../test/support/random-policy.ts'
import { updateItem } from '../../core/model/list-edits.ts'
import { type Config, write } from '../../core/model/slots.ts'
import { type Facts, noFacts } from '../../core/plan/facts.ts'
import { entriesOf } from '../../shared/net/address-list.ts'
import { everyAddress, printAddress, printSpan } from '../../shared/net/ipv4.ts'
import { pairsOf, type Ranges } from '../../shared/net/ranges.ts'
import { zones } from '../network/config.ts'
import {
  addressLists,
  countryLists,
  domains,
  ipAddresses,
  ipAddressLists,
  ipRanges,
  networks,
  portLists,
  portRanges,
  ports,
  timeLists,
  timeRanges,
} from './config.ts'
import { countryEntries } from './countries.ts'
import { isAddressId, isKnownObject, isPortId, isTimeId, titleOf } from './known.ts'
import { addressesOf, portsOf, timesOf } from './resolve.ts'

const named = (id: string) => ({ id, title: `title of ${id}`, comment: '' })
const workdays = { weekdays: [1, 2, 3, 4, 5], start: '08:00', end: '18:00', period: null }

const config: Config = [
  [
    ipAddresses,
    [
      { ...named('ip.id.1'), value: '10.0.0.1' },
      { ...named('ip.id.2'), value: '10.0.0.2' },
    ],
  ] as const,
  [ipRanges, [{ ...named('ip_range.id.1'), start: '10.0.1.5', end: '10.0.1.9' }]] as const,
  [networks, [{ ...named('subnet.id.1'), value: '192.168.7.9/255.255.255.0' }]] as const,
  [domains, [{ ...named('domain.id.1'), value: 'example.com' }]] as const,
  [addressLists, [{ ...named('address_list.id.1'), values: ['ip.id.1', 'ip.id.2', 'domain.id.1'] }]] as const,
  [ipAddressLists, [{ ...named('ip_address_list.id.1'), values: ['10.9.0.0/16', '10.8.0.1', '10.9.0.7'] }]] as const,
  [countryLists, [{ ...named('list_of_iplists.id.1'), values: ['iplist.id.276', 'iplist.id.250'] }]] as const,
  [ports, [{ ...named('port.id.1'), value: 443 }]] as const,
  [portRanges, [{ ...named('port_range.id.1'), start: 1000, end: 2000 }]] as const,
  [portLists, [{ ...named('port_list.id.1'), values: ['port.id.1', 'port_range.id.1'] }]] as const,
  [timeRanges, [{ ...named('time_range.id.1'), ...workdays }]] as const,
  [timeLists, [{ ...named('time_list.id.1'), values: ['time_range.id.1'] }]] as const,
  [zones, [named('zone.id.1')]] as const,
].reduce<Config>((made, [slot, items]) => write(made, slot as typeof zones, items as never), {})

const facts: Facts = {
  ...noFacts,
  addressBook: new Map([
    ['domain.id.1', ['192.0.2.7']],
    ['iplist.id.276', ['198.51.100.0/24']],
    ['iplist.id.250', ['203.0.113.0/24']],
    ['user.id.5', ['10.0.0.50']],
  ]),
}

const shown = (ranges: Ranges): string[] => pairsOf(ranges).map(([low, high]) => printSpan(low, high))

describe('addresses', () => {
  const rows: readonly (readonly [id: string, expected: readonly string[]])[] = [
    ['ip.id.1', ['10.0.0.1']],
    ['ip_range.id.1', ['10.0.1.5-10.0.1.9']],
    ['subnet.id.1', ['192.168.7.0/24']],
    ['domain.id.1', ['192.0.2.7']],
    ['address_list.id.1', ['10.0.0.1-10.0.0.2', '192.0.2.7']],
    ['ip_address_list.id.1', ['10.8.0.1', '10.9.0.0/16']],
    ['iplist.id.276', ['198.51.100.0/24']],
    ['list_of_iplists.id.1', ['198.51.100.0/24', '203.0.113.0/24']],
    ['user.id.5', ['10.0.0.50']],
    ['user.id.6', []],
    ['ip.id.99', []],
    ['address_list.id.99', []],
    ['port.id.1', []],
    ['', []],
    ['__proto__', []],
  ]
  for (const [id, expected] of rows) {
    it(`of ${id || 'nothing'} are ${expected.join(', ') || 'none'}`, () => {
      assert.deepEqual(shown(addressesOf(config, facts, [id])), expected)
    })
  }

  it('of several objects are theirs together', () => {
    assert.deepEqual(shown(addressesOf(config, facts, ['ip.id.2', 'ip.id.1', 'ip.id.99'])), ['10.0.0.1-10.0.0.2'])
    assert.equal(addressesOf(config, facts, ['any']), everyAddress)
    assert.deepEqual(addressesOf(config, facts, []), [])
  })
})

describe('an answer', () => {
  const ids = ['ip.id.1', 'address_list.id.1', 'ip_address_list.id.1']

  it('is the identical one for the same ids, also in another list', () => {
    const first = addressesOf(config, facts, ids)
    assert.equal(addressesOf(config, facts, ids), first)
    assert.equal(addressesOf(config, facts, [...ids]), first)
    assert.equal(addressesOf(config, facts, ['ip.id.1']), addressesOf(config, facts, ['ip.id.1']))
  })

  it('stays the identical one when something else changed', () => {
    const first = addressesOf(config, facts, ids)
    const other = updateItem(config, networks, { ...named('subnet.id.1'), value: '10.0.0.0/8' })
    assert.equal(addressesOf(other, facts, ids), first)
    const otherFacts = { ...facts, addressBook: new Map(facts.addressBook).set('user.id.5', []) }
    assert.equal(addressesOf(other, otherFacts, ids), first)
  })

  it('is another one when an object, a member or a resolved name changed, and never an old one', () => {
    const changed = updateItem(config, ipAddresses, { ...named('ip.id.2'), value: '10.0.0.77' })
    assert.ok(shown(addressesOf(changed, facts, ids)).includes('10.0.0.77'))
    const book = new Map(facts.addressBook).set('domain.id.1', ['192.0.2.8', '192.0.2.9'])
    assert.ok(shown(addressesOf(config, { ...facts, addressBook: book }, ids)).includes('192.0.2.8/31'))
    assert.ok(shown(addressesOf(config, facts, ids)).includes('192.0.2.7'))
  })

  it('for two thousand rules that use one long list looks at the list once', () => {
    const many = Array.from({ length: 2_000 }, (_, index) => ({
      ...named(`ip.id.${index + 1}`),
      value: `10.1.${index >> 8}.${index & 255}`,
    }))
    let looks = 0
    const values = new Proxy(
      many.map(({ id }) => id),
      {
        get: (target, key, receiver) => {
          if (/^\d+$/.test(String(key))) looks++
          return Reflect.get(target, key, receiver)
        },
      },
    )
    const large = write(write(config, ipAddresses, many), addressLists, [{ ...named('address_list.id.1'), values }])
    for (let rule = 0; rule < 2_000; rule++) {
      addressesOf(large, facts, [`ip.id.${rule + 1}`, 'address_list.id.1'])
    }
    // A few passes over the list, and not one for each rule.
    assert.ok(looks < 10 * many.length, `${looks} looks at ${many.length} members`)
  })
})

describe('a long list of addresses', () => {
  const listId = 'ip_address_list.id.77'
  const withValues = (values: readonly string[], id = listId): Config =>
    write({}, ipAddressLists, [{ ...named(id), values: [...values] }])
  let fresh = 1000
  /** As a list that was never read before. */
  const readWhole = (values: readonly string[]): Ranges => {
    const id = `ip_address_list.id.${fresh++}`
    return addressesOf(withValues(values, id), noFacts, [id])
  }
  const assertSame = (values: readonly string[]) => {
    const ranges = addressesOf(withValues(values), noFacts, [listId])
    assert.deepEqual(ranges, readWhole(values))
    assert.deepEqual(entriesOf(ranges), entriesOf(readWhole(values)))
  }

  it('means the same whether it was read as a whole or followed through its changes', () => {
    const random = makeRandom(7)
    const draw = (): string => {
      const text = printAddress(0x0a_00_00_00 + Math.floor(random() * 6000))
      return random() < 0.1 ? `${text}/29` : text
    }
    let values = Array.from({ length: 2000 }, draw)
    const first = values
    for (let round = 0; round < 40; round++) {
      const at = Math.floor(random() * values.length)
      const added = Array.from({ length: Math.floor(random() * 3) }, draw)
      values = random() < 0.5 ? [...values, ...added] : values.toSpliced(at, Math.floor(random() * 30), ...added)
      assertSame(values)
    }
    // As after a revert, and after a list of the same id in another configuration.
    assertSame(first)
    assertSame([])
    assertSame(values.slice(0, 3))
    assertSame(values)
  })

  it('is known by its hosts, alone and beside other objects', () => {
    const together = write(withValues(['10.0.0.9', '10.0.0.8']), ipAddresses, [
      { ...named('ip.id.1'), value: '10.0.0.1' },
    ])
    const ranges = addressesOf(together, noFacts, [listId, 'ip.id.1'])
    assert.deepEqual([...(entriesOf(ranges)?.hosts ?? [])].map(printAddress), ['10.0.0.1', '10.0.0.8', '10.0.0.9'])
    assert.deepEqual(entriesOf(ranges)?.networks, [])
  })
})

it('networks of countries become entries under the ids of the countries', () => {
  const entries = countryEntries(
    new Map([
      ['DE', ['198.51.100.0/24']],
      ['XK', ['203.0.113.0/24']],
    ]),
  )
  assert.deepEqual(Object.fromEntries(entries), { 'iplist.id.276': ['198.51.100.0/24'] })
})

it('ports are those of ports, ranges and lists', () => {
  assert.deepEqual(portsOf(config, ['port.id.1']), [443, 443])
  assert.deepEqual(portsOf(config, ['port_list.id.1']), [443, 443, 1000, 2000])
  assert.deepEqual(portsOf(config, ['any']), [0, 65_535])
  assert.deepEqual(portsOf(config, ['ip.id.1', 'port.id.9']), [])
})

it('times are those of times and schedules; any and nothing mean always, a time that is gone means never', () => {
  const inBerlin = { ...facts, timeZone: 'Europe/Berlin', scheduleDay: Date.UTC(2026, 0, 1) / 1000 }
  const [first] = timesOf(config, inBerlin, ['time_range.id.1']) ?? []
  assert.equal(first, Date.UTC(2026, 0, 1, 7) / 1000)
  assert.deepEqual(timesOf(config, inBerlin, ['time_list.id.1']), timesOf(config, inBerlin, ['time_range.id.1']))
  const inUtc = timesOf(config, { ...inBerlin, timeZone: 'UTC' }, ['time_list.id.1'])
  assert.equal(inUtc?.[0], Date.UTC(2026, 0, 1, 8) / 1000)
  assert.equal(timesOf(config, inBerlin, ['any']), null)
  assert.equal(timesOf(config, inBerlin, []), null)
  assert.deepEqual(timesOf(config, inBerlin, ['time_range.id.9']), [])
})

it('known objects are those that exist, are always there, or whose area comes later', () => {
  for (const id of [
    'any',
    'protocol.esp',
    'interface.vpn_traffic',
    'ip.id.1',
    'zone.id.1',
    'iplist.id.8',
    'group.id.1',
    'hip_profile.id.3',
    'security_group.guid.6F9619FF-8B86-D011-B42D-00CF4FC964FF',
  ]) {
    assert.ok(isKnownObject(config, id), id)
  }
  for (const id of [
    '',
    'ip',
    'ip.id.9',
    'ip.id.01',
    'iplist.id.999',
    'protocol.sctp',
    'interface.id.1',
    'user.id.',
    'user.id.1',
    'group.id.12',
    'hip_profile.id.01',
    'user.id.1\n',
    'user.id.1 ',
    'security_group.guid.x',
    'toString',
    '__proto__',
  ]) {
    assert.ok(!isKnownObject(config, id), id)
  }
})

it('ids show which fields they are allowed in', () => {
  for (const id of ['ip.id.1', 'subnet.id.1', 'list_of_iplists.id.1', 'user.id.1', 'security_group.guid.x']) {
    assert.ok(isAddressId(id) && !isPortId(id) && !isTimeId(id), id)
  }
  assert.ok(isPortId('port_list.id.1') && isTimeId('time_list.id.1'))
  for (const id of ['any', 'protocol.tcp', 'zone.id.1', 'port.id.1', 'hip_profile.id.1'])
    assert.ok(!isAddressId(id), id)
})

it('an object is called by its title, and by its id when it is gone', () => {
  assert.equal(titleOf(config, 'ip.id.1'), 'title of ip.id.1')
  assert.equal(titleOf(config, 'protocol.tcp'), 'TCP')
  assert.equal(titleOf(config, 'iplist.id.276'), 'Germany')
  assert.equal(titleOf(config, 'ip.id.44'), 'ip.id.44')
})
