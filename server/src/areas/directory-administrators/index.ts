// The area of administrators who are known elsewhere: rules for groups of directories and the RADIUS servers to ask. No
// engine asks either yet, so nobody is let in through them.

import { defineArea } from '../../http/handle.ts'
import { adRules, aldRules, radius, radiusState } from './config.ts'
import { routes } from './routes.ts'
import { references, verify } from './verify.ts'

export const directoryAdministrators = defineArea({
  name: 'directory-administrators',
  slots: [adRules, aldRules, radiusState, radius],
  verify,
  references,
  routes,
})
