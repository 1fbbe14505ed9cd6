// How long the proxy waits, and how many files it opens.

/** As many as its limit. */
export const proxyFiles = 16_384

/** Directives of squid.conf with their texts. */
export const limits: readonly (readonly [name: string, text: string])[] = [
  // Access control lists drop in silence, and clients wait for as long.
  ['connect_timeout', '10 seconds'],
  // What waits for another request of the client was judged by older rules.
  ['server_idle_pconn_timeout', '1 second'],
  ['read_timeout', '15 minutes'],
  ['client_lifetime', '1 day'],
  ['negative_dns_ttl', '60 seconds'],
  ['max_filedescriptors', String(proxyFiles)],
]
