// The end of INPUT and FORWARD for what comes from outside, in the words an administrator reads. That the kernel does the
// same is shown by kernel.test.ts.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ruleIn, samplePacket, withRules } from '../../../test/support/policy-samples.ts'
import { routingIn, sampleWorld } from '../../../test/support/random-policy.ts'
import { parseAddress } from '../../shared/net/ipv4.ts'
import { evaluate } from './evaluate.ts'
import type { Packet } from './evaluate-trace.ts'
import { explain } from './explain.ts'
import type { Action, OutsideService, Policy } from './model.ts'

const address = (text: string): number => parseAddress(text) as number
const [gateway, server] = ['198.51.100.1', '10.66.2.10']
const stranger: Packet = { ...samplePacket, source: '192.0.2.77', incoming_interface: 'wan0' }
const agent: OutsideService = {
  name: 'agent',
  title: 'client agent',
  protocol: 'tcp',
  destinationPort: 14_765,
  peers: null,
}

const routing = { ...routingIn(sampleWorld), ipv6: { own: ['2001:db8::1'], device: 'wan0' } }

function ask(packet: Packet, rules: Partial<Policy['rules']> = {}, more: Partial<Policy> = {}) {
  const policy = withRules(rules, { externalDevices: ['wan0'], ...more })
  const { verdict, outcomes } = explain(evaluate(policy, packet, routing), packet)
  return { verdict, by: outcomes[0]?.decided_by, text: outcomes[0]?.steps.at(-1)?.text ?? '' }
}

const dnat = (to: string, ports: readonly [number, number] | null = null) => [
  ruleIn('dnat', 1, { kind: 'dnat', addresses: [address(to), address(to)], ports }),
]

