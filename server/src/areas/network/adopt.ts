// What the gateway takes over at its first start: the interfaces it finds become connections as they are, so that existing
// traffic is not cut off. Pure.

import type { Facts, InterfaceFact } from '../../core/plan/facts.ts'
import { parseNetwork } from '../../shared/net/ipv4.ts'
import type { EthernetConnection } from './config.ts'
import { routedDevices } from './resolve.ts'

/** `gateways` are the next hops of the default routes by device; ids come from the caller and are taken in order. */
export function adoptedConnections(
  facts: Facts,
  gateways: ReadonlyMap<string, string>,
  nextId: () => number,
): readonly EthernetConnection[] {
  const isExternal = ({ name }: InterfaceFact): boolean => routedDevices(facts).includes(name)
  const found = facts.interfaces.filter(({ mac, addresses }) => mac !== '' && addresses.some(isUsable))
  // Providers first: the order decides which default route is preferred.
  const ordered = [...found.filter(isExternal), ...found.filter((one) => !isExternal(one))]
  const taken: string[] = []
  return ordered.flatMap((one): EthernetConnection[] => {
    const addresses = one.addresses
      .filter(isUsable)
      .filter((address) => !taken.some((other) => overlap(address, other)))
    if (addresses.length === 0) return []
    taken.push(...addresses)
    const gateway = gateways.get(one.name) ?? null
    return [
      {
        id: nextId(),
        type: isExternal(one) ? 'wan' : 'lan',
        title: one.name,
        enabled: true,
        mac: one.mac,
        enable_dhcp: false,
        addresses,
        gateway: gateway !== null && addresses.some((address) => overlap(address, `${gateway}/32`)) ? gateway : null,
        dns: [],
        vlan_tag: null,
        zone: null,
        is_vce_vlan: false,
        netflow_index: 0,
      },
    ]
  })
}

/** Global IPv4 addresses; link-local ones come and go by themselves. */
const isUsable = (address: string): boolean => parseNetwork(address) !== null && !/^(?:169\.254|127)\./.test(address)

function overlap(a: string, b: string): boolean {
  const one = parseNetwork(a)
  const other = parseNetwork(b)
  return one !== null && other !== null && one.low <= other.high && other.low <= one.high
}
