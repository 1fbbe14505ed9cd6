// Application control profiles, and the applications that they can list.

import { defineArea } from '../../core/area/handle.ts'
import { profiles } from './config.ts'
import { profileList } from './lists.ts'
import { routes } from './routes.ts'

export const applicationProfilesArea = defineArea({
  name: 'application-profiles',
  slots: [profiles],
  lists: [profileList],
  routes,
})
