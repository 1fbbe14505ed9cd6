// Rules resolved from the last time: after any change of rules, objects, interfaces and facts they mean what they would mean
// if nothing were remembered, and only rules that name what changed are resolved again.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { facts as cards, lan, tunnel, wan } from '../../../test/support/network-samples.ts'
import { makeRandom, pick, type Random } from '../../../test/support/random-policy.ts'
import { type Config, type Item, type ListSlot, read, write } from '../../core/model/slots.ts'
import type { Facts } from '../../core/plan/facts.ts'
import { state as preventionState } from '../intrusion-prevention/config.ts'
import { connections, tunnels } from '../network/config.ts'
import * as objects from '../objects/config.ts'
import { ruleDefaults, ruleSlots, ruleTables } from './config.ts'
import type { Rule } from './contract-rules.ts'
import { policyOf } from './resolve.ts'

interface State {
  readonly config: Config
  readonly facts: Facts
}

const count = 4
const numbers = Array.from({ length: count }, (_, at) => at + 1)
const idsOf = (...prefixes: readonly string[]): string[] =>
  prefixes.flatMap((prefix) => numbers.map((number) => `${prefix}.id.${number}`))
const countries = ['iplist.id.276', 'iplist.id.250', 'iplist.id.40']
const single = ['ip', 'ip_range', 'subnet', 'domain', 'ip_address_list', 'user', 'group']
const addressIds = [...idsOf(...single, 'address_list', 'list_of_iplists'), ...countries]
const portIds = idsOf('port', 'port_range', 'port_list')
const timeIds = idsOf('time_range', 'time_list')
const interfaceIds = [
  'any',
  'interface.id.1',
  'interface.id.2',
  `interface.${tunnel.id}`,
  'interface.utm_outgoing',
  'interface.external_any',
  'interface.local_any',
  'zone.id.1',
  'zone.id.2',
]

const below = (random: Random, limit: number): number => Math.floor(random() * limit)
const some = (random: Random, ids: readonly string[]): string[] =>
  Array.from({ length: 1 + below(random, 3) }, () => pick(random, ids))
const someOrAny = (random: Random, ids: readonly string[]): string[] =>
  random() < 0.4 ? ['any'] : [...new Set(some(random, ids))]
const address = (random: Random): string => `10.0.${below(random, 3)}.${below(random, 256)}`

/** What makes an object of each kind: the lists of a number name those of lower ones, and may name what is not there. */
const kinds: readonly (readonly [slot: ListSlot, prefix: string, (random: Random, number: number) => object])[] = [
  [objects.ipAddresses, 'ip', (random) => ({ value: address(random) })],
  [objects.ipRanges, 'ip_range', (random) => ({ start: '10.0.1.7', end: `10.0.1.${10 + below(random, 90)}` })],
  [objects.networks, 'subnet', (random) => ({ value: `10.${below(random, 5)}.0.0/16` })],
  [objects.domains, 'domain', (random) => ({ value: `${pick(random, ['a', 'b', 'c'])}.example` })],
  [objects.ipAddressLists, 'ip_address_list', (random) => ({ values: [...Array(9)].map(() => address(random)) })],
  [
    objects.addressLists,
    'address_list',
    (random, number) => ({
      values: some(random, [
        ...idsOf(...single, 'list_of_iplists'),
        ...countries,
        ...numbers.filter((one) => one < number).map((one) => `address_list.id.${one}`),
      ]),
    }),
  ],
  [objects.countryLists, 'list_of_iplists', (random) => ({ values: some(random, countries) })],
  [objects.ports, 'port', (random) => ({ value: 1 + below(random, 9) })],
  [objects.portRanges, 'port_range', (random) => ({ start: 20, end: 21 + below(random, 9) })],
  [objects.portLists, 'port_list', (random) => ({ values: some(random, idsOf('port', 'port_range')) })],
  [
    objects.timeRanges,
    'time_range',
    (random) => ({ weekdays: [1 + below(random, 7)], start: '08:00', end: '18:00', period: null }),
  ],
  [objects.timeLists, 'time_list', (random) => ({ values: some(random, idsOf('time_range')) })],
]

