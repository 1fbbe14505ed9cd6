// What the firewall does for the DNS server, as an administrator asks it: `gw explain` must tell the truth about it. The
// kernel's side is in kernel.test.ts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closedPorts } from '../../core/engine/views.ts'
import { dns as dnsEngine } from '../../engines/dns/index.ts'
import { parseAddress } from '../../shared/net/ipv4.ts'
import { toRanges } from '../../shared/net/ranges.ts'
import { evaluate } from './evaluate.ts'
import { routingOf } from './evaluate-routing.ts'
import type { Packet } from './evaluate-trace.ts'
import { type Explanation, explain } from './explain.ts'
import type { DnsStage } from './model.ts'
import { emptyPolicy, type Policy, type PolicyRule } from './model.ts'

const number = (text: string): number => parseAddress(text) ?? 0
const dns: DnsStage = {
  local: [{ device: 'lan0', address: number('10.10.0.1') }],
  near: toRanges([
    [number('10.10.0.0'), number('10.10.0.255')],
    [number('203.0.113.2'), number('203.0.113.2')],
  ]),
  isIntercepting: true,
}
const whole: Policy = {
  ...emptyPolicy,
  externalDevices: ['wan0'],
  ownAddresses: [number('10.10.0.1')],
  closedPorts: closedPorts([dnsEngine]),
  dns,
}
const facts = {
  interfaces: [
    { name: 'lan0', mac: '', addresses: ['10.10.0.1/24'], isUp: true, index: 2 },
    { name: 'wan0', mac: '', addresses: ['203.0.113.2/24'], isUp: true, index: 3 },
  ],
  externalInterfaces: ['wan0'],
  externalIpv6Interfaces: [],
  leases: [],
  addressBook: new Map(),
  agentPort: null,
  timeZone: 'UTC',
  scheduleDay: 0,
}

function ask(packet: Partial<Packet>, policy: Policy = whole): Explanation {
  const asked: Packet = {
    source: '10.10.0.2',
    destination: '8.8.8.8',
    protocol: 'udp',
    source_port: 40_000,
    destination_port: 53,
    incoming_interface: 'lan0',
    time: 0,
    ...packet,
  }
  return explain(evaluate(policy, asked, routingOf(facts, policy)), asked)
}

const said = ({ steps, outcomes }: Explanation): string =>
  [...steps, ...outcomes.flatMap((outcome) => outcome.steps)].map(({ text }) => text).join(' ')

test('a query to the internet is answered by the gateway, as INPUT', () => {
  for (const protocol of ['udp', 'tcp'] as const) {
    const told = ask({ protocol })
    assert.deepEqual(
      [told.verdict, told.outcomes[0]?.path, told.outcomes[0]?.destination],
      ['accept', 'input', '10.10.0.1'],
    )
    assert.match(said(told), /the gateway answers the query instead of the server it was sent to/)
  }
})

test('a query to the gateway, to a local server and from elsewhere is left alone', () => {
  for (const packet of [
    { destination: '10.10.0.1' },
    { destination: '10.10.0.9' },
    { destination: '203.0.113.2' },
    { incoming_interface: 'opt0' },
    { destination_port: 54 },
    { protocol: 'icmp' as const },
  ])
    assert.doesNotMatch(said(ask(packet)), /DNS interception/, JSON.stringify(packet))
  assert.doesNotMatch(said(ask({}, { ...whole, dns: { ...dns, isIntercepting: false } })), /DNS interception/)
})

test('an INPUT rule decides about an intercepted query, and a DNAT rule comes before the interception', () => {
  const rule: PolicyRule = {
    id: 1,
    origin: 'firewall.input[1]',
    protocol: 'udp',
    source: null,
    destination: null,
    sourcePorts: null,
    destinationPorts: null,
    incoming: null,
    outgoing: null,
    holders: null,
    times: null,
    table: 'input',
    action: { kind: 'drop' },
  }
  const dropped = ask({}, { ...whole, rules: { ...whole.rules, input: [rule] } })
  assert.deepEqual([dropped.verdict, dropped.outcomes[0]?.decided_by], ['drop', 'firewall.input[1]'])
  const except: PolicyRule = { ...rule, table: 'dnat', origin: 'firewall.dnat[1]', action: { kind: 'accept' } }
  const excepted = ask({}, { ...whole, rules: { ...whole.rules, dnat: [except] } })
  assert.deepEqual([excepted.verdict, excepted.outcomes[0]?.path], ['accept', 'forward'])
})

test('DNS over TLS, QUIC and to well-known places over HTTPS is refused; other HTTPS is not', () => {
  const refused = [
    { protocol: 'tcp', destination_port: 853 },
    { protocol: 'udp', destination_port: 853 },
    { protocol: 'udp', destination_port: 8853 },
    { protocol: 'tcp', destination_port: 443 },
    { protocol: 'udp', destination_port: 443 },
  ] as const
  for (const packet of refused) {
    const told = ask(packet)
    assert.deepEqual([told.verdict, told.outcomes[0]?.decided_by], ['drop', 'dns.settings.intercept_enabled'])
    assert.match(said(told), /refuses encrypted queries/)
    assert.equal(ask({ ...packet, destination: '10.10.0.9' }).verdict, 'accept')
  }
  assert.equal(ask({ protocol: 'tcp', destination_port: 443, destination: '198.51.100.10' }).verdict, 'accept')
  assert.equal(ask({ protocol: 'tcp', destination_port: 8853 }).verdict, 'accept')
})

test('the server is closed from outside, interception or not', () => {
  for (const isIntercepting of [true, false]) {
    const outside = { source: '198.51.100.7', destination: '203.0.113.2', incoming_interface: 'wan0' }
    const told = ask(outside, { ...whole, ownAddresses: [number('203.0.113.2')], dns: { ...dns, isIntercepting } })
    assert.deepEqual([told.verdict, told.outcomes[0]?.decided_by], ['drop', 'inp.sys.dns'])
    assert.match(said(told), /answers local networks only/)
  }
})
