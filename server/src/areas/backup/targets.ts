// Where an upload goes: the parts of a share, the name of the file there, and addresses that are refused. Pure.

import { parseAddress, parseNetwork } from '../../shared/net/ipv4.ts'
import type { BackupVersion } from './contract.ts'

/** `dir_1/dir_2/backup` is the folder `dir_2/backup` of the share `dir_1` (docs/behaviour/backup.md 2). */
export function shareOf(remoteDir: string): { readonly share: string; readonly folder: string } {
  const [share = '', ...folders] = remoteDir.split('/').filter((part) => part !== '' && part !== '.')
  return { share, folder: folders.join('/') }
}

/** Contains nothing that a client sent: it is used in a header and on servers. */
export function fileName(brand: string, version: BackupVersion, timestamp: number): string {
  const time = new Date(timestamp * 1000).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')
  return `${brand}-${version.major}.${version.minor}.${version.build}-${time}Z`
}

/** This network, loopback, link-local, multicast and reserved. */
const unreachable = ['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/3'].flatMap(
  (text) => parseNetwork(text) ?? [],
)

/**
 * Why nothing may be sent to an address, or null: a name or a setting must not lead the gateway to its own services
 * (docs/behaviour/security.md 31). `own` are its addresses with their prefix lengths.
 */
export function targetFault(address: string, own: readonly string[]): string | null {
  const value = parseAddress(address)
  if (value === null) return `${address} is not a valid IPv4 address.`
  const isElsewhere = !unreachable.some(({ low, high }) => value >= low && value <= high)
  if (isElsewhere && !own.some((one) => one.split('/')[0] === address)) return null
  return `The server has the address ${address}, which does not belong to another machine.`
}
