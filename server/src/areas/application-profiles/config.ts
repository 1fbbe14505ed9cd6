// What profiles of application control store, and the applications they can name.

import { type Config, list, read } from '../../model/slots.ts'
import { ApplicationProfile } from './contract.ts'

export { applications } from './applications.ts'

export const profiles = list('application_profiles.profiles', ApplicationProfile)

/** May a firewall rule name it? */
export const isProfile = (config: Config, id: string): boolean =>
  read(config, profiles).some((profile) => profile.id === id)
