// The evaluator against a second reading of the same rules, written without its code: every address and port of a pool
// is walked alone, every condition is a plain comparison.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ruleIn, samplePacket, withRules } from '../../../test/support/policy-samples.ts'
import { drawPacket, drawPolicy, makeRandom, routingIn, sampleWorld } from '../../../test/support/random-policy.ts'
import { drawSessions, noHosts, type Sessions, withSessions } from '../../../test/support/random-sessions.ts'
import { noFacts } from '../../core/plan/facts.ts'
import { parseAddress, printAddress } from '../../shared/net/ipv4.ts'
import type { Ranges } from '../../shared/net/ranges.ts'
import { evaluate } from './evaluate.ts'
import { type Routing, routingOf } from './evaluate-routing.ts'
import type { Outcome, Packet } from './evaluate-trace.ts'
import { type Action, type AddressMatch, emptyPolicy, type Policy, type PolicyRule } from './model.ts'

const sizes = { forward: 12, input: 8, dnat: 6, snat: 6, log: 6 }

interface PlainPacket {
  readonly protocol: string
  readonly source: number
  readonly destination: number
  readonly sourcePort: number
  readonly destinationPort: number
  readonly incoming: string
  readonly outgoing: string | null
  readonly time: number
  readonly sessions: Sessions
}

const within = (ranges: Ranges, value: number): boolean =>
  ranges.some((low, at) => at % 2 === 0 && low <= value && value <= (ranges[at + 1] as number))

const listed = (match: AddressMatch | null, value: number, sessions: Sessions): boolean =>
  match === null ||
  (within(match.ranges, value) ||
    (match.members ?? []).some((id) => sessions[printAddress(value)]?.includes(id) ?? false)) !== match.isNegated

function matches(rule: PolicyRule, packet: PlainPacket): boolean {
  const conditions = [
    rule.protocol === null || rule.protocol === packet.protocol,
    listed(rule.source, packet.source, packet.sessions),
    listed(rule.destination, packet.destination, packet.sessions),
    listed(rule.holders, packet.source, packet.sessions),
    rule.sourcePorts === null || within(rule.sourcePorts.ranges, packet.sourcePort),
    rule.destinationPorts === null || within(rule.destinationPorts.ranges, packet.destinationPort),
    rule.incoming === null || rule.incoming.devices.some((device) => device === packet.incoming),
    rule.outgoing === null || rule.outgoing.devices.some((device) => device === packet.outgoing),
    rule.times === null || within(rule.times.ranges, packet.time),
  ]
  return conditions.every((holds) => holds)
}

const first = (rules: readonly PolicyRule[], packet: PlainPacket): PolicyRule | undefined =>
  rules.filter((rule) => matches(rule, packet))[0]

function routeOf(routing: Routing, address: number): string | null | 'gateway' {
  if (within(routing.own, address)) return 'gateway'
  return routing.routes.find(({ span }) => span[0] <= address && address <= span[1])?.device ?? null
}

/** Verdict, deciding origin and SNAT of one address and port behind DNAT. */
function walkPlainly(policy: Policy, routing: Routing, packet: PlainPacket): string {
  const way = routeOf(routing, packet.destination)
  if (way === null) return 'drop without a route'
  if (way === 'gateway') {
    const guard = policy.guardedPorts.find(
      (it) =>
        it.protocol === packet.protocol &&
        it.destinationPort === packet.destinationPort &&
        !(within(it.peers, packet.source) && (it.isOpenOutside || !policy.externalDevices.includes(packet.incoming))),
    )
    if (guard !== undefined) return `drop by inp.sys.${guard.name}`
    const service = policy.services.find(
      (it) =>
        it.protocol === packet.protocol &&
        (it.devices ?? [packet.incoming]).includes(packet.incoming) &&
        (it.peers ?? [packet.source]).includes(packet.source) &&
        (it.sourcePort ?? packet.sourcePort) === packet.sourcePort &&
        it.destinationPort === packet.destinationPort,
    )
    if (service !== undefined) return `accept by inp.sys.${service.name}`
    const rule = first(policy.rules.input, packet)
    return `${rule?.action.kind ?? 'accept'} by ${rule?.origin}`
  }
  const leaving = { ...packet, outgoing: way }
  if (policy.isBlocked) return 'drop by fwd.sys.blocked'
  if (policy.access !== null) {
    const entries = policy.access.bindings
      .filter(
        ({ members, holders = null }) =>
          listed(members, packet.source, packet.sessions) && listed(holders, packet.source, packet.sessions),
      )
      .flatMap((binding) => binding.entries)
    const entry = entries.find(
      (it) =>
        (it.protocol === null || it.protocol === packet.protocol) &&
        within(it.source, packet.source) &&
        within(it.destination, packet.destination) &&
        within(it.destinationPorts ?? [-1, 65_535], packet.destinationPort),
    )
    if (!(entry?.isAllowed ?? policy.access.isAllowedByDefault)) return `drop by access ${entry?.origin}`
  }
  const rule = first(policy.rules.forward, leaving)
  if (rule?.action.kind === 'drop' || rule?.action.kind === 'reject') return `${rule.action.kind} by ${rule.origin}`
  const snat = first(policy.rules.snat, leaving)
  const isPrivate = packet.source >>> 24 === 10
  const isAutomatic = snat === undefined && policy.hasAutomaticSnat && isPrivate && policy.externalDevices.includes(way)
  return `accept by ${rule?.origin} snat ${snat?.origin} ${isAutomatic}`
}

