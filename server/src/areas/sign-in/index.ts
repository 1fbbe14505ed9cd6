// The sign-in area. Sessions are runtime state, so it stores no configuration.

import { defineArea } from '../../core/area/handle.ts'
import { routes } from './routes.ts'

export const signInArea = defineArea({ name: 'sign-in', slots: [], routes })
