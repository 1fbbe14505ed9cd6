import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ruleIn, samplePacket, withRules } from '../../../test/support/policy-samples.ts'
import { routingIn, sampleWorld } from '../../../test/support/random-policy.ts'
import { parseAddress } from '../../shared/net/ipv4.ts'
import { evaluate } from './evaluate.ts'
import { type Describe, type Explanation, explain } from './explain.ts'
import { type Action, emptyPolicy, type Policy } from './model.ts'

const address = (text: string): number => parseAddress(text) as number
const one = (text: string) => ({ key: 'a', ranges: [address(text), address(text)], isNegated: false })

function ask(policy: Partial<Policy>, describe?: Describe, question = samplePacket): Explanation {
  const whole = { ...emptyPolicy, externalDevices: ['wan0'], ...policy }
  return explain(evaluate(whole, question, routingIn(sampleWorld)), question, describe)
}

const rulesOf = (rules: Partial<Policy['rules']>): Partial<Policy> => ({ rules: withRules(rules).rules })
const textOf = ({ steps, outcomes }: Explanation) =>
  [...steps, ...(outcomes[0]?.steps ?? [])].map(({ stage, text }) => `${stage}: ${text}`)

test('each stage of the way is reported in a sentence', () => {
  const policy = {
    ...rulesOf({
      log: [ruleIn('log', 4, { kind: 'mark', isLogged: true })],
      dnat: [
        ruleIn('dnat', 5, { kind: 'dnat', addresses: [address('192.0.2.20'), address('192.0.2.23')], ports: [80, 80] }),
      ],
      forward: [ruleIn('forward', 7, { kind: 'accept' })],
    }),
    loggedActions: ['dnat', 'drop'] as const,
  }
  const said = ask(policy)
  assert.deepEqual(textOf(said), [
    'hardware_filter: No hardware filter drops the packet.',
    'log_marks: Logging rule 4 is the last that matches: the connection is logged.',
    'dnat: DNAT rule 5 translates: the destination becomes one of 192.0.2.20-192.0.2.23 and the port becomes 80.',
    'routing: The route to one of 192.0.2.20-192.0.2.23 goes out of wan0.',
    'forward: FORWARD rule 7 accepts the packet.',
    'snat: Automatic SNAT: the source becomes the address of wan0.',
  ])
  const [outcome] = said.outcomes
  assert.equal(said.verdict, 'accept')
  assert.deepEqual(
    [outcome?.destination, outcome?.destination_port, outcome?.decided_by, outcome?.new_source],
    ['192.0.2.20/30', '80', 'firewall.forward[7]', 'interface'],
  )
  assert.deepEqual(outcome?.logged, [{ table: 'DNAT', id: 5, action: 'dnat' }])
})

test('for every rule that was passed over the first field that did not match is named', () => {
  const drop: Action = { kind: 'drop' }
  const time = sampleWorld.now
  const forward = [
    ruleIn('forward', 1, drop, { protocol: 'udp', destination: one('8.8.8.8') }),
    ruleIn('forward', 2, drop, { source: one('10.66.0.12') }),
    ruleIn('forward', 3, drop, { source: { ...one('10.66.0.11'), isNegated: true } }),
    ruleIn('forward', 4, drop, { incoming: { key: 'i', devices: ['lan1'] } }),
    ruleIn('forward', 5, drop, { destination: one('192.0.2.11') }),
    ruleIn('forward', 6, drop, { protocol: 'tcp', destinationPorts: { key: 'p', ranges: [80, 80] } }),
    ruleIn('forward', 7, drop, { outgoing: { key: 'o', devices: ['dmz0'] } }),
    ruleIn('forward', 8, drop, { holders: one('10.66.0.12') }),
    ruleIn('forward', 9, drop, { times: { key: 't', ranges: [time + 1, time + 9] } }),
    ruleIn('forward', 10, drop),
    ruleIn('forward', 11, drop),
  ]
  const describe: Describe = ({ id }) => (id === 5 ? 'ip.id.3 "Web server"' : '')
  const said = ask(rulesOf({ forward }), describe)
  const step = said.outcomes[0]?.steps.find(({ stage }) => stage === 'forward')
  assert.equal(said.verdict, 'drop')
  assert.equal(step?.rule?.id, 10)
  assert.deepEqual(
    step?.passed.map(({ id, reason }) => `${id}: ${reason}`),
    [
      '1: The protocol is tcp, not udp.',
      '2: The source 10.66.0.11 is not in source_addresses.',
      '3: The source 10.66.0.11 is in source_addresses, which is excepted.',
      '4: The packet comes in through lan0, which is not in incoming_interface.',
      '5: The destination 192.0.2.10 is not in destination_addresses (ip.id.3 "Web server").',
      '6: The destination port 443 is not in destination_ports.',
      '7: The packet leaves through wan0, which is not in outgoing_interface.',
      '8: The device with the address 10.66.0.11 has none of hip_profiles.',
      '9: The time of the packet is outside timetable.',
    ],
  )
})

test('what is blocked, filtered, denied, unroutable or for the gateway itself is reported as such', () => {
  assert.match(textOf(ask({ isBlocked: true })).at(-1) ?? '', /^forward: Everything .* blocked/)
  const hardware = { mode: 'src-ip', entries: [address('10.66.0.11')] } as const
  assert.deepEqual(textOf(ask({ hardware, devices: ['lan0'] })), [
    'hardware_filter: The hardware filter (src-ip) drops the packet as it arrives.',
  ])
  const access = { bindings: [], isAllowedByDefault: false, isLogged: true }
  const denied = ask({ access })
  assert.match(textOf(denied).at(-1) ?? '', /^access_lists: No entry .* the default denies the packet\.$/)
  assert.equal(denied.outcomes[0]?.decided_by, 'firewall.acl_state')
  assert.deepEqual(denied.outcomes[0]?.logged, [{ table: 'ACL', id: null, action: 'deny' }])
  const own = ask({}, undefined, { ...samplePacket, destination: '10.66.0.1' })
  assert.deepEqual(textOf(own).slice(-2), [
    'routing: The packet is for the gateway itself (10.66.0.1).',
    'input: No INPUT rule matches: the packet is accepted by default.',
  ])
})

test('of ten thousand rules passed over the last thousand are reported, with the number of all', () => {
  const forward = Array.from({ length: 10_000 }, (_, id) =>
    ruleIn('forward', id, { kind: 'drop' }, { protocol: 'udp' }),
  )
  const step = ask(rulesOf({ forward })).outcomes[0]?.steps.find(({ stage }) => stage === 'forward')
  assert.deepEqual([step?.passed.length, step?.passed[0]?.id, step?.passed_count], [1000, 9000, 10_000])
})
