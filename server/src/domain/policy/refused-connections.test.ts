// Which live connections a change refuses: each case is the policy before and after it, and connections as the kernel tracks them.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ruleIn, withRules } from '../../../test/support/policy-samples.ts'
import { drawPacket, drawPolicy, makeRandom, sampleWorld } from '../../../test/support/random-policy.ts'
import { type Facts, noFacts, type TrackedEnds } from '../../core/plan/facts.ts'
import { parseAddress, printAddress } from '../../shared/net/ipv4.ts'
import { evaluate } from './evaluate.ts'
import { routingOf } from './evaluate-routing.ts'
import type { AddressMatch, Policy, PolicyRule } from './model.ts'
import { createJudge, type Judged, moved } from './refused-connections.ts'

const facts: Facts = {
  ...noFacts,
  interfaces: [
    { name: 'lan0', mac: '02:00:00:00:00:01', addresses: ['10.10.0.1/24'], isUp: true, index: 2 },
    { name: 'wan0', mac: '02:00:00:00:00:02', addresses: ['203.0.113.2/24'], isUp: true, index: 3 },
    { name: 'wan1', mac: '02:00:00:00:00:03', addresses: ['192.0.2.2/24'], isUp: true, index: 4 },
  ],
  externalInterfaces: ['wan0'],
}
const outside = { externalDevices: ['wan0', 'wan1'], devices: ['lan0', 'wan0', 'wan1'] }

const number = (text: string): number => parseAddress(text) as number
const hosts = (...texts: string[]): AddressMatch => ({
  key: 'a',
  ranges: texts
    .map(number)
    .sort((a, b) => a - b)
    .flatMap((it) => [it, it]),
  isNegated: false,
})

const connection = (fields: Partial<TrackedEnds> = {}): TrackedEnds => {
  const whole = {
    protocol: 'tcp' as const,
    source: '10.10.0.5',
    sourcePort: 40_000,
    destination: '198.51.100.10',
    destinationPort: 80,
    ...fields,
  }
  return { answeredBy: whole.destination, answeredPort: whole.destinationPort, ...whole }
}

const policyWith = (rules: Partial<Policy['rules']>, more: Partial<Policy> = {}): Policy =>
  withRules(rules, { ...outside, ...more })

const judge = (before: Policy, after: Policy, one: TrackedEnds, more: Partial<Judged> = {}) =>
  createJudge({ before, after, facts, time: 1_800_000_000, ...more })(one)
const isRefused = (...asked: Parameters<typeof judge>): boolean => judge(...asked) !== null

const accept = ruleIn('forward', 1, { kind: 'accept' }, { destination: hosts('198.51.100.10') })
const drop = ruleIn('forward', 2, { kind: 'drop' }, { destination: hosts('198.51.100.10') })

