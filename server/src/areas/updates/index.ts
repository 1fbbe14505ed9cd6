// The area of offline updates; it stores nothing.

import { defineArea } from '../../core/area/handle.ts'
import { routes } from './routes.ts'

export const updates = defineArea({ name: 'updates', slots: [], routes })