const profileIds = ['p1', 'p2', 'p3']

let nextRule = 1

function drawRule(random: Random, table: keyof typeof ruleSlots): Rule {
  const translations = {
    change_destination_address: pick(random, [null, '10.0.0.9', ...idsOf('ip', 'ip_range')]),
    change_destination_port: pick(random, [null, '80', '80-90', ...idsOf('port', 'port_range')]),
    change_source_address: pick(random, [null, '10.0.0.9', ...idsOf('ip', 'ip_range')]),
  }
  const drawn = {
    id: nextRule++,
    enabled: random() < 0.9,
    action: table === 'dnat' || table === 'snat' ? table : 'accept',
    protocol: 'protocol.tcp',
    source_addresses: someOrAny(random, addressIds),
    source_addresses_negate: random() < 0.2,
    destination_addresses: someOrAny(random, addressIds),
    source_ports: someOrAny(random, portIds),
    destination_ports: someOrAny(random, portIds),
    timetable: someOrAny(random, timeIds),
    incoming_interface: pick(random, interfaceIds),
    outgoing_interface: pick(random, interfaceIds),
    hip_profiles: random() < 0.3 ? idsOf('hip_profile').slice(0, 1 + below(random, 2)) : [],
    ips_enabled: random() < 0.3,
    ips_profile: pick(random, profileIds),
    dpi_enabled: random() < 0.3,
    dpi_profile: pick(random, profileIds),
    ...translations,
  }
  const known = Object.entries(drawn).filter(
    ([field]) => field in ruleDefaults[table] || ['id', 'action'].includes(field),
  )
  return { ...ruleDefaults[table], ...Object.fromEntries(known) } as Rule
}

const changeList = (config: Config, slot: ListSlot, change: (items: readonly Item[]) => readonly Item[]): Config =>
  write(config, slot, change(read(config, slot)))

function changeObject(random: Random, { config, facts }: State): State {
  const [slot, prefix, draw] = pick(random, kinds)
  const number = pick(random, numbers)
  const id = `${prefix}.id.${number}`
  const fresh = { id, title: '', comment: '', ...draw(random, number) }
  const changed = changeList(config, slot, (items) => {
    const at = items.findIndex((item) => item.id === id)
    if (at < 0) return items.toSpliced(below(random, items.length + 1), 0, fresh)
    const how = random()
    if (how < 0.2) return items.toSpliced(at, 1)
    return items.with(at, how < 0.3 ? ({ ...items[at], title: `${random()}` } as Item) : fresh)
  })
  return { config: changed, facts }
}

function changeRule(random: Random, { config, facts }: State): State {
  const table = pick(random, ruleTables)
  const changed = changeList(config, ruleSlots[table], (rules) => {
    const at = below(random, rules.length)
    const rule = rules[at] as Rule | undefined
    const to = below(random, rules.length + 1)
    if (rule === undefined) return [drawRule(random, table)]
    return pick(random, [
      () => rules.toSpliced(to, 0, drawRule(random, table)),
      () => rules.toSpliced(at, 1),
      () => rules.toSpliced(at, 1).toSpliced(to, 0, rule),
      () => rules.with(at, { ...rule, enabled: !rule.enabled } as Rule),
      () => rules.with(at, { ...drawRule(random, table), id: rule.id }),
    ])()
  })
  return { config: changed, facts }
}

function changeInterfaces(random: Random, { config, facts }: State): State {
  const zone = () => pick(random, [null, 'zone.id.1', 'zone.id.2'])
  const wanted = [
    { ...lan, zone: zone(), enabled: random() < 0.5, vlan_tag: pick(random, [null, 7]) },
    { ...wan, zone: zone() },
  ]
  const changed = write(config, connections, random() < 0.7 ? wanted : wanted.slice(below(random, 3)))
  return { config: write(changed, tunnels, random() < 0.5 ? [] : [{ ...tunnel, zone: zone() }]), facts }
}

