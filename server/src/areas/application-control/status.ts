// What is stored for application control and not done: this release has no engine for it.

import type { StatusItem } from '../../contract/fields.ts'
import { type Config, read } from '../../model/slots.ts'
import { rules } from './config.ts'

export function applicationStatusItems(config: Config): StatusItem[] {
  const isUsed = read(config, rules).some(({ enabled }) => enabled)
  const message = isUsed
    ? 'Stored; the application control engine is not part of this release yet, so nothing is applied.'
    : 'No application control rule is switched on.'
  return [{ name: 'application-control', status: 'inactive', msg: [message] }]
}
