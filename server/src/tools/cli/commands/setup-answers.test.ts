import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Answers,
  bodyOf,
  cardOfConnection,
  faultsOf,
  optionOf,
  portFromOutside,
  questions,
} from './setup-answers.ts'
import { cardsOf, type Machine, nameServersIn, parseConnection } from './setup-machine.ts'

const shown = JSON.stringify([
  { ifindex: 1, ifname: 'lo', flags: ['UP'], operstate: 'UNKNOWN', link_type: 'loopback', addr_info: [] },
  {
    ifindex: 2,
    ifname: 'eth0',
    flags: ['UP'],
    operstate: 'UP',
    link_type: 'ether',
    address: '02:00:00:00:00:01',
    addr_info: [
      { family: 'inet', local: '203.0.113.9', prefixlen: 24, dynamic: true },
      { family: 'inet6', local: 'fe80::1', prefixlen: 64 },
    ],
  },
  {
    ifindex: 3,
    ifname: 'eth1',
    flags: [],
    operstate: 'DOWN',
    link_type: 'ether',
    address: '02:00:00:00:00:02',
    addr_info: [],
  },
  {
    ifindex: 4,
    ifname: 'br0',
    flags: [],
    operstate: 'DOWN',
    link_type: 'ether',
    address: '02:00:00:00:00:02',
    linkinfo: { info_kind: 'bridge' },
    addr_info: [],
  },
])
const routes =
  'Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\neth0\t00000000\t017100CB\t3\t0\t0\t0\t00000000\n'
const cards = cardsOf(shown, routes, (name) => (name === 'eth0' ? '1' : ''))
const machine: Machine = { cards, connection: null, dns: ['192.0.2.53'] }
const good: Answers = {
  outside: 'eth0',
  'outside-address': '203.0.113.2/24',
  gateway: '203.0.113.1',
  inside: 'eth1',
  'inside-address': '10.10.0.1/24',
}

test('cards are what can have a connection, with carrier, IPv4 addresses and default route', () => {
  assert.deepEqual(cards, [
    {
      name: 'eth0',
      mac: '02:00:00:00:00:01',
      hasCarrier: true,
      addresses: ['203.0.113.9/24'],
      isDynamic: true,
      addresses6: ['fe80::1/64'],
      gateway: '203.0.113.1',
    },
    {
      name: 'eth1',
      mac: '02:00:00:00:00:02',
      hasCarrier: false,
      addresses: [],
      isDynamic: false,
      gateway: null,
      addresses6: [],
    },
  ])
})

test('the card of a connection is found by its address here', () => {
  const over = (text: string) => cardOfConnection({ ...machine, connection: parseConnection(text) })?.name ?? null
  assert.equal(over('198.51.100.7 50000 203.0.113.9 22'), 'eth0')
  assert.equal(over('::ffff:198.51.100.7 50000 ::ffff:203.0.113.9 22'), 'eth0')
  assert.equal(over('fe80::7%eth0 50000 fe80::1%eth0 22'), 'eth0')
  assert.equal(over('10.0.0.7 50000 10.0.0.9 22'), null)
  assert.equal(over(''), null)
  assert.equal(parseConnection(undefined), null)
})

test('the port of SSH is kept for a connection over the card outside, and for no other', () => {
  const through = (text: string | undefined, answers = good) =>
    portFromOutside(answers, { ...machine, connection: parseConnection(text) })
  assert.equal(through('198.51.100.7 50000 203.0.113.9 2222'), 2222)
  assert.equal(through('198.51.100.7 50000 203.0.113.9 22', { ...good, outside: 'eth1', inside: 'eth0' }), null)
  assert.equal(through('10.0.0.7 50000 10.0.0.9 22'), null)
  assert.equal(through(undefined), null)
  for (const port of ['', '0', '65536', '-1', '22x', '1e3'])
    assert.equal(through(`198.51.100.7 50000 203.0.113.9 ${port}`), null)
  assert.equal(bodyOf(good, machine, 2222).keep_ssh_port, 2222)
})

test('DNS servers on the machine itself are not proposed', () => {
  assert.deepEqual(
    nameServersIn('# x\nnameserver 127.0.0.53\nnameserver 192.0.2.1\nnameserver ::1\nnameserver 192.0.2.2\n'),
    ['192.0.2.1', '192.0.2.2'],
  )
})

