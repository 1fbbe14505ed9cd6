// The area of objects: what rules are made of, what the objects mean, and who uses them.

import { defineArea } from '../../core/area/handle.ts'
import { slots } from './config.ts'
import { ownLists } from './lists.ts'
import { routes } from './routes.ts'

export const objects = defineArea({ name: 'objects', slots, lists: ownLists, routes })
