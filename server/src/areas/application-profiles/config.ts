// What profiles of application control store, and the applications they can name.

import { list } from '../../contract/slots.ts'
import { ApplicationProfile } from './contract.ts'

export { applications } from './applications.ts'

export const profiles = list('application_profiles.profiles', ApplicationProfile)
