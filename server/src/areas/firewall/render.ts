// The firewall as nftables: what the stored rules mean, compiled. The log reader is the firewall-log area's.

import type { Config } from '../../core/model/slots.ts'
import type { Artifact } from '../../core/plan/artifacts.ts'
import type { Facts } from '../../core/plan/facts.ts'
import { compilePolicy } from '../../domain/policy/compile.ts'
import { leadToInspection } from '../../engines/inspection/observed.ts'
import { leadToProxy } from '../../engines/web-filter/interception.ts'
import { fastPath } from './fast-path.ts'
import { policyOf } from './resolve.ts'

export function render(config: Config, facts: Facts): readonly Artifact[] {
  const policy = policyOf(config, facts)
  const isIntercepting = policy.web !== null && policy.web.interception !== null
  return [
    ...compilePolicy(policy),
    ...(isIntercepting ? [leadToProxy] : []),
    ...(policy.inspection === null ? [] : [leadToInspection(policy.inspection.channels)]),
    ...fastPath(policy, facts),
  ]
}
