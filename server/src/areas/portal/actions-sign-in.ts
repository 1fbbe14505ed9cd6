// Signing in at the portal: the password, then the second factor, then the session. An unknown login, a wrong password and an
// account of another origin get the same answer after the same work. What waits for a code has no rights.

import type { Services } from '../../core/area/handle.ts'
import type { Offered } from '../../core/area/service.ts'
import { isConflict, isUnavailable } from '../../core/contract/error.ts'
import { read } from '../../core/model/slots.ts'
import type { SignInResult } from '../../engines/portal/protocol.ts'
import { userSessionsService } from '../authorization/service.ts'
import { countryName } from '../objects/public.ts'
import { countriesService } from '../objects/service.ts'
import { findGroup, type StoredUser } from '../users/public.ts'
import {
  canonicalLogin,
  findLocal,
  markOf,
  mayEnter,
  opensHost,
  recordFailure,
  refused,
  shownLogin,
  storedHash,
  validUser,
} from './actions-entry.ts'
import { beginFactor, isRightCode, storeEnrolled } from './actions-second-factor.ts'
import { settings } from './config.ts'
import { portalService } from './service.ts'

interface Asked {
  readonly address: string
}

const busySeconds = 1

export async function signIn(
  services: Services,
  { address, login, password }: Asked & { readonly login: string; readonly password: string },
): Promise<SignInResult> {
  const portal = services.of(portalService)
  if (!mayEnter(services, address)) return refused('denied')
  const early = refusedNow(services, address)
  if (early) return early
  const account = canonicalLogin(login)
  const user = findLocal(services.engine.config, account)
  const mark = user ? markOf(services, user) : ''
  const fits = await checkPassword(services, address, account, user, password)
  if (fits === null) return refused('busy', busySeconds)
  // Of attempts that were sent together, those after the one that caused the block do not count.
  const seconds = portal.guard.secondsBlocked(address)
  if (seconds > 0) return refused('blocked', seconds)
  const isClosed = user !== undefined && portal.guard.isAccountClosed(user.id)
  if (!user || !fits || isClosed) {
    // Only who signed in from there before learns that the account is closed: it must not show whether a password is right.
    const isTold = isClosed && portal.guard.isKnown(address, user.id)
    recordFailure(services, address, user, 'utm-user-cabinet')
    portal.lines.write('web-authd', 'warning', `Sign-in of '${shownLogin(user, account)}' from ${address} failed.`)
    return refused(isTold ? 'closed' : 'wrong')
  }
  if (!validUser(services, user.id, mark)) {
    portal.lines.write('web-authd', 'warning', `Sign-in of '${user.login}' from ${address} refused: access is denied.`)
    return refused('denied')
  }
  const factor = read(services.engine.config, settings).two_factor
  if (factor !== 'not_required') return beginFactor(services, { user, mark, address, factor })
  return finish(services, user, mark, address, () => true)
}

/** Blocked, or more is asked in a second than any number of people would. */
function refusedNow(services: Services, address: string): SignInResult | null {
  const portal = services.of(portalService)
  const seconds = portal.guard.secondsBlocked(address)
  if (seconds > 0) return refused('blocked', seconds)
  return portal.mayTry(address) ? null : refused('busy', busySeconds)
}

/** Null when too many wait for their turn; that counts as a try of the address. */
export async function checkPassword(
  services: Services,
  address: string,
  account: string,
  user: StoredUser | undefined,
  password: string,
): Promise<boolean | null> {
  const { passwords } = services.accounts
  const portal = services.of(portalService)
  const { guard } = portal
  // Logins of users and of administrators have separate turns.
  const visitor = { address, account: `users/${account}`, isKnown: guard.isKnown(address, user?.id ?? null) }
  const stored = user ? storedHash(services, user) : null
  try {
    return await portal.inTurn(() => passwords.fits(password, stored, visitor))
  } catch (error) {
    if (!isUnavailable(error)) throw error
    if (guard.secondsBlocked(address) === 0) guard.recordUnchecked(address, user?.id ?? null)
    return null
  }
}

export async function confirm(
  services: Services,
  { address, ticket, code }: Asked & { readonly ticket: string; readonly code: string },
): Promise<SignInResult> {
  const portal = services.of(portalService)
  if (!mayEnter(services, address)) return refused('denied')
  // Made-up tickets cost nothing, so that they do not use up the tries of others.
  if (!portal.tickets.isWaiting(ticket)) return refused('expired')
  const early = refusedNow(services, address)
  if (early) return early
  const tried = portal.tickets.try(ticket, (wait, { userId }) => isRightCode(services, wait, userId, code))
  if (!tried) return refused('expired')
  const { sign } = tried
  const user = validUser(services, sign.userId, sign.passwordMark)
  if (!user) {
    portal.tickets.end(sign.handle)
    return refused('expired')
  }
  const isClosed = portal.guard.isAccountClosed(user.id)
  if (!tried.isRight || isClosed) {
    if (isClosed) portal.tickets.end(sign.handle)
    recordFailure(services, address, user, 'utm-two-factor-codes')
    portal.lines.write('web-authd', 'warning', `The code of '${user.login}' from ${address} is wrong.`)
    return refused('wrong')
  }
  if (!(await storeEnrolled(services, user, sign, address))) {
    portal.tickets.giveBack(sign)
    return refused('no_second_factor')
  }
  const result = await finish(services, user, sign.passwordMark, address, () => portal.tickets.isOpen(sign))
  // What failed for the moment can be tried again with the same ticket.
  if (result.status === 'refused' && result.reason === 'busy') portal.tickets.giveBack(sign)
  else portal.tickets.end(sign.handle)
  return result
}

/** All is right: the host is authorized where it is a local one, and the personal session begins. */
async function finish(
  services: Services,
  user: StoredUser,
  mark: string,
  address: string,
  isWanted: () => boolean,
): Promise<SignInResult> {
  const portal = services.of(portalService)
  const userSessions = services.of(userSessionsService)
  if (portal.sessions.isFull) return refused('busy', busySeconds)
  let opened: string | null = null
  if (opensHost(services, address)) {
    try {
      opened = (await userSessions.openWeb(user.id, address)).id
    } catch (error) {
      portal.lines.write('web-authd', 'warning', `The host ${address} of '${user.login}' could not be authorized.`)
      return isConflict(error) ? refused('taken') : refused('busy', busySeconds)
    }
  }
  // The user may have been denied, removed or given another password in the time that took.
  if (!isWanted() || !validUser(services, user.id, mark)) {
    if (opened !== null) await userSessions.end(opened)
    return refused('expired')
  }
  const { token } = services.accounts.transact(() => {
    portal.guard.recordSuccess(address, user.id)
    const created = portal.sessions.create(user.id, mark, address)
    portal.journal.begin(startOf(services, user, created.session))
    return created
  })
  return { status: 'signed_in', token }
}

type Session = ReturnType<Offered<typeof portalService>['sessions']['list']>[number]

function startOf(services: Services, user: StoredUser, { handle, startedAt, address }: Session) {
  const { engine } = services
  const countries = services.of(countriesService)
  const country_code = countries?.codeOf(address) ?? ''
  return {
    id: handle,
    started: startedAt,
    user_id: Number(user.id.replace(/^user\.id\./, '')),
    login: user.login,
    name: user.name,
    group_name: findGroup(engine.config, user.parent_id)?.name ?? '',
    domain_type: user.domain_type,
    ip: address,
    country_name: countryName(country_code),
    country_code,
  }
}
