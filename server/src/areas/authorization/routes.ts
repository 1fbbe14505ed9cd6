// Endpoints of authorization: rules and settings, sessions of users, status.

import { type Context, handle, type Route } from '../../core/area/handle.ts'
import { listRoutes, settingsRoutes } from '../../core/area/routes.ts'
import { notFound } from '../../core/contract/error.ts'
import { printStamp } from '../../core/contract/table-query.ts'
import { createSlices } from '../../core/workers/slices.ts'
import { clockOffsets } from '../../domain/policy/schedule.ts'
import { say } from '../../shared/said.ts'
import { countriesService } from '../objects/service.ts'
import { findGroup, findUser } from '../users/public.ts'
import { authorizationSettings } from './config.ts'
import * as contract from './contract.ts'
import type { AuthSession } from './contract-sessions.ts'
import { ruleList } from './lists.ts'
import { userSessionsService } from './service.ts'
import { authorizationItems } from './status.ts'

/** Tens of thousands, in slices between which others are answered. */
async function showSessions({ config, services }: Context): Promise<AuthSession[]> {
  const now = Math.floor(services.clock.now().getTime() / 1000)
  const offsetAt = clockOffsets(services.facts().timeZone)
  const slices = createSlices()
  const shown: AuthSession[] = []
  for (const { id, userId, type, address, mac, state, startedAt, ruleId } of services.of(userSessionsService).list()) {
    const user = findUser(config, userId)
    await slices()
    // A session that its user does not outlive ends in this moment.
    if (!user) continue
    shown.push({
      id,
      user_id: Number(userId.split('.').at(-1)),
      login: user.login,
      name: user.name,
      group_name: findGroup(config, user.parent_id)?.name ?? '',
      domain_type: user.domain_type,
      type,
      ip: address,
      mac,
      state,
      start: printStamp(startedAt + offsetAt(startedAt)),
      time_online: Math.max(0, now - startedAt),
      country_code: services.of(countriesService)?.codeOf(address) ?? '',
      rule_id: ruleId,
    })
  }
  return shown
}

export const routes: readonly Route[] = [
  ...listRoutes(contract.authorizationRules, ruleList),
  ...settingsRoutes(contract.authorizationSettings, authorizationSettings),
  handle(contract.listSessions, showSessions),
  handle(contract.endSession, async (context) => {
    const { params, config, services, requireAuthority } = context
    const session = services.of(userSessionsService).find(params.session_id)
    requireAuthority()
    if (!session || !(await services.of(userSessionsService).end(session.id))) throw notFound(say`session with this id`)
    const login = findUser(config, session.userId)?.login ?? session.userId
    context.audit(`The session of the user ${login} at ${session.address} was ended.`)
  }),
  handle(contract.status, ({ config, services }) => authorizationItems(config, services.of(userSessionsService))),
]
