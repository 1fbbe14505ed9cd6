// The configuration area: the history of all other areas, and how much of it is kept.

import { defineArea } from '../../core/area/handle.ts'
import { history } from './config.ts'
import { routes } from './routes.ts'

export const configuration = defineArea({ name: 'configuration', slots: [history], routes })
