// The errors of the AD integration: the licence, domains that are not joined, and settings that are not applied yet.

import type { Services } from '../../core/area/handle.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { type SaidText, say, verbatim } from '../../shared/said.ts'
import { licenceInfo } from '../licence/public.ts'
import { licenceService } from '../licence/service.ts'
import { adDomains, adGroupSettings, adSettings } from './config.ts'
import { joinOf } from './jobs.ts'

export function adMessages(config: Config, services: Services): SaidText[] {
  const failed = read(config, adDomains)
    .map((domain) => ({ domain, join: joinOf(services, domain) }))
    .filter(({ join }) => join.status === 'error')
  return [
    ...(isLicensed(config, services) ? [] : [verbatim('no_license')]),
    ...failed.map(({ domain, join }) => say`${domain.name}: ${join.error}`),
    ...(read(config, adSettings).authorization_by_logs
      ? [
          say`Authorization by the security log is stored; it is not part of this release yet, so no user is authorized by it.`,
        ]
      : []),
    ...(read(config, adGroupSettings).length > 0
      ? [say`Group synchronizations are stored; they are not part of this release yet, so no group is synchronized.`]
      : []),
  ]
}

/** Without a licence key of the operator every module is available. */
function isLicensed(config: Config, services: Services): boolean {
  const { hostName, clock } = services
  const licenceKey = services.of(licenceService).key
  if (licenceKey === null) return true
  const info = licenceInfo(config, hostName, Math.floor(clock.now().getTime() / 1000))
  return info.modules?.active_directory.available ?? false
}
