// The web application firewall: profiles with their categories, rules and excluded rules. They are stored; this release has
// no engine.

import { defineArea } from '../../core/area/handle.ts'
import { slots } from './config.ts'
import { lists } from './lists.ts'
import { routes } from './routes.ts'

export const webApplicationFirewall = defineArea({ name: 'web-application-firewall', slots, lists, routes })
