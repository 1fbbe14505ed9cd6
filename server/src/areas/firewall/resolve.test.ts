// What stored rules mean, from one time to the next: what did not change is the identical object, so that nothing is
// compiled again for it.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { addTo } from '../../core/model/lists.ts'
import { type Config, read, write } from '../../core/model/slots.ts'
import { noFacts } from '../../core/plan/facts.ts'
import { addressLists, ports } from '../objects/config.ts'
import * as slots from './config.ts'
import { ruleLists } from './lists.ts'
import { policyOf } from './resolve.ts'

const withPort = write({}, ports, [{ id: 'port.id.1', title: 'One', comment: '', value: 80 }])
const fields = { action: 'accept', protocol: 'protocol.tcp', destination_ports: ['port.id.1'] }
const [sample] = read(addTo(withPort, ruleLists.forward, 1, fields), slots.forwardRules)
assert.ok(sample)
const stored = Array.from({ length: 300 }, (_, at) => ({ ...sample, id: at + 1 }))

const rulesIn = (list: typeof stored, config: Config = withPort) =>
  policyOf(write(config, slots.forwardRules, list), noFacts).rules.forward

it('one changed rule is resolved again, and the others are the same objects', () => {
  const before = rulesIn(stored)
  const known = new Set(before)
  const other = { ...sample, id: 900 }
  for (const [changed, fresh] of [
    [stored.toSpliced(100, 0, other), 1],
    [stored.with(100, { ...other, id: 101, action: 'drop' }), 1],
    [stored.toSpliced(100, 1).toSpliced(7, 0, stored[100] ?? other), 0],
    [stored.toSpliced(100, 1), 0],
    [stored.with(100, { ...other, id: 101, enabled: false }), 0],
  ] as const) {
    const rules = rulesIn(changed)
    assert.deepEqual(
      rules.map(({ id }) => id),
      changed.filter(({ enabled }) => enabled).map(({ id }) => id),
    )
    assert.equal(rules.filter((rule) => !known.has(rule)).length, fresh)
    assert.equal(rulesIn(stored), before, 'and back again')
  }
})

it('rules of equal objects share what these mean, and a changed object is seen', () => {
  const [first, second] = rulesIn(stored)
  assert.equal(first?.destinationPorts, second?.destinationPorts)
  const changed = write(withPort, ports, [{ id: 'port.id.1', title: 'One', comment: '', value: 81 }])
  const rules = rulesIn(stored, changed)
  assert.ok(rules.every(({ destinationPorts }) => destinationPorts?.ranges[0] === 81))
  assert.equal(rulesIn(stored)[5]?.destinationPorts?.ranges[0], 80)
})

it('entries of an access control list that are what they were are the same objects', () => {
  const entry = (at: number) =>
    ({
      saddr: '10.0.0.0/8',
      daddr: `10.9.${at >> 8}.${at & 255}/32`,
      proto: 'tcp',
      sport_min: 0,
      sport_max: 0,
      dport_min: 80,
      dport_max: 80,
      action: 'allow',
    }) as const
  const base = write(
    write({}, slots.accessState, { enabled: true, default_action: 'deny', logging_enabled: false }),
    slots.accessOrder,
    {
      acl_ordered_list: [{ src: [], hip: [], acl: 'a' }],
    },
  )
  // Each time from the wire: no entry is the identical object.
  const entriesIn = (numbers: readonly number[]) => {
    const lists = write(base, slots.accessLists, [{ id: 'a', name: 'A', value: numbers.map(entry) }])
    return policyOf(lists, noFacts).access?.bindings[0]?.entries ?? []
  }
  const numbers = Array.from({ length: 500 }, (_, at) => at)
  const known = new Set(entriesIn(numbers))
  const after = entriesIn(numbers.toSpliced(200, 1, 900, 901))
  assert.equal(after.length, 501)
  assert.equal(after.filter((it) => !known.has(it)).length, 2)
})

const lists = (inner: readonly string[]): Config =>
  write({}, addressLists, [
    { id: 'address_list.id.1', title: 'Inner', comment: '', values: [...inner] },
    { id: 'address_list.id.2', title: 'Outer', comment: '', values: ['address_list.id.1', 'user.id.7'] },
  ])

it('users and groups are found in lists of lists, and another user makes another rule of the same addresses', () => {
  const rule = { ...sample, id: 1, destination_ports: ['any'], source_addresses: ['address_list.id.2', 'user.id.5'] }
  const sourceOf = (config: Config) => {
    const { source } = rulesIn([rule], config)[0] ?? {}
    return source && { key: source.key, ranges: source.ranges, members: source.members }
  }
  const first = lists(['group.id.3'])
  const source = sourceOf(first)
  assert.deepEqual(source?.members, ['group.id.3', 'user.id.5', 'user.id.7'])
  assert.deepEqual(source?.ranges, [])
  const known = rulesIn([rule], first)[0]
  assert.equal(rulesIn([rule], { ...first })[0], known)
  assert.deepEqual(sourceOf(lists(['group.id.4']))?.members, ['group.id.4', 'user.id.5', 'user.id.7'])
  assert.equal(sourceOf(first)?.key, source?.key)
  const changed = rulesIn([{ ...rule, source_addresses: ['user.id.5', 'user.id.6'] }], first)[0]
  assert.deepEqual(changed?.source?.members, ['user.id.5', 'user.id.6'])
})

it('users are in the policy whatever the state of authorization, and the stage is there for them', () => {
  const rule = { ...sample, id: 1, source_addresses: ['user.id.5'] }
  const policy = (list: typeof stored, more: Config = {}) =>
    policyOf({ ...write(withPort, slots.forwardRules, list), ...more }, noFacts)
  assert.equal(policy([sample]).authorization, null)
  assert.equal(policy([rule]).authorization?.isEnforced, false)
  assert.equal(policy([{ ...rule, enabled: false }]).authorization, null)
  const acl = [{ id: 'a', name: 'A', value: [] }]
  const order = (src: string[]) => ({ acl_ordered_list: [{ src, hip: ['hip_profile.id.1'], acl: 'a' }] })
  const state = { enabled: true, default_action: 'allow', logging_enabled: false } as const
  const bound = (src: string[]) => {
    const config = write(
      write(write({}, slots.accessLists, acl), slots.accessState, state),
      slots.accessOrder,
      order(src),
    )
    return policyOf(config, noFacts)
  }
  const { access, authorization } = bound(['group.id.3'])
  assert.deepEqual(access?.bindings[0]?.members, {
    key: 'acl_0',
    ranges: [],
    isNegated: false,
    members: ['group.id.3'],
  })
  assert.deepEqual(access?.bindings[0]?.holders, { key: 'acl_0_p', ranges: [], isNegated: false })
  assert.notEqual(authorization, null)
  assert.equal(bound([]).access?.bindings[0]?.holders, undefined)
})
