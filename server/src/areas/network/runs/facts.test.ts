// Facts are read from what the kernel really prints.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { noFacts } from '../../../core/plan/facts.ts'
import {
  createFactsReader,
  defaultGateways,
  externalInterfaces,
  externalIpv6Interfaces,
  parseCards,
  parseInterfaces,
  parseLease,
  readFacts,
  readLeases,
} from './facts.ts'

const heading = 'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT'
const route = (name: string, destination: string, mask: string): string =>
  `${name}\t${destination}\t017100CB\t0003\t0\t0\t0\t${mask}\t0\t0\t0`

describe('external interfaces', () => {
  it('are those with a default route, each once and in order', () => {
    const table = [
      heading,
      route('wan1', '00000000', '00000000'),
      route('wan0', '00000000', '00000000'),
      route('wan0', '00000000', '00000000'),
      route('lan0', '00000A0A', '00FFFFFF'),
      // Half of the address space, as some VPN clients set it, is not a default route.
      route('tun0', '00000000', '00000080'),
      '',
    ].join('\n')
    assert.deepEqual(externalInterfaces(table), ['wan0', 'wan1'])
  })

  it('have the next hop of their preferred route as gateway', () => {
    const worse = route('wan0', '00000000', '00000000')
      .replace('017100CB', 'FE7100CB')
      .replace('0003\t0\t0\t0', '0003\t0\t0\t9')
    const without = route('ppp0', '00000000', '00000000').replace('017100CB', '00000000')
    const table = [heading, route('wan0', '00000000', '00000000'), worse, without].join('\n')
    assert.deepEqual([...defaultGateways(table)], [['wan0', '203.0.113.1']])
  })

  it('are those with a default route of IPv6, and not those of routes that refuse', () => {
    const zeros = '0'.repeat(32)
    const row = (to: string, prefix: string, flags: string, name: string): string =>
      `${to} ${prefix} ${zeros} 00 fe800000000000000000000000000001 00000400 00000001 00000000 ${flags} ${name.padStart(8)}`
    const table = [
      row(zeros, '00', '00000003', 'wan1'),
      row(zeros, '00', '00450003', 'wan0'),
      row(zeros, '00', '00000203', 'wan2'),
      row(zeros, '01', '00000003', 'tun0'),
      row(`fe80${'0'.repeat(28)}`, '40', '00000001', 'lan0'),
      row(zeros, '00', '00200200', 'lo'),
      '',
    ].join('\n')
    assert.deepEqual(externalIpv6Interfaces(table), ['wan0', 'wan1'])
  })

  it('are absent without a table', () => {
    assert.deepEqual(externalInterfaces(''), [])
    assert.deepEqual(externalIpv6Interfaces(''), [])
  })
})

it('facts keep their identity while nothing changes', () => {
  let external = ['wan0']
  const reader = createFactsReader(() => ({ ...noFacts, externalInterfaces: external }))
  const first = reader.current()
  assert.equal(reader.refresh(), false)
  assert.equal(reader.current(), first)
  external = ['wan0', 'wan1']
  assert.equal(reader.refresh(), true)
  assert.deepEqual(reader.current().externalInterfaces, ['wan0', 'wan1'])
})

it('facts count as changed when the address book is another map, and not when only its owner is asked again', () => {
  let addressBook = new Map([['domain.id.1', ['192.0.2.1']]])
  const reader = createFactsReader(() => ({ ...noFacts, addressBook }))
  assert.equal(reader.refresh(), false)
  addressBook = new Map(addressBook)
  assert.equal(reader.refresh(), true)
})

