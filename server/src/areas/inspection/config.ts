// What inspection stores beside profiles: what happens to connections of a profile while the engine does not run.

import { list } from '../../core/model/slots.ts'
import { ProfileFailure } from './contract.ts'

/** By the id of a profile, of intrusion prevention or of application control. A profile that is not in it lets traffic pass. */
export const failures = list('inspection.failures', ProfileFailure)

export const slots = [failures]
