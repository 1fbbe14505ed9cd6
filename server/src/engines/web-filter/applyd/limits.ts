// How long the proxy waits, and how much of it one client may hold (docs/decisions/0091-shares-of-the-web-proxy.md).

import { proxyFiles, proxyShare } from '../index.ts'

/**
 * What it reads ahead of a client when the server is slower, its default. Squid copies all of it for every 4 KB that arrive, so that many
 * large buffers of one host hold up the others. Before 6.13 it needs `short-reads/` to wait when it is full.
 */
export const bufferKilobytes = 512

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
