// Who gets to external networks, in the words an administrator reads. That the kernel does the same is shown by kernel.test.ts.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ruleIn, samplePacket, withRules } from '../../../test/support/policy-samples.ts'
import { routingIn, sampleWorld } from '../../../test/support/random-policy.ts'
import { parseAddress } from '../../shared/net/ipv4.ts'
import { evaluate } from './evaluate.ts'
import type { Packet } from './evaluate-trace.ts'
import { explain } from './explain.ts'
import type { AuthorizationStage, Policy } from './model.ts'
import { unresolvedOf } from './unresolved.ts'

const address = (text: string): number => parseAddress(text) as number
const host = '10.66.0.11'
const card = '02:00:00:00:00:01'
const packet: Packet = { ...samplePacket, source: host, destination: '192.0.2.10', incoming_interface: 'lan0' }
const routing = { ...routingIn(sampleWorld), ipv6: { own: [], device: 'wan0' } }

const nobody: AuthorizationStage = {
  isEnforced: true,
  side: {
    local: [{ device: 'lan0', address: address('10.66.0.1') }],
    near: [address('10.66.0.0'), address('10.66.0.255')],
  },
  hosts: [],
  networks: [],
  pairs: [],
  macs: [],
  idleSeconds: 900,
  portalPort: 8085,
  notesUnknown: false,
}

function ask(stage: Partial<AuthorizationStage>, asked: Partial<Packet> = {}, more: Partial<Policy> = {}) {
  const policy = withRules({}, { externalDevices: ['wan0'], authorization: { ...nobody, ...stage }, ...more })
  const whole = { ...packet, ...asked }
  const { verdict, outcomes, steps } = explain(evaluate(policy, whole, routing), whole)
  const text = outcomes[0]?.steps.at(-1)?.text ?? ''
  return { verdict, by: outcomes[0]?.decided_by, text, dnat: steps.at(-1)?.text ?? '', path: outcomes[0]?.path }
}

describe('authorization of a host', () => {
  it('refuses one that no rule and no session authorizes, and says so', () => {
    const { verdict, by, text } = ask({})
    assert.deepEqual([verdict, by], ['reject', 'fwd.sys.authorization'])
    assert.match(text, /The host 10\.66\.0\.11 is not authorized: no authorization rule and no sign-in/)
  })

  it('lets out what a rule for its address, network, card or pair names, and what has a session', () => {
    const at = address(host)
    const rows: readonly [Partial<AuthorizationStage>, Partial<Packet>][] = [
      [{ hosts: [at, at] }, {}],
      [{ networks: [at - 1, at + 1] }, {}],
      [{ pairs: [{ address: at, mac: card }] }, { sourceMac: card }],
      [{ pairs: [{ address: at, mac: card }] }, {}],
      [{ macs: [card] }, { sourceMac: card }],
      [{}, { authorization: 'session' }],
      [{}, { authorization: 'rule' }],
      [{ isEnforced: false }, {}],
    ]
    for (const [stage, asked] of rows) assert.equal(ask(stage, asked).verdict, 'accept', JSON.stringify([stage, asked]))
  })

  it('drops an address that is bound to another card, for every destination and also while everyone is allowed', () => {
    const stage = { pairs: [{ address: address(host), mac: card }], isEnforced: false }
    for (const destination of ['192.0.2.10', '10.66.2.10']) {
      const { verdict, by, text } = ask(stage, {
        sourceMac: '02:00:00:00:00:02',
        authorization: 'session',
        destination,
      })
      assert.deepEqual([verdict, by], ['drop', 'fwd.sys.authorization'])
      assert.match(text, /The address 10\.66\.0\.11 is bound to another card than 02:00:00:00:00:02/)
    }
  })

  it('drops an address that is bound to a card in another segment, and does not count its session there', () => {
    const side = { ...nobody.side, local: [...nobody.side.local, { device: 'lan1', address: address('10.66.1.1') }] }
    const elsewhere = { incoming_interface: 'lan1', sourceMac: card }
    const pairs = [{ address: address(host), mac: card }]
    for (const isEnforced of [true, false]) {
      const { verdict, text } = ask({ side, pairs, isEnforced }, elsewhere)
      assert.equal(verdict, 'drop')
      assert.match(text, /bound to a card in another segment/)
    }
    const session = { ...elsewhere, authorization: 'session', isBoundToCard: true } as const
    assert.equal(ask({ side }, session).verdict, 'reject')
    assert.equal(ask({ side }, { ...session, destination_port: 80 }).path, 'input')
    assert.equal(ask({ side, pairs }, { ...session, destination_port: 80 }).verdict, 'drop')
    assert.equal(ask({ side }, { ...session, incoming_interface: 'lan0' }).verdict, 'accept')
    assert.equal(ask({ side }, { ...session, isBoundToCard: false }).verdict, 'accept')
    assert.equal(ask({ side, macs: [card] }, elsewhere).verdict, 'reject')
  })

  it('refuses a host whose user has too many sessions although a rule names it', () => {
    const at = address(host)
    const { verdict, text } = ask({ hosts: [at, at], networks: [at, at] }, { authorization: 'suspended' })
    assert.equal(verdict, 'reject')
    assert.match(text, /more sessions than are allowed/)
  })

  it('refuses IPv6 to external networks', () => {
    const { verdict, text } = ask({}, { source: '2001:db8::5', destination: '2001:db8:1::5' })
    assert.equal(verdict, 'reject')
    assert.match(text, /Only IPv4 hosts can be authorized/)
  })

  it('asks nothing of other local networks, of other devices and of the gateway itself', () => {
    assert.equal(ask({}, { destination: '10.66.2.10' }).verdict, 'accept')
    assert.equal(ask({}, { source: '10.66.1.11', incoming_interface: 'lan1' }).verdict, 'accept')
    assert.equal(ask({}, { destination: '10.66.0.1' }).verdict, 'accept')
  })

  it('leads plain HTTP to the portal, and neither HTTPS, nor near hosts, nor an address of another card', () => {
    const web = { destination_port: 80 }
    const led = ask({}, web)
    assert.deepEqual([led.verdict, led.path], ['accept', 'input'])
    assert.match(led.dnat, /redirected to the sign-in page/)
    assert.equal(ask({ portalPort: null }, web).verdict, 'reject')
    assert.equal(ask({}, { destination_port: 443 }).verdict, 'reject')
    assert.equal(ask({}, { ...web, authorization: 'session' }).path, 'forward')
    assert.equal(ask({}, { ...web, destination: '10.66.0.77' }).path, 'forward')
    assert.equal(ask({ pairs: [{ address: address(host), mac: card }] }, { ...web, sourceMac: 'x' }).verdict, 'drop')
  })
})

