// What a user who is signed in at the portal can do: see and end their own sessions, change the password, sign out.

import type { Services } from '../../core/area/handle.ts'
import type { Offered } from '../../core/area/service.ts'
import { updateItem } from '../../core/model/list-edits.ts'
import { perState, read } from '../../core/model/slots.ts'
import {
  type HostState,
  longestPassword,
  type PasswordWeakness,
  type PersonalPage,
  type PortalVerbs,
  type Refused,
  shortestPassword,
} from '../../engines/portal/protocol.ts'
import { say } from '../../shared/said.ts'
import { settings as authorization, authorizationRules } from '../authorization/public.ts'
import { userSessionsService } from '../authorization/service.ts'
import { findUser, passwordPlace, type StoredUser, userId, users } from '../users/public.ts'
import { markOf, markOfHash, recordFailure, refused, validUser } from './actions-entry.ts'
import { checkPassword } from './actions-sign-in.ts'
import { portalService } from './service.ts'

type Args<V extends keyof PortalVerbs> = PortalVerbs[V]['args']
type UserSession = ReturnType<Offered<typeof userSessionsService>['list']>[number]
type PortalSession = ReturnType<Offered<typeof portalService>['sessions']['list']>[number]

const done = { status: 'done' } as const

/** The session of a token and its user, as they are at this moment; null when the token opens nothing (any more). */
function opened(
  services: Services,
  token: string,
  address: string,
): { readonly user: StoredUser; readonly session: PortalSession } | null {
  const session = services.of(portalService).sessions.open(token, address)
  if (!session) return null
  const user = validUser(services, session.userId, session.passwordMark, session.nextMark)
  if (user) return { user, session }
  services.of(portalService).sessions.end(session.handle)
  return null
}

/** Addresses of rules whose user is denied. */
const deniedHosts = perState(
  [authorizationRules, users],
  (config) =>
    new Set(
      read(config, authorizationRules)
        .filter((rule) => rule.enabled && findUser(config, userId(rule.user_id))?.enabled)
        .map(({ ip }) => ip),
    ),
)

export async function hostState(services: Services, { address }: Args<'host'>): Promise<HostState> {
  const userSessions = services.of(userSessionsService)
  // Who has no session yet, but is let through by a rule, is not sent to the sign-in page.
  const expected = userSessions.at(address) ? undefined : await userSessions.expectedAt(address)
  const { config } = services.engine
  const { allow_internet_to_everyone, session_minutes } = read(config, authorization)
  const session = userSessions.at(address)
  const id = session?.userId ?? expected
  const isConnected = session ? session.state === 'connected' : expected !== undefined
  const user = id === undefined ? undefined : findUser(config, id)
  return {
    isEnforced: !allow_internet_to_everyone,
    isAuthorized: allow_internet_to_everyone || isConnected,
    user: user ? { login: user.login, name: user.name } : null,
    isSignedIn: session?.type === 'web',
    refusal: isConnected ? null : refusalOf(services, session, address),
    idleSeconds: session ? session_minutes * 60 : null,
  }
}

function refusalOf(services: Services, session: UserSession | undefined, address: string): HostState['refusal'] {
  if (session) return 'over_limit'
  if (deniedHosts(services.engine.config).has(address)) return 'denied'
  return services.of(portalService).guard.secondsBlocked(address) > 0 ? 'blocked' : null
}

export function personalPage(services: Services, { address, token }: Args<'personal'>): PersonalPage | null {
  const own = opened(services, token, address)
  if (!own) return null
  const { user } = own
  return {
    login: user.login,
    name: user.name,
    sessions: services
      .of(userSessionsService)
      .ofUser(user.id)
      .map(({ id, type, address: at, state, startedAt }) => ({
        id,
        type,
        address: at,
        state,
        startedAt,
        isThis: at === address,
      })),
    canChangePassword: user.domain_type === 'local',
  }
}

export async function endOwnSession(
  services: Services,
  { address, token, id }: Args<'endSession'>,
): Promise<PortalVerbs['endSession']['result']> {
  const own = opened(services, token, address)
  const session =
    own &&
    services
      .of(userSessionsService)
      .ofUser(own.user.id)
      .find((one) => one.id === id)
  if (!own || !session) return refused('expired')
  await services.of(userSessionsService).end(session.id)
  services
    .of(portalService)
    .lines.write(
      'user-cabinet-backend',
      'info',
      `User '${own.user.login}' ended the session of ${session.address} from ${address}.`,
    )
  return done
}

