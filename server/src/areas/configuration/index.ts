// The configuration area: the history of all other areas. It stores nothing of its own.

import { defineArea } from '../../http/handle.ts'
import { routes } from './routes.ts'

export const configuration = defineArea({ name: 'configuration', slots: [], routes })
