// What must hold beyond the form of the fields: `any` stands alone, objects exist, the pool is a network, factors fit the
// action. Fields are named as in the body of a call.

import type { Problem } from '../../contract/error.ts'
import { findIn } from '../../model/item-index.ts'
import { type Config, type Item, type ListSlot, read } from '../../model/slots.ts'
import { networkOf, parseAddress, parseNetwork, printAddress } from '../../net/ipv4.ts'
import { faultOfZone } from '../network/public.ts'
import { isKnownObject } from '../objects/public.ts'
import { findGroup, users } from '../users/public.ts'
import { accessRules, leaseRules, pushedRoutes, settings } from './config.ts'
import type { AccessRule, LeaseRule, PushedRoutes, VpnSettings } from './contract.ts'

const problem = (field: string, message: string): Problem => ({ field, message })

export const verify = (config: Config): Problem[] => [
  ...under(settings.key, settingsProblems(config, read(config, settings))),
  ...ofItems(config, accessRules, (rule) => accessProblems(config, rule)),
  ...ofItems(config, leaseRules, (rule) => leaseProblems(config, rule)),
  ...repeatedAddresses(config),
  ...under(pushedRoutes.key, routeProblems(config, read(config, pushedRoutes))),
]

const under = (prefix: string, problems: readonly Problem[]): Problem[] =>
  problems.map(({ field, message }) => problem(`${prefix}.${field}`, message))

const ofItems = <T extends Item>(config: Config, slot: ListSlot<T>, problemsOf: (item: T) => Problem[]): Problem[] =>
  read(config, slot).flatMap((item) => under(`${slot.key}[${item.id}]`, problemsOf(item)))

function repeatedAddresses(config: Config): Problem[] {
  const rules = read(config, leaseRules)
  const bySpan = new Map(rules.map((rule) => [String(spanOf(rule.address)), rule.id]))
  return rules
    .filter(({ id, address }) => bySpan.get(String(spanOf(address))) !== id)
    .map(({ id }) => problem(`${leaseRules.key}[${id}].address`, 'Another rule names the same addresses.'))
}

export const settingsProblems = (config: Config, { network, zone, sstp }: VpnSettings): Problem[] => [
  ...poolProblems(network),
  ...zoneProblems(config, zone),
  ...(sstp.domain !== null && /\.local$/i.test(sstp.domain)
    ? [problem('sstp.domain', 'SSTP is reached from outside, where no .local domain can be found.')]
    : []),
]

function zoneProblems(config: Config, zone: string | null): Problem[] {
  const fault = faultOfZone(config, zone, 1)
  return fault === null ? [] : [problem('zone', fault)]
}

/** Networks no client can be given an address of: this host, loopback, link-local, multicast and above. */
const unusable = [networkOf(0, 8), networkOf(0x7f00_0000, 8), networkOf(0xa9fe_0000, 16), networkOf(0xe000_0000, 3)]

function poolProblems(network: string): Problem[] {
  const pool = parseNetwork(network)
  if (!pool) return [problem('network', 'Must be an IPv4 network.')]
  if (pool.address !== pool.low) return [problem('network', hostBits(pool.low, pool.prefix))]
  return unusable.some(({ low, high }) => pool.low >= low && pool.low <= high)
    ? [problem('network', 'Clients cannot have addresses of this network.')]
    : []
}

const hostBits = (low: number, prefix: number): string =>
  `Must begin with the first address of the network, here ${printAddress(low)}/${prefix}.`

export const accessProblems = (config: Config, rule: AccessRule): Problem[] => [
  ...aloneProblems('sources', rule.sources),
  ...unknownProblems('sources', rule.sources, (id) => isKnownObject(config, id)),
  ...subjectProblems(config, rule.objects),
  ...aloneProblems('vpns', rule.vpns),
  ...(rule.action === 'deny' && rule.two_factor !== 'not_required'
    ? [problem('two_factor', 'Must be not_required when the action is deny.')]
    : []),
]

export const leaseProblems = (config: Config, rule: LeaseRule): Problem[] => [
  ...subjectProblems(config, rule.objects),
  ...(spanOf(rule.address) ? [] : [problem('address', faultOfSpan(rule.address))]),
]

export const routeProblems = (config: Config, { networks, excluded_networks }: PushedRoutes): Problem[] => [
  ...unknownProblems('networks', networks, (id) => isKnownObject(config, id)),
  ...unknownProblems('excluded_networks', excluded_networks, (id) => isKnownObject(config, id)),
]

const aloneProblems = (field: string, values: readonly string[]): Problem[] =>
  values.includes('any') && values.length > 1 ? [problem(field, 'any must stand alone in its list.')] : []

const subjectProblems = (config: Config, ids: readonly string[]): Problem[] => [
  ...aloneProblems('objects', ids),
  ...unknownProblems('objects', ids, (id) => isKnownSubject(config, id)),
]

/** Security groups are known only to their directory; their ids are taken by form. */
function isKnownSubject(config: Config, id: string): boolean {
  if (id.startsWith('user.')) return findIn(config, users, id) !== undefined
  if (id.startsWith('group.')) return findGroup(config, id) !== undefined
  return true
}

const unknownProblems = (field: string, ids: readonly string[], isKnown: (id: string) => boolean): Problem[] =>
  ids.flatMap((id, index) =>
    isKnown(id) ? [] : [problem(`${field}[${index}]`, `There is no object with the id ${id}.`)],
  )

/** First and last address of a lease rule; null when a network has host bits or a mask that is none. */
export function spanOf(address: string): readonly [low: number, high: number] | null {
  const one = parseAddress(address)
  if (one !== null) return [one, one]
  const network = parseNetwork(address)
  return network && network.address === network.low ? [network.low, network.high] : null
}

function faultOfSpan(address: string): string {
  const network = parseNetwork(address)
  return network ? hostBits(network.low, network.prefix) : 'Must be an IPv4 address or network.'
}

/** Why clients can never get this address, or null. */
export function outsideOf({ network }: VpnSettings, address: string): string | null {
  const pool = parseNetwork(network)
  const span = spanOf(address)
  if (!pool || !span) return null
  const [low, high] = span
  if (low < pool.low || high > pool.high) return `Must lie inside the network of the VPN servers, ${network}.`
  if (low !== high) return null
  if (low === pool.low + 1) return `${address} is the address of the VPN server itself.`
  return low === pool.low || low === pool.high ? `${address} cannot be given to a client.` : null
}
