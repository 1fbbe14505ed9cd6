// The central console, from both ends: the connection of this gateway to one, and the groups, gateways and rules of a
// console. What is stored here is not delivered to gateways yet.

import { defineArea } from '../../http/handle.ts'
import { slots } from './config.ts'
import { references } from './references.ts'
import { routes } from './routes.ts'
import { verify } from './verify.ts'

export const centralConsole = defineArea({ name: 'central-console', slots, verify, references, routes })
