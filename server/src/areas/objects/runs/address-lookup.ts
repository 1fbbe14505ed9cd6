// The IPv4 address of a name, looked up right before a connection. Looked up once: the address that is checked and
// the one that is connected to must be the same.

import { parseAddress } from '../../../shared/net/ipv4.ts'
import { say } from '../../../shared/said.ts'
import { resolverFor, resolverWords } from './resolver.ts'

const noAddress = say`The name has no IPv4 address.`

/** All addresses of a name. */
export async function lookUpAddresses(
  name: string,
  servers: readonly string[],
): Promise<{ readonly addresses: readonly string[] } | { readonly fault: string }> {
  try {
    const addresses = await resolverFor(servers).resolve4(name)
    return addresses.length === 0 ? { fault: noAddress } : { addresses }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    return { fault: resolverWords[code] ?? say`DNS failed.` }
  }
}

/** An address is returned as it is. `servers` as for the resolver of domain objects: none means those of the system. */
export async function lookUpAddress(
  name: string,
  servers: readonly string[],
): Promise<{ readonly address: string } | { readonly fault: string }> {
  if (parseAddress(name) !== null) return { address: name }
  const found = await lookUpAddresses(name, servers)
  if ('fault' in found) return found
  const [address] = found.addresses
  return address === undefined ? { fault: noAddress } : { address }
}
