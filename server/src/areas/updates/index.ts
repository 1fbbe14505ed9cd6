// The area of updates without a connection; it keeps nothing.

import { defineArea } from '../../http/handle.ts'
import { routes } from './routes.ts'

export const updates = defineArea({ name: 'updates', slots: [], routes })
