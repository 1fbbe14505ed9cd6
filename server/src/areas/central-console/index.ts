// The central console, from both ends: the connection of this gateway to one, and the groups, gateways and rules of a
// console. What is stored here is not delivered to gateways yet.

import { defineArea } from '../../core/area/handle.ts'
import { slots } from './config.ts'
import { connectionSettings, groupList, serverList } from './lists.ts'
import * as rules from './lists-rules.ts'
import { routes } from './routes.ts'

export const centralConsole = defineArea({
  name: 'central-console',
  slots,
  settings: [connectionSettings],
  lists: [
    groupList,
    serverList,
    rules.contentBefore,
    rules.contentAfter,
    rules.forwardBefore,
    rules.forwardAfter,
    rules.inputBefore,
    rules.inputAfter,
  ],
  routes,
})