test('every fault names its option and the reason', () => {
  const cases: [Answers, string, RegExp][] = [
    [{ ...good, outside: 'eth7' }, 'outside', /There is no card "eth7"\. Cards: eth0, eth1\./],
    [{ ...good, 'outside-address': '203.0.113.2' }, 'outside-address', /prefix of its network.*or dhcp, not "203/],
    [{ ...good, 'outside-address': '203.0.113.0/24' }, 'outside-address', /network itself/],
    [{ ...good, 'outside-address': '127.0.0.1/8' }, 'outside-address', /cannot have this address/],
    [{ ...good, gateway: '192.0.2.1' }, 'gateway', /inside a network of this interface/],
    [{ ...good, gateway: '203.0.113.2' }, 'gateway', /must be another machine/],
    [{ ...good, gateway: 'router' }, 'gateway', /Must be an IPv4 address or none, not "router"/],
    [{ ...good, 'outside-address': 'dhcp' }, 'gateway', /With dhcp the provider names/],
    [{ ...good, dns: '192.0.2.1,x' }, 'dns', /"x" is not an IPv4 address/],
    [{ ...good, dns: '192.0.2.1,192.0.2.2,192.0.2.3' }, 'dns', /At most two/],
    [{ ...good, inside: 'eth0' }, 'inside', /must be different/],
    [{ ...good, 'inside-address': '203.0.113.200/28' }, 'inside-address', /overlaps with 203\.0\.113\.2\/24/],
    [{ ...good, 'dhcp-range': '10.10.0.5' }, 'dhcp-range', /Must be a range/],
    [{ ...good, 'dhcp-range': '10.10.0.9-10.10.0.5' }, 'dhcp-range', /Must be a range/],
    [{ ...good, 'dhcp-range': '10.10.1.5-10.10.1.9' }, 'dhcp-range', /not inside the network of 10\.10\.0\.1\/24/],
    [{ ...good, 'inside-address': '10.10.0.1/16', 'dhcp-range': '10.10.0.5-10.10.3.9' }, 'dhcp-range', /at most 256/],
  ]
  assert.deepEqual(faultsOf(good, machine), [])
  for (const [given, option, message] of cases) {
    const faults = faultsOf(given, machine)
    assert.deepEqual(
      faults.map((fault) => fault.option),
      [option],
      JSON.stringify(given),
    )
    assert.match(faults[0]?.message ?? '', message)
  }
})

test('all missing options are named at once, and those with a default are none of them', () => {
  assert.deepEqual(
    faultsOf({}, machine).map(({ option, message }) => `${option} ${message}`),
    ['outside', 'outside-address', 'inside', 'inside-address'].map((option) => `${option} This option is missing.`),
  )
  assert.deepEqual(
    faultsOf({ outside: 'eth0', 'outside-address': '203.0.113.2/24' }, machine).map(({ option }) => option),
    ['gateway', 'inside', 'inside-address'],
  )
  const { gateway: _, ...others } = good
  assert.deepEqual(faultsOf({ ...others, 'outside-address': 'dhcp' }, machine), [])
})

test('what is proposed is accepted, question after question', () => {
  const walk = (where: Machine): Answers => {
    let answers: Answers = {}
    for (const { option, proposal, faultOf, isAsked } of questions) {
      if (isAsked?.(answers) === false) continue
      const text = proposal(where, answers) ?? assert.fail(`nothing is proposed for ${option}`)
      assert.equal(faultOf(text, where, answers), null, `${option} ${text}`)
      answers = { ...answers, [option]: text }
    }
    return answers
  }
  assert.deepEqual(walk(machine), {
    outside: 'eth0',
    'outside-address': 'dhcp',
    dns: '192.0.2.53',
    inside: 'eth1',
    'inside-address': '192.168.1.1/24',
    'dhcp-range': 'none',
  })
  const fixed = cards.map((card) => ({ ...card, isDynamic: false }))
  assert.deepEqual(
    { ...walk({ ...machine, cards: fixed, dns: [] }) },
    {
      outside: 'eth0',
      'outside-address': '203.0.113.9/24',
      gateway: '203.0.113.1',
      dns: 'none',
      inside: 'eth1',
      'inside-address': '192.168.1.1/24',
      'dhcp-range': 'none',
    },
  )
})

test('the call has what was answered', () => {
  assert.deepEqual(bodyOf({ ...good, dns: '192.0.2.1, 192.0.2.2' }, machine, null), {
    outside: {
      mac: '02:00:00:00:00:01',
      enable_dhcp: false,
      addresses: ['203.0.113.2/24'],
      gateway: '203.0.113.1',
      dns: ['192.0.2.1', '192.0.2.2'],
    },
    inside: { mac: '02:00:00:00:00:02', addresses: ['10.10.0.1/24'] },
    keep_ssh_port: null,
  })
  assert.deepEqual(bodyOf({ ...good, 'outside-address': 'dhcp' }, machine, null).outside, {
    mac: '02:00:00:00:00:01',
    enable_dhcp: true,
    addresses: [],
    gateway: null,
    dns: [],
  })
})

test('fields of the call are named by the option they come from', () => {
  assert.deepEqual(
    ['outside.mac', 'outside.addresses[0]', 'outside.gateway', 'outside.dns[1]', 'inside.addresses', 'dhcp.x'].map(
      optionOf,
    ),
    ['outside', 'outside-address', 'gateway', 'dns', 'inside-address', null],
  )
})
