// What must hold for all protected networks together: without one, no rule would know what to protect.

import type { Problem } from '../../core/contract/error.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
import { nets } from './config.ts'

export const lastNet = say`At least one protected network must remain.`

export const verify = (config: Config): Problem[] =>
  read(config, nets).length > 0 ? [] : [{ field: nets.key, message: lastNet }]
