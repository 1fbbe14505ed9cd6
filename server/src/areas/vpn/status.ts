// The status of the VPN servers: nothing runs yet, and some stored rules could never work.

import { nameOf } from '../../core/model/declarations.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
import { leaseRules, settings } from './config.ts'
import { leaseList } from './lists.ts'
import { outsideOf } from './rules.ts'

export function vpnStatusOf(config: Config, hostName: string) {
  const stored = read(config, settings)
  return {
    name: stored.sstp.domain ?? hostName,
    status: 'inactive',
    msg: [
      say`Stored; the VPN servers are not part of this release yet, so nothing is applied.`,
      ...(stored.sstp.enabled && stored.sstp.domain === null
        ? [say`SSTP is enabled without a domain, so clients cannot find it.`]
        : []),
      ...read(config, leaseRules)
        .filter(({ enabled, address }) => enabled && outsideOf(stored, address) !== null)
        .map(
          (rule) =>
            say`${nameOf(leaseList, rule)}: ${rule.address} is outside ${stored.network}; its users get no address.`,
        ),
    ],
  }
}
