// Which servers are asked for which names: the external servers that the settings lead to, and the zones in force. Pure.

import { type Config, read } from '../../core/model/slots.ts'
import type { Facts } from '../../core/plan/facts.ts'
import type { LocalSide } from '../../domain/policy/local-side.ts'
import type { DnsStage } from '../../domain/policy/model.ts'
import { privateNetworks } from '../../domain/policy/model.ts'
import { parseAddress, parseNetwork } from '../../shared/net/ipv4.ts'
import { connectionAlias, connections, dnsOf } from '../network/public.ts'
import { forwardZones, masterZones, rootServers, settings } from './config.ts'
import type { ForwardZone, MasterZone, RootServer } from './contract.ts'

/** Addresses of the external servers, in their order; none: names are resolved through the root servers. */
export const externalServers = (config: Config, facts: Facts): readonly string[] => [
  ...new Set(enabledServers(config).flatMap((server) => addressesOf(config, facts, server))),
]

/** External servers of connections that give no server now. */
export const silentServers = (config: Config, facts: Facts): readonly RootServer[] =>
  enabledServers(config).filter((server) => addressesOf(config, facts, server).length === 0)

const enabledServers = (config: Config): readonly RootServer[] =>
  read(config, rootServers).filter(({ enabled }) => enabled)

function addressesOf(config: Config, facts: Facts, { type, object }: RootServer): readonly string[] {
  if (type === 'ip') return [object]
  const connection = read(config, connections).find((one) => connectionAlias(one) === object)
  return connection?.enabled ? dnsOf(facts, connection) : []
}

export const enabledOwnZones = (config: Config): readonly MasterZone[] =>
  read(config, masterZones).filter(({ enabled }) => enabled)

/** An authoritative zone of the same name answers instead. */
export function enabledForwardZones(config: Config): readonly ForwardZone[] {
  const own = new Set(enabledOwnZones(config).map(({ name }) => name.toLowerCase()))
  return read(config, forwardZones).filter(({ enabled, name }) => enabled && !own.has(name.toLowerCase()))
}

/** Forward zones that an authoritative zone of the same name covers. */
export function coveredZones(config: Config): readonly ForwardZone[] {
  const asked = new Set(enabledForwardZones(config))
  return read(config, forwardZones).filter((zone) => zone.enabled && !asked.has(zone))
}

/** The gateway's own address towards the internet; null when there is none. */
export function externalAddress({ interfaces, externalInterfaces }: Facts): string | null {
  const device = interfaces.find(({ name }) => name === externalInterfaces[0])
  const addresses = device?.addresses.map((text) => text.split('/')[0] ?? '') ?? []
  return addresses.find((text) => parseAddress(text) !== null) ?? null
}

const behindNat = [...privateNetworks, '100.64.0.0/10', '169.254.0.0/16'].map((text) => parseNetwork(text))

/** False behind another NAT, where the address cannot be reached from the internet. */
export function isReachable(text: string): boolean {
  const address = parseAddress(text)
  return address !== null && !behindNat.some((network) => network && network.low <= address && address <= network.high)
}

/** The DNS server always runs; interception is a setting of its area. */
export const dnsStage = (config: Config, side: LocalSide): DnsStage => ({
  ...side,
  isIntercepting: read(config, settings).intercept_enabled,
})
