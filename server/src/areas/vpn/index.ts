// The area of the VPN servers: settings, access, addresses and routes of VPN clients. The servers themselves come with a
// later release.

import { defineArea } from '../../core/area/handle.ts'
import { slots } from './config.ts'
import { declaredSettings, lists } from './lists.ts'
import { routes } from './routes.ts'

export const vpn = defineArea({ name: 'vpn', slots, lists, settings: declaredSettings, routes })
