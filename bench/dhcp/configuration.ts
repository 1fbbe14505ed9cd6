// The same static leases for the gateway and for dnsmasq by hand: one network with room for all of them.

import { entries, staticLeases } from '../../server/src/areas/dhcp/config.ts'
import type { EthernetConnection } from '../../server/src/areas/network/config.ts'
import { connections } from '../../server/src/areas/network/config.ts'
import { type Config, write } from '../../server/src/core/model/slots.ts'
import { printAddress } from '../../server/src/shared/net/ipv4.ts'
import { labCables } from '../../server/src/tools/lab/network.ts'

export const ownAddress = '10.11.0.1'

export const addressOf = (at: number): string => printAddress(0x0a0b_0100 + at)
export const macOf = (at: number): string =>
  `02:be:00:${[at >> 16, (at >> 8) & 255, at & 255].map((byte) => byte.toString(16).padStart(2, '0')).join(':')}`
export const hostLine = (mac: string, address: string): string => `${mac},${address}`

const card = (name: string): string =>
  labCables.flat().find((end) => end.namespace === 'gateway' && end.name === name)?.mac ?? ''

const lan: EthernetConnection = {
  id: 1,
  type: 'lan',
  title: 'Bench',
  enabled: true,
  mac: card('lan0'),
  enable_dhcp: false,
  addresses: [`${ownAddress}/16`],
  gateway: null,
  dns: [],
  vlan_tag: null,
  zone: null,
  is_vce_vlan: false,
  netflow_index: 0,
}

export function fillWithLeases(config: Config, count: number): Config {
  const server = {
    dns: [],
    domain: 'bench.example',
    gateway: '',
    lease_time: 60,
    options: [],
    ranges: ['10.11.200.1-10.11.200.200'],
    routes: [],
    tftp_filename: '',
    tftp_server: '',
    wins: [],
    wpad_enabled: false,
  }
  const entry = { id: 'bench', enabled: true, interface: 'interface.id.1', relay: null, server }
  const leases = Array.from({ length: count }, (_, at) => ({
    id: `lease-${at}`,
    enabled: true,
    comment: '',
    ip_address: addressOf(at),
    mac: macOf(at),
  }))
  return write(write(write(config, connections, [lan]), entries, [entry]), staticLeases, leases)
}
