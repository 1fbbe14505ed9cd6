// Addresses that answers from the internet may not name (docs/behaviour/dns.md): browsers would reach what only the machine
// itself or its local network should. Data only.

import { privateNetworks } from '../../domain/policy/model.ts'

/** The machine that asks: loopback, "this host", and IPv4 addresses written as IPv6. */
export const machineNetworks: readonly string[] = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  '255.255.255.255/32',
  // The unspecified address, loopback, and the old form of IPv4 addresses.
  '::/96',
  '::ffff:0:0/96',
]

/** Local networks: private, shared with a provider, of the link and of the site; and translated ones, of a local translator. */
export const siteNetworks: readonly string[] = [
  ...privateNetworks,
  '100.64.0.0/10',
  '169.254.0.0/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  '64:ff9b:1::/48',
]