function changeFacts(random: Random, { config, facts }: State): State {
  const book = new Map(facts.addressBook)
  const id = pick(random, [...idsOf('domain', 'user', 'group', 'hip_profile'), ...countries])
  if (random() < 0.5) book.delete(id)
  else book.set(id, [address(random)])
  const changed = pick<Partial<Facts>>(random, [
    {},
    { addressBook: book },
    { addressBook: book },
    { addressBook: new Map([...book].filter(([one]) => !countries.includes(one))) },
    { scheduleDay: 86_400 * below(random, 3) },
    { timeZone: pick(random, ['UTC', 'Asia/Tokyo']) },
    { interfaces: random() < 0.5 ? cards.interfaces : cards.interfaces.slice(1) },
    { externalInterfaces: pick(random, [[], ['wan0'], ['eth2']]) },
    {
      inspection: {
        numbers: { 'p1 p2 ': 1 + below(random, 9), 'p3  ': 11 + below(random, 9) },
        rules: null,
        ready: [],
      },
    },
  ])
  return { config, facts: { ...facts, ...changed } }
}

const changePrevention = (random: Random, { config, facts }: State): State => ({
  config: write(config, preventionState, { enabled: random() < 0.7 }),
  facts,
})

const meaningOf = ({ config, facts }: State) => policyOf(config, facts).rules

describe('rules resolved from the last time', () => {
  for (const seed of [1, 2, 3, 4])
    it(`mean what they mean when nothing is remembered: ${seed}`, () => {
      const random = makeRandom(seed)
      let state: State = { config: {}, facts: cards }
      for (let step = 0; step < 60; step++) state = changeObject(random, state)
      for (let step = 0; step < 60; step++) state = changeRule(random, state)
      const states = [state]
      for (let step = 0; step < 250; step++) {
        // Sometimes from an older one: a draft that was given up, a change that was reverted.
        let next = random() < 0.8 ? (states.at(-1) as State) : pick(random, states.slice(-5))
        const changes = [
          changeObject,
          changeObject,
          changeObject,
          changeRule,
          changeRule,
          changeInterfaces,
          changeFacts,
          changePrevention,
        ]
        for (let together = random() < 0.7 ? 1 : 3; together > 0; together--) next = pick(random, changes)(random, next)
        states.push(next)
      }
      const found = states.map(meaningOf)
      // No copy shares anything with what is remembered.
      for (const [at, one] of states.entries()) assert.deepEqual(found[at], meaningOf(structuredClone(one)))
    })
})

