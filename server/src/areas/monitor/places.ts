// The interfaces of the gateway as places that an address can be behind: connections, tunnels and the network of VPN clients.

import { type Config, read } from '../../core/model/slots.ts'
import type { Facts } from '../../core/plan/facts.ts'
import type { Place } from '../../shared/net/behind.ts'
import { parseNetwork } from '../../shared/net/ipv4.ts'
import { addressesOf, connectionAlias, connections, isExternal, tunnelAlias, tunnels } from '../network/public.ts'
import { vpnSettings } from '../vpn/public.ts'

export interface InterfacePlace extends Place {
  /** How rules name it. */
  readonly alias: string
  /** `netflow_index`. */
  readonly index: number
  /** IP/prefix. */
  readonly texts: readonly string[]
}

const vpnAlias = 'interface.vpn_traffic'

export function interfacePlaces(config: Config, facts: Facts): InterfacePlace[] {
  const vpn = read(config, vpnSettings)
  const found = [
    ...read(config, connections)
      .filter(({ enabled }) => enabled)
      .map((one) => ({
        alias: connectionAlias(one),
        index: 'netflow_index' in one ? one.netflow_index : 0,
        texts: addressesOf(facts, one),
        isExternal: isExternal(one),
      })),
    ...read(config, tunnels)
      .filter(({ enabled }) => enabled)
      .map((one) => ({
        alias: tunnelAlias(one),
        index: one.netflow_index,
        texts: one.addresses,
        isExternal: false,
      })),
    { alias: vpnAlias, index: vpn.netflow_index, texts: [vpn.network], isExternal: false },
  ]
  return found.map((one) => ({ ...one, networks: one.texts.flatMap((text) => parseNetwork(text) ?? []) }))
}
