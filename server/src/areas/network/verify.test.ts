// What is refused between interfaces, and which objects they name.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  bond,
  bondId,
  configOf,
  freeMac,
  lan,
  lanMac,
  loopback,
  type Parts,
  pppoe,
  span,
  tunnel,
  tunnelId,
  vce,
  wan,
} from '../../../test/support/network-samples.ts'
import { type Config, read, write } from '../../core/model/slots.ts'
import { createPlanner } from '../../core/plan/planner.ts'
import { settings as vpnSettings } from '../vpn/config.ts'
import { vpn } from '../vpn/index.ts'
import type { Connection } from './config.ts'
import { network } from './index.ts'

const { verify } = createPlanner([network])
const { verify: verifyVpn } = createPlanner([vpn])

describe('the rules between interfaces', () => {
  const fieldsOf = (parts: Parts) => verify(configOf(parts)).map(({ field }) => field)

  it('are met by what belongs together', () => {
    const zone = 'zone.id.1'
    const everything: Parts = {
      connections: [{ ...lan, zone }, wan, loopback, { ...lan, id: 5, vlan_tag: 5, addresses: ['10.5.0.1/24'] }],
      aggregated: [bond],
      tunnels: [tunnel],
      zones: [zone],
    }
    assert.deepEqual(verify(configOf(everything)), [])
    assert.deepEqual(fieldsOf({ connections: [lan], spans: [span] }), [])
    assert.deepEqual(fieldsOf({ connections: [{ ...wan, enable_dhcp: true, addresses: [], gateway: null }] }), [])
  })

  const other = { ...lan, id: 5, mac: freeMac, title: 'Other', addresses: ['10.11.0.1/24'] }
  const rows: [title: string, parts: Parts, fields: string[]][] = [
    ['two untagged on one card', { connections: [lan, { ...other, mac: lanMac }] }, ['1].mac', '5].mac']],
    [
      'one tag twice on one card',
      {
        connections: [
          { ...lan, vlan_tag: 5 },
          { ...other, mac: lanMac, vlan_tag: 5 },
        ],
      },
      ['1].vlan_tag', '5].vlan_tag'],
    ],
    ['no address without DHCP', { connections: [{ ...lan, addresses: [] }] }, ['1].addresses']],
    ['a loopback without address', { connections: [{ ...loopback, addresses: [] } as Connection] }, ['4].addresses']],
    [
      'one address twice',
      { connections: [lan, { ...other, addresses: ['10.10.0.1/30'] }] },
      ['1].addresses[0]', '5].addresses[0]'],
    ],
    [
      'the address of one that is off',
      { connections: [lan, { ...other, enabled: false, addresses: ['10.10.0.1/24'] }] },
      ['1].addresses[0]', '5].addresses[0]'],
    ],
    [
      'overlapping networks',
      { connections: [lan, { ...other, addresses: ['10.10.0.9/16'] }] },
      ['1].addresses[0]', '5].addresses[0]'],
    ],
    [
      'one address twice in itself',
      { connections: [{ ...lan, addresses: ['10.10.0.1/24', '10.10.0.1/16'] }] },
      ['1].addresses[1]'],
    ],
    ['the network as address', { connections: [{ ...lan, addresses: ['10.10.0.0/24'] }] }, ['1].addresses[0]']],
    ['the broadcast address', { connections: [{ ...lan, addresses: ['10.10.0.255/24'] }] }, ['1].addresses[0]']],
    ['loopback addresses', { connections: [{ ...lan, addresses: ['127.0.0.1/8'] }] }, ['1].addresses[0]']],
    ['multicast addresses', { connections: [{ ...lan, addresses: ['224.0.0.5/24'] }] }, ['1].addresses[0]']],
    ['a gateway elsewhere', { connections: [{ ...wan, gateway: '192.0.2.1' }] }, ['2].gateway']],
    ['itself as gateway', { connections: [{ ...wan, gateway: '203.0.113.2' }] }, ['2].gateway']],
    ['the broadcast address as gateway', { connections: [{ ...wan, gateway: '203.0.113.255' }] }, ['2].gateway']],
    ['a field of another type', { connections: [{ ...lan, login: 'me' } as Connection] }, ['1].login']],
    ['a missing field', { connections: [{ ...pppoe, password: undefined } as unknown as Connection] }, ['3].password']],
    ['a tag on a loopback', { connections: [{ ...loopback, vlan_tag: 5 } as Connection] }, ['4].vlan_tag']],
    ['an unknown zone', { connections: [{ ...lan, zone: 'zone.id.7' }] }, ['1].zone']],
    ['an unknown aggregated interface', { connections: [{ ...lan, mac: bondId }] }, ['1].mac']],
    [
      'a card passed into a virtual environment',
      { connections: [{ ...lan, mac: freeMac }], vce: [vce] },
      ['1].mac', 'v].mac'],
    ],
    [
      'a tag passed into a virtual environment',
      { connections: [{ ...lan, mac: freeMac, vlan_tag: 5 }], vce: [{ ...vce, vlan_tag: 5 }] },
      ['1].vlan_tag', 'v].mac'],
    ],
    ['a mirror on a card in use', { connections: [lan], spans: [{ ...span, mac: lanMac }] }, ['1].mac', 's].mac']],
    [
      'a mirror of a provider tunnel',
      {
        connections: [pppoe],
        spans: [{ ...span, mac: lanMac, monitor_interfaces: ['interface.id.3', 'interface.vpn_traffic'] }],
      },
      ['s].monitor_interfaces[0]'],
    ],
    [
      'two aggregated interfaces with one card',
      { aggregated: [bond, { ...bond, id: 'other' }] },
      [`${bondId}].nics[0]`, 'other].nics[0]'],
    ],
    ['a tunnel without parent', { tunnels: [tunnel] }, [`${tunnelId}].parent_interface`]],
    [
      'one pair of parent and server twice',
      { connections: [wan], tunnels: [tunnel, { ...tunnel, id: 'x', addresses: [] }] },
      [`${tunnelId}].server`, 'x].server'],
    ],
    [
      'a source that the parent does not have',
      { connections: [wan], tunnels: [{ ...tunnel, local_ip: '192.0.2.9' }] },
      [`${tunnelId}].local_ip`],
    ],
    [
      'the gateway itself as server',
      { connections: [wan], tunnels: [{ ...tunnel, server: '203.0.113.2' }] },
      [`${tunnelId}].server`],
    ],
  ]
  for (const [title, parts, expected] of rows)
    it(`refuse ${title}`, () => {
      assert.deepEqual(
        fieldsOf(parts).map((field) => field.replace(/^network\.\w+\[/, '')),
        expected,
      )
    })

  it('refuse servers that are this machine or no host', () => {
    for (const server of [
      '127.0.0.1',
      '0.0.0.0',
      '169.254.1.1',
      '224.0.0.1',
      '255.255.255.255',
      'localhost',
      'a.LOCALHOST',
    ])
      assert.deepEqual(fieldsOf({ connections: [wan], tunnels: [{ ...tunnel, server }] }), [
        `network.tunnels[${tunnelId}].server`,
      ])
  })

  it('allow 64 interfaces in a zone and not one more', () => {
    const zone = 'zone.id.1'
    const many = (count: number) =>
      Array.from({ length: count }, (_, i) => ({
        ...lan,
        id: i + 1,
        zone,
        vlan_tag: i + 1,
        addresses: [`10.${i}.0.1/24`],
      }))
    assert.deepEqual(fieldsOf({ connections: many(64), zones: [zone] }), [])
    assert.equal(fieldsOf({ connections: many(65), zones: [zone] })[0], 'network.connections[1].zone')
    const withVpn = (count: number): Config => {
      const config = configOf({ connections: many(count), zones: [zone] })
      return write(config, vpnSettings, { ...read(config, vpnSettings), zone })
    }
    assert.deepEqual(verifyVpn(withVpn(63)), [])
    assert.deepEqual(
      verifyVpn(withVpn(64)).map(({ field }) => field),
      ['vpn.settings.zone'],
    )
  })
})

it('reports mentions of zones, parents, mirrored interfaces and aggregated interfaces', () => {
  const config = configOf({
    connections: [
      { ...lan, zone: 'zone.id.1' },
      { ...wan, mac: bondId },
    ],
    tunnels: [tunnel],
    spans: [span],
  })
  assert.deepEqual(
    (network.references?.(config) ?? []).map(({ id, object, field, title }) => [id, `${object}.${field}`, title]),
    [
      ['zone.id.1', 'network.connections[1].zone', 'Connection “Office”'],
      [bondId, 'network.connections[2].mac', 'Connection “Provider”'],
      ['interface.id.2', `network.tunnels[${tunnelId}].parent_interface`, 'GRE tunnel “Branch”'],
      ['interface.id.1', 'network.span[s].monitor_interfaces', 'Mirror interface “Mirror”'],
    ],
  )
})
