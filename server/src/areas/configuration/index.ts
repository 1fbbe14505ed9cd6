// The configuration area: the history of all other areas. It stores no configuration itself.

import { defineArea } from '../../http/handle.ts'
import { routes } from './routes.ts'

export const configuration = defineArea({ name: 'configuration', slots: [], routes })
