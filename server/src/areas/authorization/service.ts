// What runs for authorization, by name. How it is made is in runs.ts.

import { service } from '../../core/area/service.ts'
import type { SessionKeeper } from './runs/keeper.ts'

/** Sessions of users on the network. */
export const userSessionsService = service<SessionKeeper>('sessions of users')
