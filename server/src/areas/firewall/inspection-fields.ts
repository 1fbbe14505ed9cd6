// The inspection fields of rules, also for the rules of the central console, which have the same fields. Pure.

import type { Problem } from '../../core/contract/error.ts'
import type { Config } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
import { isProfile as isApplicationProfile } from '../application-profiles/public.ts'
import { isProfile as isPreventionProfile } from '../intrusion-prevention/public.ts'
import type { FilterRule } from './contract-rules.ts'

/** Fields that name a profile. */
export const profileFields = ['dpi_profile', 'ips_profile'] as const

type Inspected = Pick<FilterRule, 'dpi_enabled' | 'dpi_profile' | 'ips_enabled' | 'ips_profile'>

/** A profile is required while inspection is enabled, and a named profile must exist even while it is not used. */
export const inspectionProblems = (config: Config, rule: Partial<Inspected>): Problem[] => [
  ...profileProblems('dpi', rule.dpi_enabled, rule.dpi_profile, (id) => isApplicationProfile(config, id)),
  ...profileProblems('ips', rule.ips_enabled, rule.ips_profile, (id) => isPreventionProfile(config, id)),
]

function profileProblems(
  kind: 'dpi' | 'ips',
  isUsed: boolean | undefined,
  id: string | undefined,
  isThere: (id: string) => boolean,
): Problem[] {
  const field = `${kind}_profile`
  if (id) return isThere(id) ? [] : [{ field, message: say`There is no profile with the id ${id}.` }]
  return isUsed ? [{ field, message: say`Must not be empty when ${kind}_enabled is true.` }] : []
}
