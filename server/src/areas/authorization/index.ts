// The area of authorization rules: which hosts belong to which user.

import { defineArea } from '../../http/handle.ts'
import { authorizationRules } from './config.ts'
import { references } from './edits.ts'
import { routes } from './routes.ts'

export const authorization = defineArea({ name: 'authorization', slots: [authorizationRules], references, routes })
