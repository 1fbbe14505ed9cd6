// The drawn path of the tracer, and the packet in the address.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bodyOfPacket,
  emptyPacket,
  isName,
  packetFaults,
  packetFromSearch,
  searchOfPacket,
  splitEnd,
} from './packet.ts'
import { type Explanation, plainReason, readPath } from './path.ts'

const step = (stage: string, rest: object = {}) => ({
  stage,
  text: `${stage}.`,
  rule: null,
  passed: [],
  passed_count: 0,
  ...rest,
})
const mention = (id: number) => ({ table: 'forward' as const, id, origin: `firewall.forward[${id}]` })

const refused: Explanation = {
  source: '10.1.2.9',
  source_user: null,
  destination_user: null,
  verdict: 'drop',
  is_marked: false,
  steps: [step('hardware_filter'), step('log_marks'), step('dnat')],
  outcomes: [
    {
      destination: '198.51.100.10',
      destination_port: '8080',
      path: 'forward',
      outgoing_interface: 'wan0',
      verdict: 'drop',
      decided_by: 'firewall.forward[42]',
      new_source: null,
      inspection: null,
      steps: [
        step('routing'),
        step('forward', {
          rule: mention(42),
          passed: [{ ...mention(41), field: 'destination_ports', reason: 'x' }],
          passed_count: 41,
        }),
      ],
      logged: [],
    },
  ],
  is_complete: true,
  incomplete_because: [],
}

/** The rule with the id 42 is the sixth. */
const numberOf = (_: string, id: number | string): number | null => (String(id) === '42' ? 6 : null)

test('a refused packet stops at the table that refuses it', () => {
  const path = readPath(refused, numberOf)
  assert.equal(path.verdict, 'drop')
  assert.deepEqual(path.decidedBy, {
    words: 'FORWARD 6',
    path: 'policy/rules/forward/42',
    rule: { table: 'forward', id: 42 },
  })
  assert.deepEqual(
    path.stations.map(({ stage, state, short }) => [stage, state, short]),
    [
      ['hardware_filter', 'passed', 'pass'],
      ['log_marks', 'passed', 'none'],
      ['dnat', 'passed', 'none'],
      ['routing', 'passed', 'wan0'],
      ['access_lists', 'off', 'off'],
      ['forward', 'refused', 'rule 6'],
      ['snat', 'skipped', 'not reached'],
    ],
  )
  assert.equal(path.earlierCount, 41)
})

test('a packet for the gateway has neither access lists nor SNAT', () => {
  const [outcome] = refused.outcomes
  assert.ok(outcome)
  const path = readPath(
    {
      ...refused,
      verdict: 'accept',
      outcomes: [
        { ...outcome, path: 'input', verdict: 'accept', decided_by: null, steps: [step('routing'), step('input')] },
      ],
    },
    numberOf,
  )
  assert.deepEqual(
    path.stations.map(({ stage }) => stage),
    ['hardware_filter', 'log_marks', 'dnat', 'routing', 'input'],
  )
  assert.deepEqual(path.stations.at(-1)?.state, 'accepted')
  assert.equal(path.decidedBy.path, null)
})

test('the hardware filter decides alone', () => {
  const path = readPath({ ...refused, steps: [step('hardware_filter')], outcomes: [] }, numberOf)
  assert.equal(path.stations[0]?.state, 'refused')
  assert.equal(path.decidedBy.path, 'policy/hardware-filter')
  assert.ok(path.stations.slice(1).every(({ state }) => state === 'skipped'))
})

test('a packet goes into the address and comes back', () => {
  const packet = {
    ...emptyPacket,
    source: '10.1.2.9',
    destination: '198.51.100.10',
    destinationPort: '8080',
    incoming: 'zone.id.1',
  }
  assert.deepEqual(searchOfPacket(packet), { p: 'tcp', s: '10.1.2.9', d: '198.51.100.10:8080', in: 'zone.id.1' })
  assert.deepEqual(packetFromSearch(searchOfPacket(packet)), packet)
  assert.deepEqual(packetFromSearch({ p: 'evil', s: '[2001:db8::1]:5' }).source, '2001:db8::1')
  assert.deepEqual(splitEnd('2001:db8::1'), { address: '2001:db8::1', port: '' })
})

test('a packet is checked before it is sent', () => {
  assert.deepEqual(
    [...packetFaults(emptyPacket)],
    [
      ['source', 'needed'],
      ['destination', 'needed'],
    ],
  )
  assert.deepEqual(
    [...packetFaults({ ...emptyPacket, source: 'x', destination: 'www.example.com', destinationPort: '70000' })],
    [
      ['source', 'address'],
      ['destinationPort', 'port'],
    ],
  )
  assert.ok(isName('www.example.com') && !isName('10.0.0.1') && !isName('web'))
  assert.deepEqual(
    bodyOfPacket({ ...emptyPacket, protocol: 'icmp', source: 'user.id.3', destination: 'x' }, '192.0.2.1', null),
    {
      user: 'user.id.3',
      destination: '192.0.2.1',
      protocol: 'icmp',
      incoming_interface: null,
    },
  )
})

test('reasons are said with the titles of fields and objects', () => {
  assert.equal(
    plainReason('The destination port 8080 is not in destination_ports (port_list.id.1 "Web").'),
    'The destination port 8080 is not in Destination ports (“Web”).',
  )
})
