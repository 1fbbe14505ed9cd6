// The status of authorization: whether it is enforced, and whether kernel and sessions agree.

import type { Offered } from '../../core/area/service.ts'
import type { StatusItem } from '../../core/contract/fields.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
import { settings } from './config.ts'
import type { userSessionsService } from './service.ts'

export const notEnforced = say`Authorization is not enforced: every host reaches external networks. Turn off allow_internet_to_everyone to enforce it.`

export function authorizationItems(
  config: Config,
  { state }: Pick<Offered<typeof userSessionsService>, 'state'>,
): StatusItem[] {
  const { sessions, isCompared, isFollowing, fault } = state
  const isEnforced = !read(config, settings).allow_internet_to_everyone
  return [
    { name: 'authorization', status: isEnforced ? 'active' : 'inactive', msg: isEnforced ? [] : [notEnforced] },
    {
      name: 'sessions',
      status: 'active',
      msg: [sessions === 1 ? say`There is 1 session.` : say`There are ${sessions} sessions.`],
    },
    isCompared
      ? { name: 'kernel', status: 'active', msg: [] }
      : {
          name: 'kernel',
          status: fault === null ? 'activating' : 'failed',
          msg: [say`The kernel was not compared with the sessions yet.`, ...(fault === null ? [] : [fault])],
        },
    isFollowing
      ? { name: 'arrivals', status: 'active', msg: [] }
      : {
          name: 'arrivals',
          status: 'inactive',
          msg: [say`Hosts that begin to send are not noticed: the apply service reports none.`],
        },
  ]
}