describe('a live connection', () => {
  it('is refused by a rule that was added, and the rule is named', () => {
    const found = judge(policyWith({}), policyWith({ forward: [drop] }), connection())
    assert.deepEqual(found, { connection: connection(), refusedBy: 'firewall.forward[2]', user: null })
    const elsewhere = connection({ destination: '198.51.100.11' })
    assert.equal(isRefused(policyWith({}), policyWith({ forward: [drop] }), elsewhere), false)
  })

  it('is refused when the rule that accepted it is removed, disabled or moved behind another', () => {
    const both = policyWith({ forward: [accept, drop] })
    assert.ok(isRefused(both, policyWith({ forward: [drop] }), connection()))
    assert.ok(isRefused(both, policyWith({ forward: [drop, accept] }), connection()))
  })

  it('is left alone when another rule accepts it, or the old policy refused it as well', () => {
    const other = ruleIn('forward', 3, { kind: 'accept' }, { source: hosts('10.10.0.5') })
    const before = policyWith({ forward: [accept, other, drop] })
    assert.equal(isRefused(before, policyWith({ forward: [other, drop] }), connection()), false)
    const reject = ruleIn('forward', 4, { kind: 'reject' }, {})
    assert.equal(isRefused(policyWith({ forward: [drop] }), policyWith({ forward: [reject] }), connection()), false)
  })

  it('to the gateway itself is judged by INPUT rules, and by services that close', () => {
    const toGateway = connection({ destination: '10.10.0.1', destinationPort: 22 })
    const input = ruleIn('input', 7, { kind: 'drop' }, { source: hosts('10.10.0.5') })
    assert.equal(judge(policyWith({}), policyWith({ input: [input] }), toGateway)?.refusedBy, 'firewall.input[7]')
    const forward = ruleIn('forward', 8, { kind: 'drop' })
    assert.equal(isRefused(policyWith({}), policyWith({ forward: [forward] }), toGateway), false)
  })

  it('from outside is judged where it came in', () => {
    const byWan1 = connection({ source: '8.8.8.8', destination: '192.0.2.2', destinationPort: 443 })
    const only = (device: string): PolicyRule =>
      ruleIn('input', 9, { kind: 'drop' }, { incoming: { key: 'i', devices: [device] } })
    const open = ruleIn('input', 10, { kind: 'accept' })
    const before = policyWith({ input: [open] })
    assert.ok(isRefused(before, policyWith({ input: [only('wan1'), open] }), byWan1))
    assert.equal(isRefused(before, policyWith({ input: [only('wan0'), open] }), byWan1), false)
  })

  it('of a network behind a router is judged as one of the local networks', () => {
    const far = connection({ source: '172.16.5.5' })
    assert.ok(isRefused(policyWith({}), policyWith({ forward: [drop] }), far))
    const elsewhere = { ...drop, incoming: { key: 'i', devices: ['wan0'] } }
    assert.equal(isRefused(policyWith({}), policyWith({ forward: [elsewhere] }), far), false)
  })

  describe('through a translation of destinations', () => {
    const translated = connection({
      source: '8.8.8.8',
      destination: '203.0.113.2',
      destinationPort: 8080,
      answeredBy: '10.10.0.9',
      answeredPort: 80,
    })
    const span = (text: string) => [number(text), number(text)] as const
    const dnat = (to: string): PolicyRule =>
      ruleIn('dnat', 5, { kind: 'dnat', addresses: span(to), ports: [80, 80] }, { destination: hosts('203.0.113.2') })
    const before = policyWith({ dnat: [dnat('10.10.0.9')] })

    it('is refused when the rule is removed or leads elsewhere', () => {
      assert.ok(isRefused(before, policyWith({}), translated))
      assert.ok(isRefused(before, policyWith({ dnat: [dnat('10.10.0.8')] }), translated))
    })

    it('is judged by FORWARD rules behind the translation', () => {
      const inside = ruleIn('forward', 6, { kind: 'drop' }, { destination: hosts('10.10.0.9') })
      const asCalled = ruleIn('forward', 6, { kind: 'drop' }, { destination: hosts('203.0.113.2') })
      const rules = before.rules
      assert.ok(isRefused(before, policyWith({ ...rules, forward: [inside] }), translated))
      assert.equal(isRefused(before, policyWith({ ...rules, forward: [asCalled] }), translated), false)
    })

    it('of a pool is judged by the member that it has', () => {
      const pool = ruleIn(
        'dnat',
        5,
        { kind: 'dnat', addresses: [number('10.10.0.8'), number('10.10.0.9')], ports: [80, 80] },
        { destination: hosts('203.0.113.2') },
      )
      const closed = (text: string): PolicyRule => ruleIn('forward', 6, { kind: 'drop' }, { destination: hosts(text) })
      const withPool = policyWith({ dnat: [pool] })
      const after = (text: string): Policy => policyWith({ dnat: [pool], forward: [closed(text)] })
      assert.ok(isRefused(withPool, after('10.10.0.9'), translated))
      assert.equal(isRefused(withPool, after('10.10.0.8'), translated), false)
    })
  })

  it('is refused by what is not a rule: access lists, hardware filters, blocked forwarding', () => {
    const access = { bindings: [], isAllowedByDefault: false, isLogged: false }
    assert.ok(isRefused(policyWith({}), policyWith({}, { access }), connection()))
    assert.ok(isRefused(policyWith({}), policyWith({}, { isBlocked: true }), connection()))
    const hardware = { mode: 'src-ip', entries: [number('10.10.0.5')] } as const
    assert.ok(isRefused(policyWith({}), policyWith({}, { hardware }), connection()))
  })

  it('of a protocol without ports is judged too', () => {
    const ping = connection({ protocol: 'icmp', sourcePort: null, destinationPort: null })
    assert.ok(isRefused(policyWith({}), policyWith({ forward: [drop] }), { ...ping, answeredPort: null }))
  })

  it('names the user whose session is at its source', () => {
    const placeOf = (address: number) =>
      address === number('10.10.0.5')
        ? { members: ['user.id.5', 'group.id.1'], isSuspended: false, mac: null }
        : undefined
    const found = judge(policyWith({}), policyWith({ forward: [drop] }), connection(), { placeOf })
    assert.equal(found?.user, 'user.id.5')
  })

  it('is looked at for rules that name users, whatever addresses they have', () => {
    const members = { ...hosts(), members: ['group.id.7'], isNegated: true }
    const rule = ruleIn('forward', 3, { kind: 'drop' }, { source: members })
    assert.ok(isRefused(policyWith({}), policyWith({ forward: [rule] }), connection()), 'no one is in the group')
  })
})