describe('work of a change', () => {
  const named = (id: string) => ({ id, title: '', comment: '' })
  const counted = new Set<number>()
  const ruleFor = (id: number, fields: Partial<Rule>): Rule => {
    const rule = { ...ruleDefaults.forward, id, action: 'accept', ...fields } as Rule
    return Object.defineProperty(rule, 'protocol', {
      enumerable: true,
      get: () => {
        counted.add(id)
        return 'protocol.tcp'
      },
    })
  }
  const rules = [
    ruleFor(1, { source_addresses: ['ip.id.1'] }),
    ruleFor(2, { source_addresses: ['address_list.id.2'] }),
    ruleFor(3, { destination_ports: ['port.id.1'] }),
    ruleFor(4, { incoming_interface: 'zone.id.1' }),
    ruleFor(5, { destination_addresses: ['domain.id.1'] }),
    ruleFor(6, { timetable: ['time_range.id.1'] }),
    ruleFor(7, {}),
    ruleFor(8, { ips_enabled: true, ips_profile: 'p1' }),
    ruleFor(9, { ips_enabled: true, ips_profile: 'p1', dpi_enabled: true, dpi_profile: 'p2' }),
  ]
  const config = [
    [ruleSlots.forward, rules],
    [objects.ipAddresses, [1, 2, 3].map((at) => ({ ...named(`ip.id.${at}`), value: `10.0.0.${at}` }))],
    [
      objects.addressLists,
      [
        { ...named('address_list.id.2'), values: ['address_list.id.1'] },
        { ...named('address_list.id.1'), values: ['ip.id.2'] },
      ],
    ],
    [objects.ports, [{ ...named('port.id.1'), value: 80 }]],
    [objects.domains, [{ ...named('domain.id.1'), value: 'a.example' }]],
    [objects.timeRanges, [{ ...named('time_range.id.1'), weekdays: [1], start: '08:00', end: '18:00', period: null }]],
    [connections, [lan, wan]],
    [preventionState, { enabled: true }],
  ].reduce<Config>((made, [slot, items]) => write(made, slot as ListSlot, items as readonly Item[]), {})

  /** Rules that are resolved when the state becomes this one. */
  const resolvedBy = (next: Config, facts: Facts = cards): number[] => {
    meaningOf({ config, facts: cards })
    counted.clear()
    meaningOf({ config: next, facts })
    return [...counted].sort()
  }
  const withObject = (slot: ListSlot, fields: object, at = 0): Config =>
    changeList(config, slot, (items) => items.with(at, { ...items[at], ...fields } as Item))

  for (const [title, next, expected] of [
    ['an address', withObject(objects.ipAddresses, { value: '10.9.9.9' }), [1]],
    ['an address in a list of a list', withObject(objects.ipAddresses, { value: '10.9.9.9' }, 1), [2]],
    ['an address that no rule names', withObject(objects.ipAddresses, { value: '10.9.9.9' }, 2), []],
    ['the title of an address', withObject(objects.ipAddresses, { title: 'other' }), []],
    ['a port', withObject(objects.ports, { value: 81 }), [3]],
    ['the zone of an interface', withObject(connections, { zone: 'zone.id.1' }), [4]],
    ['the title of an interface', withObject(connections, { title: 'other' }), []],
    ['the name of a domain', withObject(objects.domains, { value: 'b.example' }), [5]],
    [
      'a new object',
      changeList(config, objects.ipAddresses, (items) => [...items, { ...named('ip.id.9'), value: '10.0.0.9' }]),
      [],
    ],
    ['a deleted object', changeList(config, objects.ipAddresses, (items) => items.slice(0, 2)), []],
    ['another area', { ...config, 'dns.other': [] }, []],
  ] as const)
    it(`${title}: the rules that name it are resolved, and no others`, () =>
      assert.deepEqual(resolvedBy(next), expected))

  it('facts: the rules that depend on what is new in them are resolved, and no others', () => {
    assert.deepEqual(resolvedBy(config, { ...cards }), [])
    assert.deepEqual(resolvedBy(config, { ...cards, addressBook: new Map([['domain.id.1', ['10.0.0.1']]]) }), [5])
    assert.deepEqual(resolvedBy(config, { ...cards, addressBook: new Map([['iplist.id.276', ['10.0.0.1']]]) }), [])
    assert.deepEqual(resolvedBy(config, { ...cards, scheduleDay: 86_400 }), [6])
    assert.deepEqual(resolvedBy(config, { ...cards, leases: [] }), [])
  })

  it('inspection: the rules of a channel are resolved when its number changes, and no others', () => {
    const known = (numbers: Readonly<Record<string, number>>, ready: readonly number[] = []): Facts => ({
      ...cards,
      inspection: { numbers, rules: null, ready },
    })
    // Without facts the channels have the numbers 1 and 2.
    assert.deepEqual(resolvedBy(config, known({ 'p1  ': 1, 'p1 p2 ': 2 }, [1, 2])), [])
    assert.deepEqual(resolvedBy(config, known({ 'p1  ': 5, 'p1 p2 ': 2 })), [8])
    assert.deepEqual(resolvedBy(config, known({ 'p1  ': 1, 'p1 p2 ': 3 })), [9])
    assert.deepEqual(resolvedBy(write(config, preventionState, { enabled: false })), [8, 9])
    const more = changeList(config, ruleSlots.forward, (items) => [
      ...items,
      { ...ruleDefaults.forward, id: 10, action: 'accept', dpi_enabled: true, dpi_profile: 'p3' } as Rule,
    ])
    assert.deepEqual(resolvedBy(more), [], 'one channel more')
  })

  it('the same rules are the same list, so that nothing is compiled', () => {
    const before = meaningOf({ config, facts: cards })
    const after = meaningOf({ config: withObject(objects.ipAddresses, { title: 'other' }), facts: { ...cards } })
    assert.equal(after.forward, before.forward)
  })
})
