// Where application control profiles are stored, and the applications they can name.

import { findIn } from '../../core/model/item-index.ts'
import { type Config, list } from '../../core/model/slots.ts'
import { ApplicationProfile } from './contract.ts'

export { applications } from './applications.ts'

export const profiles = list('application_profiles.profiles', ApplicationProfile)

/** May a firewall rule name it? */
export const isProfile = (config: Config, id: string): boolean => findIn(config, profiles, id) !== undefined
