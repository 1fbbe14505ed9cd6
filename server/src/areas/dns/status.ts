// What runs of the DNS services, from what applyd observes and how the last update of dynamic DNS ended. There is one server
// for everything; the items keep the names that integrators know.

import type { Machine } from '../../core/area/handle.ts'
import type { StatusItem } from '../../core/contract/fields.ts'
import { engineUnit } from '../../core/engine/artifacts.ts'
import { describeMissing } from '../../core/engine/missing-program.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { Facts } from '../../core/plan/facts.ts'
import { failed, inactive, type State, tableStatus, unitStatus } from '../../core/plan/observed.ts'
import { dns } from '../../engines/dns/index.ts'
import { type SaidText, say } from '../../shared/said.ts'
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

export function dnsStatusItems(view: DnsView): StatusItem[] {
  const server = unitStatus(view, unitName, say`The DNS server is not running.`)
  const messages = server.msg.map((message) => describeMissing(dns, message) ?? message)
  return [
    { name: itemName, ...server, msg: [...messages, ...(server.status === 'active' ? resolution(view) : [])] },
    { name: 'nsd', ...ownZones(view, server) },
    { name: `${view.brand}-dns-backend`, ...backend(view, server) },
  ]
}

/** Which servers are asked, and which cannot be. */
function resolution({ config, facts }: DnsView): SaidText[] {
  const servers = externalServers(config, facts)
  const zones = enabledForwardZones(config).length
  return [
    servers.length === 0
      ? say`Names are resolved through the root servers.`
      : say`External servers are asked: ${servers.join(', ')}. Signatures (DNSSEC) are checked but not enforced, because a server may omit them.`,
    ...(zones === 0
      ? []
      : [
          zones === 1
            ? say`1 forward zone is resolved by other servers.`
            : say`${zones} forward zones are resolved by other servers.`,
        ]),
    ...silentServers(config, facts).map(({ object }) => say`The connection ${object} gives no DNS server now.`),
    ...coveredZones(config).map(
      ({ name }) => say`The forward zone ${name} is covered by the authoritative zone of this name.`,
    ),
  ]
}

function ownZones({ config }: DnsView, server: State): State {
  const count = enabledOwnZones(config).length
  if (count === 0) return inactive(say`No authoritative zone is enabled.`)
  const msg = [
    count === 1
      ? say`1 authoritative zone is served by ${itemName}; there is no separate nsd.`
      : say`${count} authoritative zones are served by ${itemName}; there is no separate nsd.`,
  ]
  return server.status === 'active'
    ? { status: 'active', msg }
    : { status: server.status, msg: [...server.msg, ...msg] }
}

/** Interception, safe search and dynamic DNS together. */
function backend(view: DnsView, server: State): State {
  const { config } = view
  const isIntercepting = read(config, settings).intercept_enabled
  const isSafe = read(config, safeSearch).enabled
  const updates = dynamicDns(view)
  if (!isIntercepting && !isSafe && updates === null)
    return inactive(say`Interception, safe search and dynamic DNS are disabled.`)
  if (server.status !== 'active') return { ...server, msg: [...server.msg, ...(updates?.msg ?? [])] }
  const rules = tableStatus(view, rulesTable, say`The rules of interception are not in the kernel.`)
  if (isIntercepting && rules.status !== 'active') return rules
  return {
    status: updates?.status ?? 'active',
    msg: [
      ...(isIntercepting ? [say`Queries of local hosts to servers in the internet are answered by the gateway.`] : []),
      ...(isSafe ? [say`Safe search is on.`] : []),
      ...(updates?.msg ?? []),
    ],
  }
}

/** Null when it is disabled. */
function dynamicDns({ config, facts, ddns: updater }: DnsView): State | null {
  if (!read(config, ddnsState).enabled) return null
  const { domain, service_login, service_password } = read(config, ddns)
  if (domain === '' || service_login === '' || service_password === null)
    return failed(say`Dynamic DNS is enabled, but its domain, login or password is missing.`)
  if (!updater?.hasServer)
    return failed(
      say`Dynamic DNS: the address of the provider’s update service is not set on this gateway (ddns-server).`,
    )
  const address = externalAddress(facts)
  if (address === null) return failed(say`Dynamic DNS: the gateway has no external address now.`)
  if (!isReachable(address))
    return failed(say`Dynamic DNS: the external address ${address} is private, so the gateway is behind NAT.`)
  if (updater.error !== null)
    return failed(
      say`Dynamic DNS: ${updater.error}`,
      updater.retrySeconds === null
        ? say`No update is sent until a setting or the address changes.`
        : say`The next attempt is in ${updater.retrySeconds} s.`,
    )
  return updater.address === address
    ? { status: 'active', msg: [say`Dynamic DNS: ${domain} and www.${domain} are at ${address}.`] }
    : { status: 'activating', msg: [say`Dynamic DNS: ${domain} is being set to ${address}.`] }
}
