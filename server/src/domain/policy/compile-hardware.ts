// Hardware filtering as sets at the ingress hook of each device: what a network card would drop is dropped before the
// kernel looks at it further.

import type { NftTable } from '../../core/plan/artifacts.ts'
import { makePiece } from '../../core/plan/nft-piece.ts'
import type { HardwareFilter, Policy } from './model.ts'
import {
  addresses,
  concatenate,
  hexNumber,
  ingressHead,
  inSet,
  isQuotableInterface,
  mac,
  type Nft,
  rule,
  words,
} from './nft.ts'

export const hardwareTable = 'netdev portcullis_hw'

const slots = {
  mac: 'firewall.hw_mac',
  'src-ip': 'firewall.hw_src_ip',
  'dst-ip': 'firewall.hw_dst_ip',
  'src-and-dst-ip': 'firewall.hw_src_dst_ip',
} as const

const forms = {
  mac: ['hw_mac', 'ether saddr . ether type', 'type ether_addr . ether_type;'],
  'src-ip': ['hw_src_ip', 'ip saddr', 'type ipv4_addr;'],
  'dst-ip': ['hw_dst_ip', 'ip daddr', 'type ipv4_addr;'],
  'src-and-dst-ip': ['hw_src_dst_ip', 'ip saddr . ip daddr', 'type ipv4_addr . ipv4_addr;'],
} as const

/** Null when there is nothing to filter or nothing to filter on. */
export function compileHardware({ hardware, devices }: Pick<Policy, 'hardware' | 'devices'>): NftTable | null {
  const quotable = devices.filter(isQuotableInterface)
  if (hardware === null || hardware.entries.length === 0 || quotable.length === 0) return null
  const [set, selector, head] = forms[hardware.mode]
  const origin = slots[hardware.mode]
  const lines = [...new Set(elementsOf(hardware))]
  const drop = rule(origin, inSet(words(selector), set), words('counter drop'))
  return {
    kind: 'nft',
    name: hardwareTable,
    pieces: [
      makePiece({ kind: 'set', name: set, head: words(head), lines, origin }),
      makePiece({ kind: 'chain', name: 'ingress', head: ingressHead(quotable), lines: [drop], origin: '' }),
    ],
  }
}

function elementsOf(filter: HardwareFilter): Nft[] {
  switch (filter.mode) {
    case 'mac':
      return filter.entries.map((entry) => concatenate(mac(entry.mac), hexNumber(entry.etherType)))
    case 'src-and-dst-ip':
      return filter.entries.map(({ source, destination }) =>
        concatenate(addresses(source, source), addresses(destination, destination)),
      )
    default:
      return filter.entries.map((address) => addresses(address, address))
  }
}