describe('interfaces', () => {
  const shown = (more: object) => ({
    ifindex: 2,
    ifname: 'eth0',
    flags: ['BROADCAST', 'UP', 'LOWER_UP'],
    operstate: 'UP',
    link_type: 'ether',
    address: '02:00:00:00:00:01',
    addr_info: [],
    ...more,
  })
  const parse = (...links: object[]) => parseInterfaces(JSON.stringify(links))

  it('are known with and without addresses, up or down, but for the loopback device', () => {
    const found = parse(
      shown({ ifname: 'wan0', addr_info: [{ local: '192.0.2.1', prefixlen: 24 }] }),
      shown({ ifname: 'lan0', ifindex: 3, flags: ['BROADCAST'], operstate: 'DOWN', linkinfo: { info_kind: 'veth' } }),
      shown({ ifname: 'lo' }),
    )
    const mac = '02:00:00:00:00:01'
    assert.deepEqual(found, [
      { name: 'lan0', mac, addresses: [], isUp: false, index: 3 },
      { name: 'wan0', mac, addresses: ['192.0.2.1/24'], isUp: true, index: 2, isPlainCard: true },
    ])
  })

  it('are plain cards when they are neither made of others nor a part of one', () => {
    const found = parse(
      shown({ ifname: 'eth0' }),
      shown({ ifname: 'eth1', linkinfo: { info_slave_kind: 'bond', info_slave_data: {} }, master: 'bond0' }),
      shown({ ifname: 'bond0', linkinfo: { info_kind: 'bond' } }),
      shown({ ifname: 'br0', linkinfo: { info_kind: 'bridge' } }),
      shown({ ifname: 'eth0.5', linkinfo: { info_kind: 'vlan' } }),
      shown({ ifname: 'ppp0', link_type: 'ppp' }),
      shown({ ifname: 'gre1', link_type: 'gre', linkinfo: { info_kind: 'gre' } }),
    )
    assert.deepEqual(
      found.flatMap(({ name, isPlainCard }) => (isPlainCard ? [name] : [])),
      ['eth0'],
    )
  })

  it('without a cable are not up', () => {
    assert.equal(parse(shown({ operstate: 'DOWN' }))[0]?.isUp, false)
    assert.equal(parse(shown({ operstate: 'UNKNOWN' }))[0]?.isUp, true)
  })

  it('that are on a card do not have its MAC, and a card in an aggregated interface keeps its own', () => {
    const found = parse(
      shown({ ifname: 'eth0.5', linkinfo: { info_kind: 'vlan' } }),
      shown({ ifname: 'ag1', linkinfo: { info_kind: 'bond' } }),
      shown({ ifname: 'eth1', permaddr: '02:00:00:00:00:02' }),
      // One of a container, which has no address that is built in.
      shown({
        ifname: 'eth2',
        linkinfo: { info_kind: 'veth', info_slave_data: { perm_hwaddr: '02:00:00:00:00:03' } },
      }),
    )
    assert.deepEqual(
      found.map(({ name, mac }) => [name, mac]),
      [
        ['ag1', ''],
        ['eth0.5', ''],
        ['eth1', '02:00:00:00:00:02'],
        ['eth2', '02:00:00:00:00:03'],
      ],
    )
  })

  it('that can be chosen as cards say whether there is a carrier and where they are plugged in', () => {
    const veth = { linkinfo: { info_kind: 'veth' } }
    const cards = parseCards(
      JSON.stringify([
        shown({ ifname: 'eth1', parentbus: 'pci', parentdev: '0000:03:00.0' }),
        shown({ ifname: 'eth2', address: '02:00:00:00:00:02', flags: ['NO-CARRIER', 'UP'], operstate: 'DOWN' }),
        shown({ ifname: 'lan0', address: '02:00:00:00:00:03', flags: ['BROADCAST'], operstate: 'DOWN', ...veth }),
        // Two devices of one MAC: a connection finds the first by name.
        shown({ ifname: 'eth9', address: '02:00:00:00:00:02' }),
        shown({ ifname: 'veth1a2b3c', address: '02:00:00:00:00:04', ...veth }),
        shown({ ifname: 'box', address: '02:00:00:00:00:05', master: 'br0', ...veth }),
        ...['bridge', 'tun', 'vlan', 'bond', 'dummy', 'ifb', 'macvlan'].map((kind, at) =>
          shown({ ifname: kind, address: `02:00:00:00:01:0${at}`, linkinfo: { info_kind: kind } }),
        ),
        shown({ ifname: 'ppp0', link_type: 'ppp', address: undefined }),
        shown({ ifname: 'lo', link_type: 'loopback' }),
      ]),
    )
    assert.deepEqual(cards, [
      { name: 'eth1', mac: '02:00:00:00:00:01', hasCarrier: true, bus: 'pci 0000:03:00.0' },
      { name: 'eth2', mac: '02:00:00:00:00:02', hasCarrier: false, bus: null },
      { name: 'lan0', mac: '02:00:00:00:00:03', hasCarrier: null, bus: null },
    ])
  })
})

