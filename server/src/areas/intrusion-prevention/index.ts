// Intrusion prevention: signatures, profiles and protected networks. It renders nothing itself: the inspection area makes the rules
// of its engine from them.

import { defineArea } from '../../core/area/handle.ts'
import { slots } from './config.ts'
import { lists } from './lists.ts'
import { routes } from './routes.ts'
import { verify } from './verify.ts'

export const intrusionPrevention = defineArea({ name: 'intrusion-prevention', slots, lists, verify, routes })
