// Interfaces for tests: a machine with three cards, and one of each kind of interface that fits it.

import type { Connection, EthernetConnection } from '../../src/areas/network/config.ts'
import type { Aggregated, Span, Tunnel, VceConnection } from '../../src/areas/network/contract.ts'
import type { Config } from '../../src/core/model/slots.ts'
import { type Facts, type InterfaceFact, noFacts } from '../../src/core/plan/facts.ts'

export const lanMac = '02:00:00:00:00:01'
export const wanMac = '02:00:00:00:00:02'
export const freeMac = '02:00:00:00:00:03'
export const bondId = 'a1b2c3d4-0000-4000-8000-000000000000'
export const tunnelId = 'b1b2c3d4-0000-4000-8000-000000000000'

export const card = (name: string, mac: string, more: Partial<InterfaceFact> = {}): InterfaceFact => ({
  name,
  mac,
  addresses: [],
  isUp: true,
  index: 2,
  ...more,
})

export const facts: Facts = {
  ...noFacts,
  interfaces: [
    card('lan0', lanMac, { addresses: ['10.10.0.1/24'] }),
    card('wan0', wanMac, { addresses: ['203.0.113.2/24', 'fe80::1/64'] }),
    card('eth2', freeMac),
  ],
  externalInterfaces: ['wan0'],
}

export const lan: EthernetConnection = {
  id: 1,
  type: 'lan',
  title: 'Office',
  enabled: true,
  mac: lanMac,
  enable_dhcp: false,
  addresses: ['10.10.0.1/24'],
  gateway: null,
  dns: [],
  vlan_tag: null,
  zone: null,
  is_vce_vlan: false,
  netflow_index: 0,
}
export const wan: EthernetConnection = {
  ...lan,
  id: 2,
  type: 'wan',
  title: 'Provider',
  mac: wanMac,
  addresses: ['203.0.113.2/24'],
  gateway: '203.0.113.1',
}
export const pppoe: Connection = {
  id: 3,
  type: 'pppoe',
  title: 'DSL',
  enabled: true,
  mac: freeMac,
  login: 'me',
  password: { sealed: 'x' },
  service: '',
  concentrator: '',
  vlan_tag: null,
  zone: null,
  is_vce_vlan: false,
  netflow_index: 0,
}
export const loopback: Connection = {
  id: 4,
  type: 'loopback',
  title: 'Router',
  enabled: true,
  mac: null,
  addresses: ['192.0.2.99/32'],
  osdevname: 'Oloopback4',
  comment: '',
  vlan_tag: null,
  zone: null,
  is_vce_vlan: false,
  netflow_index: 0,
}
export const tunnel: Tunnel = {
  id: tunnelId,
  title: 'Branch',
  enabled: true,
  comment: '',
  addresses: ['10.99.0.1/30'],
  gateway: null,
  parent_interface: 'interface.id.2',
  osdevname: 'Gre00000001',
  server: '198.51.100.7',
  zone: null,
  netflow_index: 0,
  local_ip: null,
}
export const bond: Aggregated = { id: bondId, enabled: true, title: 'Pair', comment: '', nics: [freeMac] }
export const span: Span = {
  id: 's',
  title: 'Mirror',
  comment: '',
  enabled: true,
  mac: freeMac,
  osdevindex: 1,
  monitor_interfaces: ['interface.id.1'],
  direction: 'both' as const,
}
export const vce: VceConnection = { id: 'v', title: 'Guest', vce_id: 'vce', mac: freeMac, vlan_tag: null, comment: '' }

export interface Parts {
  readonly connections?: readonly Connection[]
  readonly aggregated?: readonly Aggregated[]
  readonly tunnels?: readonly Tunnel[]
  readonly vce?: readonly VceConnection[]
  readonly spans?: readonly Span[]
  readonly zones?: readonly string[]
}

export const configOf = ({
  connections = [],
  aggregated = [],
  tunnels = [],
  vce: passed = [],
  spans = [],
  zones = [],
}: Parts) =>
  ({
    'network.connections': connections,
    'network.aggregated': aggregated,
    'network.tunnels': tunnels,
    'network.vce_conns': passed,
    'network.span': spans,
    'objects.zones': zones.map((id) => ({ id, title: id, comment: '' })),
  }) as Config

export const both = configOf({ connections: [lan, wan] })
