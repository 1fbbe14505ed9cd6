// When the portal runs, where it is reached, and what the firewall opens for it. Pure.

import { type Config, read } from '../../core/model/slots.ts'
import type { Facts } from '../../core/plan/facts.ts'
import type { OpenService } from '../../domain/policy/model.ts'
import { portal } from '../../engines/portal/index.ts'
import { parseNetwork, printAddress } from '../../shared/net/ipv4.ts'
import { settings as authorizationSettings } from '../authorization/public.ts'
import { localAddresses } from '../network/public.ts'
import { settings } from './config.ts'

/** Browsers of hosts that are not authorized are sent to the portal. */
export function isCaptive(config: Config): boolean {
  const { web_authorization, allow_internet_to_everyone } = read(config, authorizationSettings)
  return web_authorization && !allow_internet_to_everyone
}

export const isServed = (config: Config): boolean => isCaptive(config) || read(config, settings).enabled

/**
 * What DHCP announces to clients of the network in which the gateway has this address (RFC 8910); null while the portal does
 * not decide about their access.
 */
export function captivePortalUrl(config: Config, address: string): string | null {
  if (!isCaptive(config)) return null
  const { host } = read(config, settings)
  return `https://${host === '' ? address : host}:${portal.ports.https.destinationPort}/captive-portal/api`
}

/** The gateway's own IPv4 addresses in local networks, in the order of their numbers. */
export function servedAddresses(config: Config, facts: Facts): string[] {
  const networks = [...localAddresses(config, facts).values()].flat().map(parseNetwork)
  const numbers = new Set(networks.flatMap((network) => network?.address ?? []))
  return [...numbers].sort((a, b) => a - b).map(printAddress)
}

export function openServices(config: Config, facts: Facts): OpenService[] {
  const devices = [...localAddresses(config, facts).keys()].sort()
  if (!isServed(config) || devices.length === 0) return []
  return [portal.ports.http, portal.ports.https].map((port) => ({ ...port, devices, peers: null }))
}
