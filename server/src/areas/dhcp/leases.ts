// The leases in use as administrators see them: with the interface they are in and what is known of their address.

import { type Config, read } from '../../core/model/slots.ts'
import type { GivenLease } from '../../core/plan/facts.ts'
import { parseNetwork, printAddress } from '../../shared/net/ipv4.ts'
import { authorizationRules } from '../authorization/public.ts'
import { connectionAlias, connections } from '../network/public.ts'
import { staticLeases } from './config.ts'
import type { Lease } from './contract.ts'

export function showLeases(config: Config, leases: readonly GivenLease[]): Lease[] {
  const comments = boundComments(config)
  const networks = read(config, connections).flatMap((one) =>
    one.type === 'lan'
      ? one.addresses.map((text) => ({ alias: connectionAlias(one), network: parseNetwork(text) }))
      : [],
  )
  return leases.map(({ address, mac, hostname, expiresAt }) => {
    const place = networks.find(({ network }) => network && network.low <= address && address <= network.high)
    const comment = comments.get(`${printAddress(address)} ${mac}`)
    return {
      ip_address: printAddress(address),
      mac,
      hostname,
      interface: place?.alias ?? '',
      expires_at: expiresAt,
      static: comment !== undefined,
      comment: comment ?? '',
    }
  })
}

/** Comments by address and card, of static leases before those of authorization rules. */
function boundComments(config: Config): ReadonlyMap<string, string> {
  const rules = read(config, authorizationRules).filter(
    ({ enabled, ip, mac }) => enabled && ip !== null && mac !== null,
  )
  const leases = read(config, staticLeases).filter(({ enabled }) => enabled)
  return new Map([
    ...rules.map(({ ip, mac, comment }): [string, string] => [`${ip} ${mac}`, comment]),
    ...leases.map(({ ip_address, mac, comment }): [string, string] => [`${ip_address} ${mac}`, comment]),
  ])
}
