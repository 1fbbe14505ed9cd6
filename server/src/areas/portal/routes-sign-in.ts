// Endpoints of who is signed in at the portal, of second factors, of closed accounts and of the providers that deliver codes.

import { type Context, handle, type Route } from '../../core/area/handle.ts'
import { notFound } from '../../core/contract/error.ts'
import { printStamp } from '../../core/contract/table-query.ts'
import { readId } from '../../core/model/declarations.ts'
import { removeFrom, updateSettings } from '../../core/model/lists.ts'
import { clockOffsets } from '../../domain/policy/schedule.ts'
import { say } from '../../shared/said.ts'
import { countriesService } from '../objects/service.ts'
import { findUser, userIds } from '../users/public.ts'
import { validUser } from './actions-entry.ts'
import * as contract from './contract-sign-in.ts'
import {
  factorOf,
  patchedProviders,
  providerSettings,
  providers,
  secondFactorList,
  secondFactors,
  shownProviders,
} from './lists-second-factors.ts'
import { portalService } from './service.ts'

/** The id of a user as a path gives it. */
const idOf = (given: string): string => String(readId({ ids: userIds }, given))

const numberOf = (userId: string): number => Number(userId.replace(/^user\.id\./, ''))

function portalSessions({ services }: Pick<Context, 'services'>): contract.PortalSession[] {
  const { facts } = services
  const portal = services.of(portalService)
  const countries = services.of(countriesService)
  const offsetAt = clockOffsets(facts().timeZone)
  const show = (
    one: { readonly handle: string; readonly userId: string; readonly passwordMark: string; readonly address: string },
    seconds: number,
    status: contract.PortalSession['status'],
  ): contract.PortalSession[] => {
    const user = validUser(services, one.userId, one.passwordMark)
    if (!user) return []
    return [
      {
        id: one.handle,
        user_id: numberOf(user.id),
        login: user.login,
        name: user.name,
        ip: one.address,
        country_code: countries?.codeOf(one.address) ?? '',
        status,
        start: printStamp(seconds + offsetAt(seconds)),
      },
    ]
  }
  return [
    ...portal.sessions.list().flatMap((session) => show(session, session.startedAt, 'authorized')),
    ...portal.tickets.list().flatMap((ticket) => {
      const status = ticket.wait.kind === 'enrolment' ? 'generating_totp' : 'waiting_2fa'
      return show(ticket, Math.floor(ticket.startedAt / 1000), status)
    }),
  ]
}

export const signInRoutes: readonly Route[] = [
  handle(contract.listSessions, portalSessions),
  handle(contract.endSession, ({ params, services }) => {
    const { sessions, tickets } = services.of(portalService)
    if (!sessions.end(params.session_id) && !tickets.end(params.session_id)) throw notFound(say`session with this id`)
  }),

  handle(
    contract.resetSecondFactor,
    async ({ params, change, services }) => {
      const userId = idOf(params.user_id)
      await change((config, { referencesTo }) => {
        const factor = factorOf(config, userId)
        if (!factor) throw notFound(say`second factor of this user`)
        return removeFrom(config, secondFactorList, factor.id, referencesTo)
      })
      services.of(portalService).tickets.endAllOf(userId)
    },
    { slot: secondFactors },
  ),

  handle(contract.listClosedUsers, ({ config, services }) =>
    services
      .of(portalService)
      .guard.listClosed()
      .flatMap(({ adminId, since, failures, sources }) => {
        const user = findUser(config, adminId)
        return user ? [{ user_id: numberOf(user.id), login: user.login, since, failures, addresses: sources }] : []
      }),
  ),
  handle(contract.reopenUser, (context) => {
    const { params, config, services } = context
    const user = findUser(config, idOf(params.user_id))
    if (!user || !services.of(portalService).guard.reopenAccount(user.id))
      throw notFound(say`closed account with this id`)
    context.audit(`The account of the user ${user.login} is open to sign-in again.`)
  }),

  handle(contract.showProviders, ({ config }) => shownProviders(config), { slot: providers }),
  handle(
    contract.updateProviders,
    ({ body, change, services }) =>
      change((config) => updateSettings(config, providerSettings, patchedProviders(config, body, services.vault))),
    { slot: providers },
  ),
]