export async function signOut(
  services: Services,
  { address, token }: Args<'signOut'>,
): Promise<PortalVerbs['signOut']['result']> {
  const own = token === null ? null : services.of(portalService).sessions.open(token, address)
  if (own) {
    const login = findUser(services.engine.config, own.userId)?.login ?? own.userId
    services.of(portalService).sessions.end(own.handle)
    services
      .of(portalService)
      .lines.write('user-cabinet-backend', 'info', `User '${login}' signed out from ${address}.`)
  }
  const host = services.of(userSessionsService).at(address)
  if (host?.type === 'web') await services.of(userSessionsService).end(host.id)
  return done
}

export async function changePassword(
  services: Services,
  { address, token, current, next }: Args<'changePassword'>,
): Promise<PortalVerbs['changePassword']['result']> {
  const { passwords } = services.accounts
  const portal = services.of(portalService)
  const userSessions = services.of(userSessionsService)
  const own = opened(services, token, address)
  if (!own) return refused('expired')
  const { user, session } = own
  const seconds = portal.guard.secondsBlocked(address)
  if (seconds > 0) return refused('blocked', seconds)
  if (!portal.mayTry(address)) return refused('busy', 1)
  const fits = await checkPassword(services, address, user.login, user, current)
  if (fits === null) return refused('busy', 1)
  // Of tries that were sent together, those after the one that caused the block do not count.
  const blocked = portal.guard.secondsBlocked(address)
  if (blocked > 0) return refused('blocked', blocked)
  // As at the sign-in, a closed account does not show whether a guess was right.
  if (!fits || portal.guard.isAccountClosed(user.id)) {
    recordFailure(services, address, user, 'utm-user-cabinet')
    return refused('wrong')
  }
  const weakness = weaknessOf(services, user, current, next)
  if (weakness) return weakness
  const web = userSessions.at(address)
  const isOwnHost = web?.type === 'web' && web.userId === user.id
  try {
    const hash = await passwords.hash(next)
    const mark = markOfHash(hash)
    // The change ends the sessions of every other password before it returns.
    portal.sessions.announceMark(session.handle, mark)
    await storePassword(services, user, hash, address)
    if (!validUser(services, user.id, mark)) return refused('expired')
    portal.sessions.setPasswordMark(session.handle, mark)
  } catch {
    // Too many hashes at once, a probation or a full disk.
    return refused('busy', 1)
  } finally {
    portal.sessions.announceMark(session.handle, null)
  }
  // A new password ends the web sessions of the user; that of the host which just proved the old one begins again.
  if (isOwnHost) await userSessions.openWeb(user.id, address).catch(() => {})
  portal.lines.write('user-cabinet-backend', 'info', `User '${user.login}' changed the password from ${address}.`)
  return done
}

function weaknessOf(services: Services, { login }: StoredUser, current: string, next: string): Refused | null {
  const weak = (weakness: PasswordWeakness): Refused => ({ status: 'refused', reason: 'weak', weakness })
  if (next.length < shortestPassword) return weak('short')
  if (next.length > longestPassword) return weak('long')
  if (next === current) return weak('same')
  const isGuessable = services.accounts.weaknessOf(next, [login, services.brand, services.hostName]) !== null
  return isGuessable ? weak('guessable') : null
}

/** Only over the password that was just proved: another one may have been set since. */
async function storePassword(services: Services, user: StoredUser, hash: string, address: string): Promise<void> {
  await services.changeAsGateway(
    (config) => {
      const stored = findUser(config, user.id)
      if (!stored || markOf(services, stored) !== markOf(services, user)) return config
      const password_hash = services.vault.seal(hash, passwordPlace(user.id))
      return updateItem(config, users, { ...stored, password_hash })
    },
    { reason: say`Password changed by its user`, actor: { login: `user ${user.login}`, address } },
  )
}

/** Ends what users may not have any more: they were denied, removed or got another password. */
export function endInvalid(services: Services): void {
  const { sessions, tickets } = services.of(portalService)
  sessions.endUnless((one) => validUser(services, one.userId, one.passwordMark, one.nextMark) !== null)
  for (const sign of tickets.list()) if (!validUser(services, sign.userId, sign.passwordMark)) tickets.end(sign.handle)
}