describe('a new connection from outside', () => {
  it('to the gateway is dropped by a system rule that says why', () => {
    const { verdict, by, text } = ask({ ...stranger, destination: gateway })
    assert.deepEqual([verdict, by], ['drop', 'inp.sys.external'])
    assert.match(text, /from outside to the gateway are dropped, unless an INPUT rule accepts them/)
  })

  it('to a local network is dropped by a system rule that says why', () => {
    const { verdict, by, text } = ask({ ...stranger, destination: server })
    assert.deepEqual([verdict, by], ['drop', 'fwd.sys.external'])
    assert.match(text, /from outside are not forwarded, unless a FORWARD rule accepts them/)
  })

  it('to another external network is dropped too', () => {
    assert.equal(ask({ ...stranger, destination: '192.0.2.10' }).by, 'fwd.sys.external')
  })

  it('is dropped over IPv6 as well, a ping included', () => {
    const six = { ...stranger, source: '2001:db8:9::1' }
    assert.equal(ask({ ...six, destination: '2001:db8::1' }).by, 'inp.sys.external')
    assert.equal(ask({ ...six, destination: '2001:db8:1::5' }).by, 'fwd.sys.external')
    assert.equal(ask({ ...six, destination: '2001:db8::1', protocol: 'icmp' }).by, 'inp.sys.external')
    assert.equal(ask({ ...stranger, destination: gateway, protocol: 'icmp' }).by, 'inp.sys.external')
  })

  for (const [table, destination] of [
    ['input', gateway],
    ['forward', server],
  ] as const)
    it(`goes through ${table} when a rule accepts it, and is rejected when one rejects it`, () => {
      const to = { ...stranger, destination }
      const decide = (action: Action) => ask(to, { [table]: [ruleIn(table, 3, action)] })
      assert.deepEqual(decide({ kind: 'accept' }).verdict, 'accept')
      const rejected = decide({ kind: 'reject' })
      assert.deepEqual([rejected.verdict, rejected.by], ['reject', `firewall.${table}[3]`])
      assert.match(rejected.text, new RegExp(`${table.toUpperCase()} rule 3 rejects the packet`))
    })

  it('goes through when a DNAT rule translated it, but not when it kept everything as it was', () => {
    const published = { ...stranger, destination: gateway }
    const moved = ask(published, { dnat: dnat(server) })
    assert.deepEqual([moved.verdict, moved.by], ['accept', 'fwd.sys.translated'])
    assert.equal(ask(published, { dnat: dnat(gateway, [8443, 8443]) }).by, 'inp.sys.translated')
    assert.equal(ask(published, { dnat: dnat(gateway) }).by, 'inp.sys.external')
    assert.equal(ask({ ...stranger, destination: server }, { dnat: dnat(server) }).by, 'fwd.sys.external')
  })

  it('to the one address of a pool that it was meant for is dropped, to the others it goes through', () => {
    const pool = ruleIn('dnat', 1, { kind: 'dnat', addresses: [address(server) - 1, address(server) + 1], ports: null })
    const policy = withRules({ dnat: [pool] }, { externalDevices: ['wan0'] })
    const { outcomes, verdict } = evaluate(policy, { ...stranger, destination: server }, routing)
    assert.equal(verdict, null)
    assert.deepEqual(
      outcomes.map((one) => one.verdict),
      ['accept', 'drop', 'accept'],
    )
  })

  it('reaches a service that is switched on for outside, over IPv4 and IPv6, unless a rule drops it', () => {
    const on = { outsideServices: [agent] }
    const to = { ...stranger, destination: gateway, destination_port: 14_765 }
    assert.equal(ask(to).verdict, 'drop')
    const open = ask(to, {}, on)
    assert.deepEqual([open.verdict, open.by], ['accept', 'inp.sys.agent'])
    assert.equal(open.text, 'The client agent is switched on for outside: a system rule accepts the packet.')
    assert.equal(ask({ ...to, source: '2001:db8:9::1', destination: '2001:db8::1' }, {}, on).by, 'inp.sys.agent')
    assert.equal(ask(to, { input: [ruleIn('input', 1, { kind: 'drop' })] }, on).verdict, 'drop')
    assert.equal(ask({ ...to, destination_port: 14_766 }, {}, on).verdict, 'drop')
  })

  it('from the peer of a tunnel reaches the gateway, from others not', () => {
    const peers = [address('192.0.2.77')]
    const tunnel = {
      ...agent,
      name: 'tunnel',
      title: 'GRE tunnel',
      protocol: 'gre',
      destinationPort: null,
      peers,
    } as const
    const gre: Packet = {
      source: '192.0.2.77',
      destination: gateway,
      protocol: 'gre',
      incoming_interface: 'wan0',
      time: stranger.time,
    }
    assert.equal(ask(gre, {}, { outsideServices: [tunnel] }).by, 'inp.sys.tunnel')
    assert.equal(ask({ ...gre, source: '192.0.2.78' }, {}, { outsideServices: [tunnel] }).by, 'inp.sys.external')
  })

  it('is answered to a DHCP client of the gateway, whom its server does not answer in the same connection', () => {
    const answer = {
      ...stranger,
      destination: gateway,
      protocol: 'udp',
      source_port: 67,
      destination_port: 68,
    } as const
    assert.equal(ask(answer).by, 'inp.sys.link')
    const six = { ...answer, source_port: 547, destination_port: 546, destination: '2001:db8::1' }
    assert.equal(ask({ ...six, source: 'fe80::1' }).by, 'inp.sys.link')
    assert.equal(ask({ ...six, source: '2001:db8:9::1' }).by, 'inp.sys.external')
  })
})

describe('a new connection from inside', () => {
  it('is accepted by default, to other local networks, to outside and to the gateway', () => {
    for (const destination of [server, '192.0.2.10', '10.66.0.1', gateway])
      assert.deepEqual(ask({ ...samplePacket, destination }).verdict, 'accept', destination)
    assert.equal(ask({ ...samplePacket, destination: server }).by, null)
  })

  it('is accepted by default from an interface that is neither local nor external', () => {
    assert.equal(ask({ ...stranger, incoming_interface: 'gre1', destination: server }).verdict, 'accept')
  })
})
