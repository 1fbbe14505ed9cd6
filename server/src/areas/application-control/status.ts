// The status of application control. Rules are stored but not applied: this release has no engine for them.

import type { StatusItem } from '../../contract/fields.ts'
import { type Config, read } from '../../model/slots.ts'
import { rules } from './config.ts'

export function applicationStatusItems(config: Config): StatusItem[] {
  const isUsed = read(config, rules).some(({ enabled }) => enabled)
  const message = isUsed
    ? 'Stored. The application control engine is not part of this release yet, so nothing is applied.'
    : 'No application control rule is enabled.'
  return [{ name: 'application-control', status: 'inactive', msg: [message] }]
}
