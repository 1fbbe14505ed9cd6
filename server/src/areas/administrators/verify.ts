// What must hold of all local administrators together, whichever call changes them.

import type { Problem } from '../../core/contract/error.ts'
import type { Config } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
import { administrators, hasFullAdministrator } from './config.ts'

export const verify = (config: Config): Problem[] =>
  hasFullAdministrator(config) ? [] : [{ field: administrators.key, message: lastFullAdministrator }]

export const lastFullAdministrator = say`At least one enabled local administrator with full access must remain. Give another one full access first.`
