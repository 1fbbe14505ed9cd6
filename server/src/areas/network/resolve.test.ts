// Names of interfaces lead to devices, and the gateway knows its own addresses.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  bond,
  bondId,
  both,
  configOf,
  facts,
  lan,
  loopback,
  pppoe,
  tunnel,
  tunnelId,
  wan,
} from '../../../test/support/network-samples.ts'
import type { Config } from '../../core/model/slots.ts'
import type { Facts } from '../../core/plan/facts.ts'
import { parseAddress } from '../../shared/net/ipv4.ts'
import { devicesOf, externalDevices, isInterfaceAlias, ownAddresses, tunnelServices } from './resolve.ts'

describe('names of interfaces', () => {
  it('lead to devices by the MAC of the card', () => {
    assert.deepEqual(devicesOf(both, facts, 'interface.id.1'), ['lan0'])
    assert.deepEqual(devicesOf(both, facts, 'interface.external_any'), ['wan0'])
    assert.deepEqual(devicesOf(both, facts, 'interface.external_eth'), ['wan0'])
    assert.deepEqual(devicesOf(both, facts, 'interface.local_any'), ['lan0'])
    assert.deepEqual(devicesOf(both, facts, 'interface.ipsec_any'), [])
    assert.deepEqual(devicesOf(both, facts, 'interface.id.9'), [])
    const gone = configOf({ connections: [{ ...lan, mac: '02:00:00:00:00:99' }] })
    assert.deepEqual(devicesOf(gone, facts, 'interface.id.1'), [])
  })

  it('lead through VLANs, aggregated interfaces, provider tunnels and GRE tunnels', () => {
    const config = configOf({
      connections: [
        { ...lan, vlan_tag: 5 },
        { ...wan, mac: bondId },
        { ...lan, id: 5, mac: bondId, vlan_tag: 4000 },
        pppoe,
        loopback,
      ],
      aggregated: [bond],
      tunnels: [tunnel],
    })
    const devices = (alias: string) => devicesOf(config, facts, alias)
    assert.deepEqual(devices('interface.id.1'), ['lan0.5'])
    assert.deepEqual(devices('interface.id.2'), ['aga1b2c3d4'])
    assert.deepEqual(devices('interface.id.5'), ['aga1b2c3d4.4000'])
    assert.deepEqual(devices('interface.id.3'), ['Eppp3'])
    assert.deepEqual(devices('interface.external_vpn'), ['Eppp3'])
    assert.deepEqual(devices('interface.external_any'), ['aga1b2c3d4', 'Eppp3', 'eth2', 'wan0'])
    assert.deepEqual(devices('interface.id.4'), ['Oloopback4'])
    assert.deepEqual(devices('interface.tunnel_any'), ['Gre00000001'])
    assert.deepEqual(devices(`interface.tunnel.${tunnelId}`), ['Gre00000001'])
  })

  it('of zones gather their members', () => {
    const zone = 'zone.id.1'
    const config = configOf({ connections: [{ ...lan, zone }, wan], tunnels: [{ ...tunnel, zone }], zones: [zone] })
    assert.deepEqual(devicesOf(config, facts, zone), ['lan0', 'Gre00000001'])
    assert.deepEqual(devicesOf(config, facts, 'zone.id.2'), [])
    assert.ok(isInterfaceAlias(config, zone))
    assert.ok(!isInterfaceAlias(config, 'zone.id.2'))
  })

  it('that exist are known, and no others', () => {
    for (const alias of ['interface.id.1', 'interface.external_any', 'interface.utm_outgoing'])
      assert.ok(isInterfaceAlias(both, alias), alias)
    for (const alias of ['interface.id.9', 'interface.tunnel.x', 'interface.anything', 'any', ''])
      assert.ok(!isInterfaceAlias(both, alias), alias)
  })

  it('stay the same values while nothing changes', () => {
    const again: Config = { ...both, other: 1 }
    assert.equal(devicesOf(both, facts, 'interface.id.1'), devicesOf(again, facts, 'interface.id.1'))
    assert.equal(ownAddresses(both, facts), ownAddresses(again, facts))
  })

  it('mean what the machine shows before anything is configured', () => {
    assert.deepEqual(externalDevices({}, facts), ['wan0'])
    assert.deepEqual(devicesOf({}, facts, 'interface.local_any'), ['lan0', 'eth2'])
  })
})

