// Addresses to which the gateway sends nothing, whatever name or setting leads there. Pure.

import { type SaidText, say } from '../said.ts'
import { parseAddress, parseNetwork } from './ipv4.ts'

/** This network, loopback, link-local, multicast and reserved. */
const unreachable = ['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/3'].flatMap(
  (text) => parseNetwork(text) ?? [],
)

/**
 * Why nothing may be sent to an address, or null: a name or a setting must not lead the gateway to its own services
 * (docs/behaviour/security.md 31). `own` are its addresses with their prefix lengths.
 */
export function targetFault(address: string, own: readonly string[]): SaidText | null {
  const value = parseAddress(address)
  if (value === null) return say`${address} is not a valid IPv4 address.`
  const isElsewhere = !unreachable.some(({ low, high }) => value >= low && value <= high)
  if (isElsewhere && !own.some((one) => one.split('/')[0] === address)) return null
  return say`The server has the address ${address}, which does not belong to another machine.`
}
