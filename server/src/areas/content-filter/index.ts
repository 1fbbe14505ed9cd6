// The content filter area: categories, rules and dictionaries as administrators set them. This release has no engine for them,
// so the area renders nothing and its status says so.

import { defineArea } from '../../http/handle.ts'
import { slots } from './config.ts'
import { lists } from './lists.ts'
import { routes } from './routes.ts'

export const contentFilter = defineArea({ name: 'content-filter', slots, lists, routes })
