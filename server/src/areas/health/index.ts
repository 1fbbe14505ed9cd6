// Health: whether everything runs, what it looked like over time, and who learns of it when something fails.

import { defineArea } from '../../core/area/handle.ts'
import { mailTargets, webhooks } from './config.ts'
import { lists } from './lists.ts'
import { routes } from './routes.ts'

export const health = defineArea({ name: 'health', slots: [mailTargets, webhooks], lists, routes })