function sayOutcome({ decidedBy, verdict, snat }: Outcome): string {
  if (decidedBy.kind === 'no_route') return 'drop without a route'
  if (decidedBy.kind === 'access') return `drop by access ${decidedBy.result.entry?.origin}`
  if (decidedBy.kind === 'system') return `${verdict} by ${decidedBy.origin}`
  const rule = decidedBy.kind === 'rule' ? decidedBy.rule.origin : undefined
  const source = snat === null ? '' : ` snat ${snat.walk.rule?.origin} ${snat.isAutomatic}`
  return `${verdict} by ${rule}${source}`
}

function plainOf(packet: Packet, sessions: Sessions): PlainPacket {
  return {
    protocol: packet.protocol,
    source: parseAddress(packet.source) as number,
    destination: parseAddress(packet.destination) as number,
    sourcePort: packet.source_port ?? -1,
    destinationPort: packet.destination_port ?? -1,
    incoming: packet.incoming_interface as string,
    outgoing: null,
    time: packet.time,
    sessions,
  }
}

const valuesOf = (span: readonly [number, number] | null, otherwise: number): number[] =>
  span === null ? [otherwise] : Array.from({ length: span[1] - span[0] + 1 }, (_, at) => span[0] + at)

test('the evaluator and a plain reading of the rules agree on every address and port of every pool', () => {
  const routing = routingIn(sampleWorld)
  const seen = new Map<string, number>()
  for (let seed = 1; seed <= 400; seed++) {
    const random = makeRandom(seed)
    const hasUsers = seed % 2 === 0
    const policy = drawPolicy(random, sampleWorld, { ...sizes, memberShare: hasUsers ? 0.5 : 0 })
    const sessions = hasUsers ? drawSessions(random, sampleWorld) : {}
    for (let count = 0; count < 50; count++) {
      const packet = withSessions(drawPacket(random, sampleWorld), sessions, noHosts, {})
      const trace = evaluate(policy, packet, routing, { reasons: count % 2 === 0 })
      const about = `seed ${seed}, packet ${JSON.stringify(packet)}`
      const plain = plainOf(packet, sessions)
      if (trace.droppedBy !== null) {
        const entries = JSON.stringify(policy.hardware?.entries)
        assert.ok(entries.includes(`${plain.source}`) || entries.includes(`${plain.destination}`), about)
        continue
      }
      const way = routeOf(routing, plain.destination)
      const logged = policy.rules.log.filter((rule) =>
        matches(rule, { ...plain, outgoing: way === 'gateway' ? null : way }),
      )
      assert.equal(trace.log?.rule, logged.at(-1) ?? null, about)
      const dnat = first(policy.rules.dnat, plain)
      assert.equal(trace.dnat?.rule, dnat ?? null, about)
      const { addresses, ports } = dnat?.action.kind === 'dnat' ? dnat.action : { addresses: null, ports: null }
      const keepsPort = ports !== null && within(ports, plain.destinationPort)
      const sizeOf = (span: readonly [number, number] | null) => (span === null ? 1 : span[1] - span[0] + 1)
      assert.equal(
        trace.outcomes.reduce((sum, it) => sum + sizeOf(it.destination) * sizeOf(it.destinationPorts), 0),
        sizeOf(addresses) * sizeOf(keepsPort ? null : ports),
        about,
      )
      for (const destination of valuesOf(addresses, plain.destination))
        for (const destinationPort of valuesOf(keepsPort ? null : ports, plain.destinationPort)) {
          const expected = walkPlainly(policy, routing, { ...plain, destination, destinationPort })
          const outcome = trace.outcomes.filter(
            (it) =>
              within(it.destination as Ranges, destination) &&
              (it.destinationPorts === null || within(it.destinationPorts, destinationPort)),
          )
          assert.deepEqual(outcome.map(sayOutcome), [expected], about)
          const kind = expected.split(/[[\d]/)[0] as string
          seen.set(kind, (seen.get(kind) ?? 0) + 1)
        }
    }
  }
  // A sample that never reaches a stage would prove nothing about it.
  for (const kind of [
    'drop by firewall.forward',
    'reject by firewall.forward',
    'drop by firewall.input',
    'drop by access firewall.acl',
  ])
    assert.ok((seen.get(kind) ?? 0) > 100, `${kind}: ${seen.get(kind)}`)
})

const rule = (table: PolicyRule['table'], action: Action, conditions: Partial<PolicyRule> = {}): PolicyRule =>
  ruleIn(table, 1, action, conditions)
const routing = routingIn(sampleWorld)

test('what the gateway sends meets only forward rules that name it, and is not marked or translated', () => {
  const drop = rule('forward', { kind: 'drop' })
  const named = { ...drop, id: 2, incoming: { key: 'utm_outgoing', devices: [] } }
  const sent = { ...samplePacket, source: '198.51.100.1', incoming_interface: null }
  const policy = withRules({ forward: [drop, named], log: [rule('log', { kind: 'mark', isLogged: true })] })
  const trace = evaluate(policy, sent, routing)
  assert.equal(trace.log, null)
  assert.deepEqual(trace.outcomes[0]?.decidedBy, { kind: 'rule', rule: named })
  assert.equal(evaluate(withRules({ forward: [drop] }), sent, routing).verdict, 'accept')
  assert.deepEqual(evaluate(withRules({ forward: [named] }), samplePacket, routing).verdict, 'accept')
})

test('an IPv6 packet is in no list: positive lists pass it over, any and negated ones match', () => {
  const list = { key: 'all', ranges: [0, 0xffff_ffff], isNegated: false }
  const six = { ...samplePacket, source: '2001:db8::1', destination: '2001:db8::2' }
  const away = { ...routing, ipv6: { own: [], device: 'wan0' } }
  const verdict = (conditions: Partial<PolicyRule>) =>
    evaluate(withRules({ forward: [rule('forward', { kind: 'drop' }, conditions)] }), six, away).verdict
  assert.equal(verdict({ source: list }), 'accept')
  assert.equal(verdict({ source: { ...list, isNegated: true } }), 'drop')
  assert.equal(verdict({}), 'drop')
})

test('a pool whose members fare differently leaves the verdict open and lists each part', () => {
  const pool = rule('dnat', { kind: 'dnat', addresses: [0x0a420210, 0x0a420213], ports: null })
  const one = { key: 'one', ranges: [0x0a420211, 0x0a420211], isNegated: false }
  const policy = withRules({ dnat: [pool], forward: [rule('forward', { kind: 'drop' }, { destination: one })] })
  const trace = evaluate(policy, samplePacket, routing)
  assert.equal(trace.verdict, null)
  assert.deepEqual(
    trace.outcomes.map(({ destination, verdict }) => [...(destination ?? []), verdict]),
    [
      [0x0a420210, 0x0a420210, 'accept'],
      [0x0a420211, 0x0a420211, 'drop'],
      [0x0a420212, 0x0a420213, 'accept'],
    ],
  )
})

test('routes follow the addresses of the devices, the longest prefix first, then the default route', () => {
  const device = { mac: '', isUp: true, index: 1 }
  const facts = {
    ...noFacts,
    interfaces: [
      { ...device, name: 'lan0', addresses: ['10.0.0.1/8', 'fe80::1/64'] },
      { ...device, name: 'lan1', addresses: ['10.1.0.1/16'] },
      { ...device, name: 'lan2', isUp: false, addresses: ['10.2.0.1/16'] },
    ],
    externalInterfaces: ['wan0'],
  }
  const devices = (destination: string) => {
    const { path, outgoing } = evaluate(emptyPolicy, { ...samplePacket, destination }, routingOf(facts, emptyPolicy))
      .outcomes[0] as Outcome
    return outgoing ?? path
  }
  assert.deepEqual(['10.2.0.9', '10.1.0.9', '10.1.0.1', '10.255.255.255', '224.0.0.1', '8.8.8.8'].map(devices), [
    'lan0',
    'lan1',
    'input',
    'input',
    'input',
    'wan0',
  ])
})

test('a service of the gateway is let through before any rule, both ways, and only as far as it goes', () => {
  const service = { name: 'dhcp', protocol: 'udp', devices: ['lan0'], peers: null } as const
  const own = { key: 'utm_outgoing', devices: [] }
  const policy: Policy = {
    ...withRules({
      input: [rule('input', { kind: 'drop' })],
      forward: [rule('forward', { kind: 'drop' }, { incoming: own })],
    }),
    services: [
      { ...service, way: 'input', sourcePort: null, destinationPort: 67 },
      { ...service, way: 'output', sourcePort: 67, destinationPort: 68 },
    ],
  }
  const asked: Packet = {
    ...samplePacket,
    source: '0.0.0.0',
    destination: '255.255.255.255',
    source_port: 68,
    destination_port: 67,
    protocol: 'udp',
    incoming_interface: 'lan0',
  }
  const lan = {
    ...routingOf(noFacts, emptyPolicy),
    routes: [{ span: [0x0a000000, 0x0affffff], device: 'lan0' }],
  } as const
  const decided = (changes: Partial<Packet>) =>
    evaluate(policy, { ...asked, ...changes }, lan)
      .outcomes.map(sayOutcome)
      .join()
  assert.equal(decided({}), 'accept by inp.sys.dhcp')
  assert.match(decided({ destination_port: 68 }), /^drop by/)
  assert.match(decided({ protocol: 'tcp' }), /^drop by/)
  assert.match(decided({ incoming_interface: 'lan1' }), /^drop by/)
  const answer = { source: '10.0.0.1', destination: '10.0.0.9', incoming_interface: null }
  assert.equal(decided({ ...answer, source_port: 67, destination_port: 68 }), 'accept by out.sys.dhcp')
  assert.match(decided({ ...answer, source_port: 99, destination_port: 68 }), /^drop by/)
})
