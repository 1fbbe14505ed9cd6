// The network area: interfaces of all kinds, rendered into links of the kernel.

import { defineArea } from '../../core/area/handle.ts'
import { slots } from './config.ts'
import { lists } from './lists.ts'
import { render } from './render.ts'
import { routes } from './routes.ts'

export const network = defineArea({ name: 'network', slots, lists, render, routes })
