// Profiles of application control. Stored; the engine that tells applications apart comes later.

import { defineArea } from '../../http/handle.ts'
import { profiles } from './config.ts'
import { routes } from './routes.ts'

export const applicationProfilesArea = defineArea({ name: 'application-profiles', slots: [profiles], routes })