describe('rules that were touched', () => {
  it('are few for one change, wherever it is', () => {
    const list = Array.from({ length: 100 }, (_, at) => at)
    assert.deepEqual(moved(list, list), [])
    assert.deepEqual(moved(list, [...list.slice(1), 0]), [0])
    assert.deepEqual(moved([...list.slice(1), 0], list), [0])
    assert.deepEqual(moved(list, list.with(50, 1_000)).sort(), [1_000, 50])
    assert.deepEqual(moved([], [1]), [1])
  })

  it('leave the same list on both sides when they are left out', () => {
    const random = makeRandom(13)
    for (let round = 0; round < 500; round++) {
      const list = Array.from({ length: 12 }, (_, at) => at)
      const draw = (): number[] => {
        const places = list
          .filter(() => random() < 0.7)
          .map((value) => [value + (random() < 0.2 ? 6 : 0), value] as const)
        return places.sort((a, b) => a[0] - b[0]).map(([, value]) => value)
      }
      const [one, other] = [draw(), draw()]
      const touched = new Set(moved(one, other))
      const rest = (values: readonly number[]): number[] => values.filter((value) => !touched.has(value))
      assert.deepEqual(rest(one), rest(other))
    }
  })
})

const worldFacts: Facts = {
  ...noFacts,
  interfaces: [
    { name: 'lan0', mac: '02:00:00:00:00:01', addresses: ['10.66.0.1/24'], isUp: true, index: 2 },
    { name: 'lan1', mac: '02:00:00:00:00:02', addresses: ['10.66.1.1/24', '203.0.113.1/24'], isUp: true, index: 3 },
    { name: 'dmz0', mac: '02:00:00:00:00:03', addresses: ['10.66.2.1/24'], isUp: true, index: 4 },
    { name: 'wan0', mac: '02:00:00:00:00:04', addresses: ['198.51.100.1/24'], isUp: true, index: 5 },
  ],
  externalInterfaces: ['wan0'],
}

/** As the kernel tracks it under this policy. */
function trackedUnder(policy: Policy, random: () => number): TrackedEnds {
  const packet = drawPacket(random, sampleWorld)
  const [outcome] = evaluate(policy, packet, routingOf(worldFacts, policy), { reasons: false }).outcomes
  const { protocol, source, source_port: sourcePort = null, destination, destination_port: called = null } = packet
  return {
    protocol,
    source,
    sourcePort,
    destination,
    destinationPort: called,
    answeredBy: outcome?.destination ? printAddress(outcome.destination[0]) : destination,
    answeredPort: outcome?.destinationPorts?.[0] ?? called,
  }
}

/** One rule less, or at another place. */
function changed(policy: Policy, random: () => number): Policy {
  const table = (['forward', 'input', 'dnat'] as const)[Math.floor(random() * 3)] ?? 'forward'
  const rules = [...policy.rules[table]]
  const [taken] = rules.splice(Math.floor(random() * rules.length), 1)
  if (taken && random() < 0.5) rules.splice(Math.floor(random() * (rules.length + 1)), 0, taken)
  return { ...policy, rules: { ...policy.rules, [table]: rules } }
}

it('is judged the same whether or not the rules that changed are looked at first', () => {
  let refused = 0
  for (let seed = 1; seed <= 300; seed++) {
    const random = makeRandom(seed)
    const before = drawPolicy(random, sampleWorld, { forward: 8, input: 6, dnat: 4, snat: 2, log: 2 })
    const after = changed(before, random)
    const time = sampleWorld.now
    const quick = createJudge({ before, after, facts: worldFacts, time })
    // Another device that nothing names: everything may be different then, and every connection is judged.
    const other = { ...after, devices: [...after.devices, 'unused0'] }
    const thorough = createJudge({ before, after: other, facts: worldFacts, time })
    for (let count = 0; count < 40; count++) {
      const one = trackedUnder(before, random)
      const expected = thorough(one)
      assert.deepEqual(quick(one), expected, `seed ${seed}: ${JSON.stringify(one)}`)
      if (expected) refused++
    }
  }
  assert.ok(refused > 50, `${refused} were refused`)
})
