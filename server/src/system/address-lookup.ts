// The IPv4 address of a name, asked of DNS at the moment somebody wants to connect. Asked once: who checks the address and
// who connects to it must mean the same one.

import { parseAddress } from '../net/ipv4.ts'
import { resolverFor, resolverWords } from './resolver.ts'

/** An address stands for itself. `servers` as for the resolver of domain objects: none means those of the system. */
export async function lookUpAddress(
  name: string,
  servers: readonly string[],
): Promise<{ readonly address: string } | { readonly fault: string }> {
  if (parseAddress(name) !== null) return { address: name }
  try {
    const [address] = await resolverFor(servers).resolve4(name)
    return address === undefined ? { fault: 'The name has no IPv4 address.' } : { address }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    return { fault: resolverWords[code] ?? 'DNS failed.' }
  }
}
