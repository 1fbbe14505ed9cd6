// What must hold of VPN settings and rules beyond the form of the fields; lists.ts declares them. Problems name the field as
// it is sent.

import type { Problem } from '../../core/contract/error.ts'
import { anyProblems } from '../../core/model/declarations.ts'
import { findIn } from '../../core/model/item-index.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { networkOf, parseAddress, parseNetwork, printAddress } from '../../shared/net/ipv4.ts'
import { type SaidText, say } from '../../shared/said.ts'
import { findGroup, users } from '../users/public.ts'
import { settings } from './config.ts'
import type { AccessRule, LeaseRule, VpnSettings } from './contract.ts'

const problem = (field: string, message: SaidText): Problem => ({ field, message })

export const settingsProblems = (_: Config, { network, sstp }: VpnSettings): Problem[] => [
  ...poolProblems(network),
  ...(sstp.domain !== null && /\.local$/i.test(sstp.domain)
    ? [problem('sstp.domain', say`Clients connect from outside, where a .local domain cannot be resolved.`)]
    : []),
]

/** Networks that clients cannot get addresses of: this host, loopback, link-local, multicast and above. */
const unusable = [networkOf(0, 8), networkOf(0x7f00_0000, 8), networkOf(0xa9fe_0000, 16), networkOf(0xe000_0000, 3)]

function poolProblems(network: string): Problem[] {
  const pool = parseNetwork(network)
  if (!pool) return [problem('network', say`Must be an IPv4 network.`)]
  if (pool.address !== pool.low) return [problem('network', hostBits(pool.low, pool.prefix))]
  return unusable.some(({ low, high }) => pool.low >= low && pool.low <= high)
    ? [problem('network', say`Clients cannot have addresses of this network.`)]
    : []
}

const hostBits = (low: number, prefix: number): SaidText =>
  say`Must begin with the first address of the network, here ${printAddress(low)}/${prefix}.`

export const accessProblems = (_: Config, { vpns, action, two_factor }: AccessRule): Problem[] => [
  ...anyProblems('vpns', vpns),
  ...(action === 'deny' && two_factor !== 'not_required'
    ? [problem('two_factor', say`Must be not_required when the action is deny.`)]
    : []),
]

/** A changed pool may leave stored rules outside of it; they can still be renamed or disabled. */
export function leaseProblems(config: Config, { address }: LeaseRule, current: LeaseRule | null): Problem[] {
  if (!spanOf(address)) return [problem('address', faultOfSpan(address))]
  const outside = address === current?.address ? null : outsideOf(read(config, settings), address)
  return outside === null ? [] : [problem('address', outside)]
}

/** Security groups are known only to their directory; their ids are checked only by form. */
export function isKnownSubject(config: Config, id: string): boolean {
  if (id.startsWith('user.')) return findIn(config, users, id) !== undefined
  if (id.startsWith('group.')) return findGroup(config, id) !== undefined
  return true
}

/** First and last address of a lease rule; null when a network has host bits set or its mask is not valid. */
export function spanOf(address: string): readonly [low: number, high: number] | null {
  const one = parseAddress(address)
  if (one !== null) return [one, one]
  const network = parseNetwork(address)
  return network && network.address === network.low ? [network.low, network.high] : null
}

function faultOfSpan(address: string): SaidText {
  const network = parseNetwork(address)
  return network ? hostBits(network.low, network.prefix) : say`Must be an IPv4 address or network.`
}

/** Why clients can never get this address, or null. */
export function outsideOf({ network }: VpnSettings, address: string): SaidText | null {
  const pool = parseNetwork(network)
  const span = spanOf(address)
  if (!pool || !span) return null
  const [low, high] = span
  if (low < pool.low || high > pool.high) return say`Must be inside the network of the VPN servers, ${network}.`
  if (low !== high) return null
  if (low === pool.low + 1) return say`${address} is the address of the VPN server itself.`
  return low === pool.low || low === pool.high ? say`${address} cannot be given to a client.` : null
}