describe('who comes from a provider', () => {
  const external = (parts: Parameters<typeof configOf>[0], given: Partial<Facts> = {}): readonly string[] =>
    externalDevices(configOf(parts), { ...facts, externalInterfaces: [], ...given })

  it('over a device without a connection, such as a bridge, is outside when a default route leads there', () => {
    for (const device of ['br0', 'ppp0', 'wan0'])
      assert.deepEqual(external({ connections: [lan] }, { externalInterfaces: [device] }), [device])
    assert.deepEqual(external({ connections: [lan] }), [])
  })

  it('over IPv6 alone is outside', () => {
    assert.deepEqual(external({ connections: [lan] }, { externalIpv6Interfaces: ['six0'] }), ['six0'])
    assert.deepEqual(external({}, { externalIpv6Interfaces: ['six0'] }), ['six0'])
    assert.deepEqual(external({}, { externalIpv6Interfaces: ['lan0'] }), ['lan0'])
  })

  it('is not everyone in a local network because a host there announces itself as a router of IPv6', () => {
    const routed = { externalInterfaces: ['wan0'], externalIpv6Interfaces: ['lan0'] }
    assert.deepEqual(external({}, routed), ['wan0'])
    assert.deepEqual(external({ connections: [wan] }, routed), ['wan0'])
  })

  it('sends plain packets to the card below a VLAN or a PPP connection is outside', () => {
    assert.deepEqual(external({ connections: [lan, { ...wan, vlan_tag: 7 }] }), ['wan0.7', 'wan0'])
    assert.deepEqual(external({ connections: [lan, { ...pppoe, vlan_tag: 7 }] }), ['Eppp3', 'eth2.7', 'eth2'])
  })

  it('is inside where an administrator says so', () => {
    assert.deepEqual(external({ connections: [lan] }, { externalInterfaces: ['lan0'] }), [])
    assert.deepEqual(external({ connections: [lan, { ...wan, mac: lan.mac, vlan_tag: 7 }] }), ['lan0.7'])
    const routed = { externalInterfaces: [tunnel.osdevname] }
    assert.deepEqual(external({ connections: [wan], tunnels: [tunnel] }, routed), ['wan0'])
  })
})

describe('tunnels', () => {
  const peersOf = (parts: Parameters<typeof configOf>[0]) =>
    tunnelServices(configOf(parts), facts).flatMap(({ name, protocol, peers }) => [name, protocol, ...(peers ?? [])])

  it('are open from outside to their peers while they are enabled', () => {
    const other = { ...tunnel, id: 'c1', server: '198.51.100.6' }
    const peer = parseAddress(tunnel.server) ?? 0
    assert.deepEqual(peersOf({ connections: [wan], tunnels: [tunnel] }), ['tunnel', 'gre', peer])
    assert.deepEqual(peersOf({ connections: [wan], tunnels: [tunnel, other] }), ['tunnel', 'gre', peer - 1, peer])
    assert.deepEqual(peersOf({ connections: [wan], tunnels: [{ ...tunnel, enabled: false }] }), [])
    assert.deepEqual(peersOf({ connections: [lan], tunnels: [tunnel] }), [], 'nor without their own interface')
  })
})

describe('own addresses', () => {
  it('are the wanted ones on managed devices and the found ones on others', () => {
    const number = (text: string) => text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
    const config = configOf({ connections: [{ ...lan, addresses: ['10.20.0.1/24'] }] })
    assert.deepEqual(ownAddresses(config, facts), [number('10.20.0.1'), number('203.0.113.2')])
    assert.deepEqual(ownAddresses(configOf({ connections: [{ ...lan, enabled: false }] }), facts), [
      number('203.0.113.2'),
    ])
    // A VLAN that the kernel could not make has no address.
    const tagged = configOf({ connections: [{ ...lan, vlan_tag: 5, addresses: ['10.5.0.1/24'] }] })
    assert.ok(!ownAddresses(tagged, facts).includes(number('10.5.0.1')))
  })
})