describe('rules that name users', () => {
  const match = { key: 'u', ranges: [], isNegated: false, members: ['group.id.3', 'user.id.1'] }
  const verdict = (source: typeof match, asked: Partial<Packet>) =>
    evaluate(
      withRules({ forward: [ruleIn('forward', 1, { kind: 'drop' }, { source })] }),
      { ...packet, ...asked },
      routing,
    ).verdict

  it('match where one of their groups has a session, and IPv6 only when negated', () => {
    const six = { source: '2001:db8::5', destination: '2001:db8:1::5' }
    assert.equal(verdict(match, {}), 'accept')
    assert.equal(verdict(match, { sourceMembers: ['user.id.9', 'group.id.3', 'group.id.1'] }), 'drop')
    assert.equal(verdict(match, { sourceMembers: ['user.id.9', 'group.id.1'] }), 'accept')
    assert.equal(verdict(match, { destinationMembers: ['user.id.1'] }), 'accept')
    assert.equal(verdict({ ...match, isNegated: true }, { sourceMembers: ['user.id.1'] }), 'accept')
    assert.equal(verdict({ ...match, isNegated: true }, {}), 'drop')
    assert.equal(verdict(match, six), 'accept')
    assert.equal(verdict({ ...match, isNegated: true }, six), 'drop')
  })

  it('are explained with the session that made them match', () => {
    const asked = { ...packet, sourceMembers: ['user.id.1', 'group.id.3', 'group.id.1'] }
    const policy = withRules({ forward: [ruleIn('forward', 1, { kind: 'drop' }, { source: match })] })
    const texts = explain(evaluate(policy, asked, routing), asked).outcomes[0]?.steps.map(({ text }) => text)
    assert.ok(
      texts?.includes(
        'FORWARD rule 1 drops the packet. It names user.id.1, group.id.3: the session at the source 10.66.0.11.',
      ),
    )
  })

  it('are in the kernel also while a domain of the same list has no addresses', () => {
    const said = (source: object) =>
      unresolvedOf(
        ruleIn('forward', 1, { kind: 'drop' }, { source: { ...match, unresolved: ['a.example'], ...source } }),
      )
    assert.match(said({})?.text ?? '', /in the kernel with its other addresses only/)
  })
})
