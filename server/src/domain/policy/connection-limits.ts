// How many tracked connections one host may have, and how many may be forwarded in all (decision 93). As data; compile-limits.ts
// renders it for the kernel.

export const limitOrigins = {
  local: 'fwd.sys.host_limit',
  outside: 'fwd.sys.outside_host_limit',
  full: 'fwd.sys.connections_full',
  dns: 'inp.sys.dns_tcp_limit',
  dnsPackets: 'inp.sys.dns_udp_limit',
} as const

export interface ConnectionLimits {
  /** Of a host that comes in by any interface but the external ones. */
  readonly localHost: number
  /** Of a host behind an external interface. */
  readonly outsideHost: number
}

/** TCP connections of one host to the DNS server, which has a hundred for each of its threads and no limit per host. */
export const mostDnsConnections = 32

/**
 * Queries over UDP of one host. A browser asks some dozen in a moment; a router with hundreds of people behind it stays below.
 * What is beyond would only take the processor from others.
 */
export const mostDnsPackets = { perSecond: 1_000, burst: 2_000 } as const

/** Connections of a host are counted in parts of at most this many, chosen by a hash: the kernel walks one part per new connection. */
export const partSize = 64

export const partsOf = (limit: number): number => Math.max(1, Math.ceil(limit / partSize))

const [fewest, most] = [2048, 16_384]

/** Far above what a host needs, and a sixteenth of the table at most where it is large enough. */
export const automaticLimit = (tableSize: number): number =>
  Math.min(most, Math.max(fewest, Math.floor(tableSize / 16 / partSize) * partSize))

/** What is left for the gateway itself and its administrators when others have filled the table. */
export const automaticTotal = (tableSize: number): number => tableSize - Math.floor(tableSize / 8)
