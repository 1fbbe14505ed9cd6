// The content filter area: categories, rules and dictionaries as administrators set them. The area web-proxy renders them
// together with the proxy that asks about them, and serves the switch and the status of both.

import { defineArea } from '../../core/area/handle.ts'
import { slots } from './config.ts'
import { lists } from './lists.ts'
import { routes } from './routes.ts'

export const contentFilter = defineArea({ name: 'content-filter', slots, lists, routes })
