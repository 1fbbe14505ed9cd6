// What runs of the DNS services, told from what applyd observes and what the update of dynamic DNS last met. There is one
// server for everything; the items keep the names that integrators know.

import { type StatusItem, storedOnly } from '../../contract/fields.ts'
import { engineUnit } from '../../engines/artifacts.ts'
import { dns } from '../../engines/dns/index.ts'
import { describeMissing } from '../../engines/engine.ts'
import type { Machine } from '../../http/handle.ts'
import { type Config, read } from '../../model/slots.ts'
import type { Facts } from '../../plan/facts.ts'
import { ddns, ddnsState, safeSearch, settings } from './config.ts'
import {
  coveredZones,
  enabledForwardZones,
  enabledOwnZones,
  externalAddress,
  externalServers,
  isReachable,
  silentServers,
} from './resolve.ts'

/** What the administrator looks for; the unit is named for the service. */
const itemName = 'unbound'
const unitName = engineUnit(dns, 'dns').name
const rulesTable = 'inet portcullis'

export interface DdnsView {
  readonly hasServer: boolean
  readonly address: string | null
  readonly error: string | null
  readonly retrySeconds: number | null
}

export interface DnsView extends Machine {
  readonly config: Config
  readonly facts: Facts
  readonly brand: string
  /** Null where no updates are sent. */
  readonly ddns: DdnsView | null
}

type Told = Omit<StatusItem, 'name'>

export function dnsStatusItems(view: DnsView): StatusItem[] {
  const server = serverState(view)
  return [
    { name: itemName, ...server, msg: [...server.msg, ...(server.status === 'active' ? resolution(view) : [])] },
    { name: 'nsd', ...ownZones(view, server) },
    { name: `${view.brand}-dns-backend`, ...backend(view, server) },
  ]
}

function serverState({ observation, unreachable }: DnsView): Told {
  if (!observation) return { status: 'failed', msg: [unreachable] }
  if (observation.limitation !== null) return { status: 'inactive', msg: [storedOnly(observation.limitation)] }
  const unit = observation.units.find(({ name }) => name === unitName)
  if (!unit) return { status: 'failed', msg: ['The DNS server is not running.'] }
  return { status: unit.state, msg: unit.message === '' ? [] : [describeMissing(dns, unit.message) ?? unit.message] }
}

/** Who is asked, and what stands in the way of that. */
function resolution({ config, facts }: DnsView): string[] {
  const servers = externalServers(config, facts)
  const zones = enabledForwardZones(config).length
  return [
    servers.length === 0
      ? 'Names are resolved through the root servers.'
      : `External servers are asked: ${servers.join(', ')}. Signatures (DNSSEC) are looked at but not enforced, because a server may leave them out.`,
    ...(zones === 0 ? [] : [`${zones} forward ${zones === 1 ? 'zone is' : 'zones are'} asked elsewhere.`]),
    ...silentServers(config, facts).map(({ object }) => `The connection ${object} names no DNS server now.`),
    ...coveredZones(config).map(({ name }) => `The forward zone ${name} is covered by the own zone of this name.`),
  ]
}

function ownZones({ config }: DnsView, server: Told): Told {
  const count = enabledOwnZones(config).length
  if (count === 0) return { status: 'inactive', msg: ['No own zone is enabled.'] }
  const msg = [
    `${count} own ${count === 1 ? 'zone is' : 'zones are'} served by ${itemName}; there is no nsd of its own.`,
  ]
  return server.status === 'active'
    ? { status: 'active', msg }
    : { status: server.status, msg: [...server.msg, ...msg] }
}

/** Interception, safe search and dynamic DNS together. */
function backend(view: DnsView, server: Told): Told {
  const { config, observation } = view
  const isIntercepting = read(config, settings).intercept_enabled
  const isSafe = read(config, safeSearch).enabled
  const updates = dynamicDns(view)
  if (!isIntercepting && !isSafe && updates === null)
    return { status: 'inactive', msg: ['Interception, safe search and dynamic DNS are switched off.'] }
  if (server.status !== 'active') return { ...server, msg: [...server.msg, ...(updates?.msg ?? [])] }
  const isLoaded = observation?.tables.some(({ name, present }) => name === rulesTable && present) ?? false
  if (isIntercepting && !isLoaded)
    return { status: 'failed', msg: ['The rules of interception are not in the kernel.'] }
  return {
    status: updates?.status ?? 'active',
    msg: [
      ...(isIntercepting ? ['Queries of local hosts to servers in the internet are answered by the gateway.'] : []),
      ...(isSafe ? ['Safe search is on.'] : []),
      ...(updates?.msg ?? []),
    ],
  }
}

/** Null when it is switched off. */
function dynamicDns({ config, facts, ddns: updater }: DnsView): Told | null {
  if (!read(config, ddnsState).enabled) return null
  const failed = (...msg: string[]): Told => ({ status: 'failed', msg })
  const { domain, service_login, service_password } = read(config, ddns)
  if (domain === '' || service_login === '' || service_password === null)
    return failed('Dynamic DNS is switched on, but its domain, login or password is missing.')
  if (!updater?.hasServer)
    return failed('Dynamic DNS: the address of the provider’s update service is not set on this gateway (ddns-server).')
  const address = externalAddress(facts)
  if (address === null) return failed('Dynamic DNS: the gateway has no external address now.')
  if (!isReachable(address))
    return failed(`Dynamic DNS: the external address ${address} is a private one, so the gateway is behind NAT.`)
  if (updater.error !== null)
    return failed(
      `Dynamic DNS: ${updater.error}`,
      updater.retrySeconds === null
        ? 'Nothing is sent again until a setting or the address changes.'
        : `The next try is in ${updater.retrySeconds} s.`,
    )
  return updater.address === address
    ? { status: 'active', msg: [`Dynamic DNS: ${domain} and www.${domain} are at ${address}.`] }
    : { status: 'activating', msg: [`Dynamic DNS: ${domain} is being set to ${address}.`] }
}
