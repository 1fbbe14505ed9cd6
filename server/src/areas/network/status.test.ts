// States tell what the machine made of the interfaces.

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
  lanMac,
  type Parts,
  pppoe,
  tunnel,
  tunnelId,
  wan,
} from '../../../test/support/network-samples.ts'
import type { Machine } from '../../core/area/handle.ts'
import type { Facts } from '../../core/plan/facts.ts'
import { verbatim } from '../../shared/said.ts'
import type { Connection } from './config.ts'
import { aggregatedStates, connectionStates, tunnelStates } from './status.ts'

describe('states', () => {
  const machine: Machine = {
    observation: { plane: 'lab', limitation: null, appliedRevision: 1, tables: [], links: [], units: [] },
    unreachable: '' as const,
    applyError: null,
  }
  const refusing = (device: string, words: string): Machine => ({
    ...machine,
    observation: machine.observation && { ...machine.observation, links: [{ origin: '', device, errors: [words] }] },
  })
  const stateOf = (connection: Connection, given = facts, at = machine, more: Parts = {}) => {
    const [state] = connectionStates({
      config: configOf({ ...more, connections: [connection] }),
      facts: given,
      machine: at,
    })
    assert.ok(state)
    return state
  }

  it('of a working connection show what the kernel has', () => {
    assert.deepEqual(stateOf({ ...wan, dns: ['192.0.2.53'], zone: 'zone.id.1' }), {
      id: 2,
      zone: 'zone.id.1',
      type: 'wan',
      ether: {
        device: 'wan0',
        vlan_tag: null,
        addresses: ['203.0.113.2/24'],
        gateway: '203.0.113.1',
        dns: ['192.0.2.53'],
        status: 'up',
        errors: [],
      },
      ppp: null,
      summary: {
        device: 'wan0',
        addresses: ['203.0.113.2/24'],
        dns: ['192.0.2.53'],
        gateway: '203.0.113.1',
        ifindex: 2,
        scope: 'kernel',
      },
    })
  })

  it('tell a route that is not there', () => {
    assert.equal(stateOf(wan, { ...facts, externalInterfaces: [] }).ether.gateway, null)
  })

  const rows: [title: string, connection: Connection, status: string, given?: Facts, at?: Machine][] = [
    ['off', { ...wan, enabled: false }, 'down'],
    ['without its addresses yet', { ...lan, addresses: ['10.77.0.1/24'] }, 'going-up'],
    ['waiting for a lease', { ...wan, enable_dhcp: true, addresses: [], gateway: null }, 'going-up'],
    ['whose device is being made', { ...lan, vlan_tag: 5 }, 'going-up'],
    [
      'whose device was refused',
      { ...lan, vlan_tag: 5 },
      'down',
      facts,
      refusing('lan0.5', 'Error: Unknown device type.'),
    ],
    ['whose card is gone', { ...lan, mac: '02:00:00:00:00:99' }, 'down'],
    [
      'on a machine where applyd does not answer',
      { ...lan, addresses: ['10.77.0.1/24'] },
      'down',
      facts,
      { ...machine, observation: null, unreachable: verbatim('No answer.') },
    ],
    ['with a route refused', lan, 'up', facts, refusing('lan0', 'Error: Nexthop has invalid gateway.')],
    ['without a cable', lan, 'going-up', { ...facts, interfaces: [card('lan0', lanMac, { isUp: false })] }],
  ]
  for (const [title, connection, status, given, at] of rows)
    it(`of a connection ${title}: ${status}`, () => {
      const { ether, summary } = stateOf(connection, given, at)
      assert.equal(ether.status, status)
      assert.equal(summary.device === null, status !== 'up')
    })

  it('carry the words of the kernel', () => {
    const words = 'Error: Unknown device type.'
    assert.deepEqual(stateOf({ ...lan, vlan_tag: 5 }, facts, refusing('lan0.5', words)).ether.errors, [words])
    const ppp = stateOf(pppoe, facts, refusing('Eppp3', '/dev/ppp: no such file or directory'))
    assert.deepEqual(ppp.ppp?.errors, ['/dev/ppp: no such file or directory'])
    assert.deepEqual([ppp.ether.status, ppp.ppp?.status, ppp.summary.device], ['up', 'down', null])
    assert.match(stateOf({ ...lan, mac: '02:00:00:00:00:99' }).ether.errors[0] ?? '', /no card with the MAC/)
    assert.match(
      stateOf({ ...lan, mac: freeMac }, facts, machine, { aggregated: [bond] }).ether.errors[0] ?? '',
      /“Pair”/,
    )
  })

  it('carry the words about tunnels through the connection, which works on', () => {
    const refused = refusing(tunnel.osdevname, 'Error: Unknown device type.')
    const { ether } = stateOf(wan, facts, refused, { tunnels: [tunnel] })
    assert.deepEqual([ether.status, ether.errors], ['up', ['GRE tunnel “Branch”: Error: Unknown device type.']])
    assert.deepEqual(stateOf(lan, facts, refused, { tunnels: [tunnel] }).ether.errors, [])
  })

  it('carry the words of a DHCP client that cannot run', () => {
    const unit = {
      name: 'dhcp-client.wan0',
      state: 'failed',
      message: verbatim('udhcpc is not installed.'),
      pid: null,
    } as const
    const failed = { ...machine, observation: machine.observation && { ...machine.observation, units: [unit] } }
    const { ether } = stateOf({ ...wan, enable_dhcp: true, addresses: [], gateway: null }, facts, failed)
    assert.deepEqual([ether.status, ether.errors], ['down', ['udhcpc is not installed.']])
  })

  it('of aggregated interfaces and tunnels follow the kernel', () => {
    const made = { ...facts, interfaces: [...facts.interfaces, card('aga1b2c3d4', ''), card('Gre00000001', '')] }
    const config = configOf({ connections: [wan], aggregated: [bond], tunnels: [tunnel] })
    const view = { config, facts, machine }
    assert.deepEqual(aggregatedStates(view), [{ id: bondId, link: 'down' }])
    assert.deepEqual(tunnelStates(view), [{ id: tunnelId, link: 'down', local_ip: '203.0.113.2' }])
    assert.deepEqual(aggregatedStates({ ...view, facts: made }), [{ id: bondId, link: 'up' }])
    assert.equal(tunnelStates({ ...view, facts: made })[0]?.link, 'up')
    const off = configOf({ connections: [{ ...wan, enabled: false }], tunnels: [tunnel] })
    assert.deepEqual(tunnelStates({ ...view, config: off }), [{ id: tunnelId, link: 'inactive', local_ip: '' }])
  })
})
