// Interfaces become links of the kernel.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  bond,
  bondId,
  card,
  configOf,
  facts,
  freeMac,
  lan,
  loopback,
  type Parts,
  pppoe,
  span,
  tunnel,
  wan,
} from '../../../test/support/network-samples.ts'
import type { LinkPlan, NetworkLinks } from '../../core/plan/artifacts.ts'
import type { Facts } from '../../core/plan/facts.ts'
import { render } from './render.ts'
import { dnsServers, serverDomains } from './resolve.ts'

describe('links', () => {
  const linksFor = (parts: Parts, given: Facts = facts): readonly LinkPlan[] =>
    (render(configOf(parts), given)[0] as NetworkLinks | undefined)?.links ?? []
  const unitsFor = (parts: Parts, given: Facts = facts) =>
    render(configOf(parts), given)
      .filter(({ kind }) => kind === 'unit')
      .map(({ name }) => name)
  const brief = (links: readonly LinkPlan[]) =>
    links.map(({ device, isUp, addresses }) => [device, isUp, addresses.join(' ')])

  it('are left alone before anything is configured', () => {
    assert.deepEqual(
      render(configOf({}), facts).map(({ name }) => name),
      ['settings'],
    )
  })

  it('have addresses, and default routes in the order of the connections', () => {
    const second = { ...wan, id: 5, mac: freeMac, addresses: ['192.0.2.2/24'], gateway: '192.0.2.1' }
    const links = linksFor({ connections: [lan, wan, second] })
    assert.deepEqual(brief(links), [
      ['lan0', true, '10.10.0.1/24'],
      ['wan0', true, '203.0.113.2/24'],
      ['eth2', true, '192.0.2.2/24'],
    ])
    assert.deepEqual(
      links.map(({ routes }) => routes),
      [[], [{ to: 'default', via: '203.0.113.1', metric: 200 }], [{ to: 'default', via: '192.0.2.1', metric: 300 }]],
    )
    assert.equal(links[1]?.origin, 'network.connections[2]')
  })

  it('that are off lose everything; what was made for them goes', () => {
    assert.deepEqual(
      brief(
        linksFor({
          connections: [
            { ...wan, enabled: false },
            { ...lan, vlan_tag: 5, enabled: false },
          ],
        }),
      ),
      [['wan0', false, '']],
    )
    assert.deepEqual(linksFor({ connections: [wan], tunnels: [{ ...tunnel, enabled: false }] }).length, 1)
  })

  it('take address, gateway and nothing else from a lease', () => {
    const byDhcp = { ...wan, enable_dhcp: true, addresses: [], gateway: null }
    assert.deepEqual(brief(linksFor({ connections: [byDhcp] })), [['wan0', true, '']])
    assert.deepEqual(unitsFor({ connections: [byDhcp] }), ['dhcp-client.wan0'])
    const lease = { device: 'wan0', address: '192.0.2.77/24', gateway: '192.0.2.1', dns: ['192.0.2.53'] }
    const [link] = linksFor({ connections: [byDhcp] }, { ...facts, leases: [lease] })
    assert.deepEqual(
      [link?.addresses, link?.routes],
      [['192.0.2.77/24'], [{ to: 'default', via: '192.0.2.1', metric: 100 }]],
    )
    const config = configOf({ connections: [{ ...byDhcp, dns: ['198.51.100.53'] }] })
    assert.deepEqual(dnsServers(config, { ...facts, leases: [lease] }), ['198.51.100.53', '192.0.2.53'])
    assert.deepEqual(linksFor({ connections: [wan] }, { ...facts, leases: [lease] })[0]?.addresses, ['203.0.113.2/24'])
  })

  it('ask for leases only on devices that are there and on', () => {
    const byDhcp = { ...wan, enable_dhcp: true }
    assert.deepEqual(unitsFor({ connections: [{ ...byDhcp, enabled: false }] }), [])
    assert.deepEqual(unitsFor({ connections: [{ ...byDhcp, vlan_tag: 5 }] }), [])
    const withVlan = { ...facts, interfaces: [...facts.interfaces, card('wan0.5', '')] }
    assert.deepEqual(unitsFor({ connections: [{ ...byDhcp, vlan_tag: 5 }] }, withVlan), ['dhcp-client.wan0.5'])
  })

  it('use cards that are up, each device once', () => {
    const links = linksFor({
      connections: [
        { ...lan, enabled: false },
        { ...lan, id: 5, vlan_tag: 5, addresses: ['10.5.0.1/24'] },
      ],
    })
    assert.deepEqual(brief(links), [
      ['lan0', true, ''],
      ['lan0.5', true, '10.5.0.1/24'],
    ])
    assert.deepEqual(links[1]?.make, { kind: 'vlan', parent: 'lan0', tag: 5 })
  })

  it('of aggregated interfaces take cards away from connections', () => {
    const links = linksFor({
      connections: [
        { ...lan, mac: freeMac },
        { ...wan, mac: bondId },
      ],
      aggregated: [bond],
    })
    assert.deepEqual(brief(links), [['aga1b2c3d4', true, '203.0.113.2/24']])
    assert.deepEqual(links[0]?.make, { kind: 'bond', members: ['eth2'] })
  })

  it('of tunnels know both ends, also when the peer is a name', () => {
    const [, gre] = linksFor({ connections: [wan], tunnels: [tunnel] })
    assert.deepEqual(gre?.make, { kind: 'gre', local: '203.0.113.2', remote: '198.51.100.7' })
    const named = { ...tunnel, server: 'branch.example' }
    assert.equal(linksFor({ connections: [wan], tunnels: [named] }).length, 1)
    const [domain] = serverDomains(configOf({ tunnels: [named] }))
    assert.equal(domain?.value, 'branch.example')
    const resolved = { ...facts, addressBook: new Map([[domain?.id ?? '', ['198.51.100.9']]]) }
    assert.deepEqual(linksFor({ connections: [wan], tunnels: [named] }, resolved)[1]?.make, {
      kind: 'gre',
      local: '203.0.113.2',
      remote: '198.51.100.9',
    })
  })

  it('of providers over PPP and of loopbacks are tried', () => {
    const links = linksFor({ connections: [pppoe, loopback] })
    assert.deepEqual(
      links.map(({ device, make }) => [device, make]),
      [
        ['eth2', null],
        ['Eppp3', { kind: 'ppp', parent: 'eth2' }],
        ['Oloopback4', { kind: 'dummy' }],
      ],
    )
  })

  it('of mirrors name the devices they copy', () => {
    const links = linksFor({ connections: [lan], spans: [span] })
    assert.deepEqual(links[1]?.mirrors, [{ device: 'lan0', direction: 'both' }])
    assert.deepEqual(linksFor({ connections: [lan], spans: [{ ...span, enabled: false }] })[1]?.isUp, false)
  })
})
