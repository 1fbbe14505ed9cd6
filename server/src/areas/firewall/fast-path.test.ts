// Which cards are named for the fast path, and what its status says: active only for what the kernel lists.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Observation } from '../../core/plan/artifacts.ts'
import { type InterfaceFact, noFacts } from '../../core/plan/facts.ts'
import { emptyPolicy } from '../../domain/policy/model.ts'
import { fastPathEntry } from '../../engines/fast-path/applyd/way.ts'
import type { FastPathObservation } from '../../engines/fast-path/observed.ts'
import { fastPath } from './fast-path.ts'
import { fastPathStatus } from './status-fast-path.ts'

const card = (name: string, index = 2): InterfaceFact => ({
  name,
  mac: '02:00:00:00:00:01',
  addresses: [],
  isUp: true,
  index,
  isPlainCard: true,
})
const { isPlainCard: _, ...vlan } = card('lan0.5')
const authorization = {
  isEnforced: false,
  side: { devices: [], networks: [] },
  hosts: [],
  networks: [],
  pairs: [],
  macs: [],
  idleSeconds: 60,
  portalPort: null,
  notesUnknown: false,
} as unknown as NonNullable<typeof emptyPolicy.authorization>

describe('the fast path of a plan', () => {
  const facts = { interfaces: [card('lan0'), vlan, card('wan0')] }

  it('is between the cards of the machine, not what is made of them', () => {
    const [way] = fastPath(emptyPolicy, facts)
    assert.deepEqual(way, { kind: 'way', name: 'fast-path', entries: [{ device: 'lan0' }, { device: 'wan0' }] })
  })

  it('is not there with fewer than two cards, or where nothing is known of them', () => {
    assert.deepEqual(fastPath(emptyPolicy, { interfaces: [card('lan0'), vlan] }), [])
    assert.deepEqual(fastPath(emptyPolicy, noFacts), [])
  })

  it('is not there while every packet of a host is looked at, and while all traffic is blocked', () => {
    assert.deepEqual(fastPath({ ...emptyPolicy, authorization }, facts), [])
    assert.deepEqual(fastPath({ ...emptyPolicy, isBlocked: true }, facts), [])
  })

  it('leaves out names that applyd would refuse', () => {
    const strange = ['a"; drop', 'lan*', '-x', 'ü', 'x'.repeat(16)].map((name) => card(name))
    const [way] = fastPath(emptyPolicy, { interfaces: [...strange, card('eth0'), card('eth1')] })
    assert.deepEqual(way?.entries, [{ device: 'eth0' }, { device: 'eth1' }])
    assert.deepEqual(fastPathEntry.parse(way?.entries ?? []), way?.entries)
  })
})

describe('its status', () => {
  const seen = (change: Partial<FastPathObservation> | null): Observation => ({
    plane: 'host',
    limitation: null,
    appliedRevision: 1,
    tables: [],
    links: [],
    units: [],
    ways: change ? { 'fast-path': { isAble: true, devices: [], isGivenUp: false, fault: '', ...change } } : {},
  })

  it('has no item where the kernel has none, or no plan wants it', () => {
    for (const observation of [null, seen(null), seen({ isAble: false })])
      assert.deepEqual(fastPathStatus(observation), [])
  })

  it('is active between the cards that the kernel lists, and names them', () => {
    const [item] = fastPathStatus(seen({ devices: ['lan0', 'wan0'] }))
    assert.deepEqual([item?.name, item?.status], ['fast-path', 'active'])
    assert.match(item?.msg[0] ?? '', /between lan0, wan0 skip /)
  })

  it('is not active, and says why, when the kernel does not list it or cannot end connections on it', () => {
    const [refused] = fastPathStatus(seen({ fault: 'Error: busy' }))
    assert.deepEqual([refused?.status, /Error: busy$/.test(refused?.msg[0] ?? '')], ['inactive', true])
    const [old] = fastPathStatus(seen({ isGivenUp: true, devices: [] }))
    assert.deepEqual([old?.status, /cannot end/.test(old?.msg[0] ?? '')], ['inactive', true])
  })
})
