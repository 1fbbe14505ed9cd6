// Intrusion prevention: signatures, profiles and protected networks. Stored and shown; the engine comes later.

import { defineArea } from '../../http/handle.ts'
import { slots } from './config.ts'
import { routes } from './routes.ts'

export const intrusionPrevention = defineArea({ name: 'intrusion-prevention', slots, routes })
