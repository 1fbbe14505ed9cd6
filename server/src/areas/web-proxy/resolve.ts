// When the web proxy runs, for whom, and what the firewall opens for it. Pure.

import { type Config, read } from '../../core/model/slots.ts'
import type { Facts } from '../../core/plan/facts.ts'
import type { OpenService } from '../../domain/policy/model.ts'
import { wpad } from '../../engines/wpad/index.ts'
import { parseNetwork, printAddress } from '../../shared/net/ipv4.ts'
import { state as filterState } from '../content-filter/public.ts'
import { localAddresses } from '../network/public.ts'
import { authority, settings } from './config.ts'

/** The filter is on, or clients may use the proxy without it. */
export const isWanted = (config: Config): boolean =>
  read(config, filterState).enabled || read(config, settings).direct_enabled

/** It cannot start without an authority, which is made when it is first switched on. */
export const isRun = (config: Config): boolean => isWanted(config) && read(config, authority).authority !== null

/** The gateway's own IPv4 addresses in local networks, in the order of their numbers. */
export function servedAddresses(config: Config, facts: Facts): string[] {
  const networks = [...localAddresses(config, facts).values()].flat().map(parseNetwork)
  const numbers = new Set(networks.flatMap((network) => network?.address ?? []))
  return [...numbers].sort((a, b) => a - b).map(printAddress)
}

/** Where clients download the certificate, without TLS: they do not trust it yet. */
export const downloadAddresses = (config: Config, facts: Facts): string[] =>
  isRun(config) ? servedAddresses(config, facts).map((address) => `http://${address}/ca.crt`) : []

/** The small web server with the certificate and the proxy file; the port of the proxy itself is opened by its stage. */
export function openServices(config: Config, facts: Facts): OpenService[] {
  const devices = [...localAddresses(config, facts).keys()].sort()
  return isRun(config) && devices.length > 0 ? [{ ...wpad.ports.web, devices, peers: null }] : []
}
