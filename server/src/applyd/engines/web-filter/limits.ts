// How long the proxy waits, and how much of it one client may hold (docs/decisions/0091-shares-of-the-web-proxy.md).

import { proxyFiles, proxyShare } from '../../../engines/web-filter/index.ts'

/**
 * What it reads ahead of a client when the server is slower. Squid 5.7 ends the connection when the buffer is full (bug 5405), so
 * large uploads need a large one: with 2 MB every one of 60 MB to a server that takes 20 MB a second broke off. With all
 * connections of one address it stays below the memory of the process (`data` in index.ts), beyond which Squid ends.
 */
export const bufferMegabytes = 8

/** Directives of squid.conf with their texts. */
export const limits: readonly (readonly [name: string, text: string])[] = [
  // Access control lists drop in silence, and clients wait for as long.
  ['connect_timeout', '10 seconds'],
  // What waits for another request of the client was judged by older rules.
  ['server_idle_pconn_timeout', '1 second'],
  ['read_timeout', '15 minutes'],
  ['client_lifetime', '12 hours'],
  ['negative_dns_ttl', '60 seconds'],
  // What sends nothing, or a request without an end, holds its place for seconds; the share of one address is limited besides.
  ['request_start_timeout', '15 seconds'],
  ['request_timeout', '30 seconds'],
  ['client_idle_pconn_timeout', '60 seconds'],
  ['client_db', 'on'],
  ['client_ip_max_connections', String(proxyShare)],
  ['max_filedescriptors', String(proxyFiles)],
]
