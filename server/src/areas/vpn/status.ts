// What is known of the VPN servers: nothing runs yet, and which stored rules could never work.

import { type Config, read } from '../../model/slots.ts'
import { leaseRules, leaseTitle, settings } from './config.ts'
import { outsideOf } from './verify.ts'

export function vpnStatusOf(config: Config, hostName: string) {
  const stored = read(config, settings)
  return {
    name: stored.sstp.domain ?? hostName,
    status: 'inactive',
    msg: [
      'Stored; the VPN servers are not part of this release yet, so nothing is applied.',
      ...(stored.sstp.enabled && stored.sstp.domain === null
        ? ['SSTP is switched on without a domain, so clients cannot find it.']
        : []),
      ...read(config, leaseRules)
        .filter(({ enabled, address }) => enabled && outsideOf(stored, address) !== null)
        .map(
          ({ id, address }) =>
            `${leaseTitle(id)}: ${address} lies outside ${stored.network}; its users get no address.`,
        ),
    ],
  }
}