describe('a lease', () => {
  const good = { address: '192.0.2.7/24', gateway: '192.0.2.1', dns: ['192.0.2.53'], until: 2000 }
  const now = { unix: 1000, boot: 'this', up: 50 }
  const parse = (more: object) => parseLease('wan0', JSON.stringify({ ...good, ...more }), now)

  it('is a fact as long as it runs', () => {
    const { until: _until, ...rest } = good
    assert.deepEqual(parse({}), { device: 'wan0', ...rest })
    assert.equal(parse({ until: 1000 }), null)
  })

  it('runs by the time since the boot while that lasts, wherever the wall clock jumps', () => {
    for (const until of [0, 1000, 1e12, undefined]) {
      assert.ok(parse({ until, boot: 'this', untilUp: 51 }), String(until))
      assert.equal(parse({ until, boot: 'this', untilUp: 50 }), null, String(until))
    }
    assert.ok(parse({ boot: 'another', untilUp: 1 }))
    assert.equal(parse({ until: 1000, boot: 'another', untilUp: 51 }), null)
    for (const odd of ['51', null, {}, []]) assert.equal(parse({ until: 1000, boot: 'this', untilUp: odd }), null)
  })

  it('with anything but addresses in it loses that, or counts for nothing', () => {
    for (const address of [null, 7, '', '192.0.2.7', '192.0.2.7/33', '192.0.2.7/24; reboot', ['192.0.2.7/24']])
      assert.equal(parse({ address }), null, String(address))
    for (const gateway of [null, 7, '', 'dev lo', '192.0.2.1 dev lo', {}])
      assert.equal(parse({ gateway })?.gateway, null)
    assert.deepEqual(parse({ dns: ['192.0.2.53', 'x', 7, '192.0.2.54', '192.0.2.55', '192.0.2.56'] })?.dns, [
      '192.0.2.53',
      '192.0.2.54',
      '192.0.2.55',
    ])
    assert.deepEqual(parse({ dns: 'x' })?.dns, [])
    for (const text of ['', 'null', '[]', '{"until":', '7']) assert.equal(parseLease('wan0', text, now), null)
  })

  it('is read from files that bear the name of a device', () => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-leases-'))
    try {
      for (const name of [
        'wan0.json',
        '..json',
        '.wan0.json.portcullis-new',
        'a-name-that-is-too-long.json',
        'wan1.txt',
      ])
        writeFileSync(join(folder, name), JSON.stringify(good))
      assert.deepEqual(
        readLeases(folder, now).map(({ device }) => device),
        ['wan0'],
      )
      assert.deepEqual(readLeases(join(folder, 'missing'), now), [])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

it('facts of this machine hold its time zone, the start of the day and its interfaces', (test) => {
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone
  // It would load calendars at every start.
  test.mock.method(Intl, 'DateTimeFormat', () => assert.fail('Intl was asked'))
  const facts = readFacts({
    stateDir: '/nonexistent',
    addressBook: () => noFacts.addressBook,
    devices: () => null,
    agentPort: null,
    clock: { boot: 'this', elapsed: () => 50 },
    now: () => 86_400_000 * 3 + 5,
  })
  assert.equal(facts.scheduleDay, 86_400 * 3)
  assert.equal(facts.timeZone, timeZone)
  assert.ok(facts.interfaces.every(({ name, index }) => name !== 'lo' && index >= 0))
})
