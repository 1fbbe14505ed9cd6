// Signing in, signing out and sessions. An unknown login, a wrong password, a disabled and a locked account all get the same
// answer after the same work.

import { X509Certificate } from 'node:crypto'
import { type Context, handle, type Route, type Services, signedIn } from '../../core/area/handle.ts'
import { competences, roles } from '../../core/contract/access.ts'
import { counted } from '../../core/contract/counted.ts'
import { type Endpoint, freshSignInSeconds, nameOf } from '../../core/contract/endpoint.ts'
import { GatewayError, notFound } from '../../core/contract/error.ts'
import { say } from '../../shared/said.ts'
import {
  canonicalLogin,
  findById,
  findByLogin,
  passwordPlace,
  renewPasswordHash,
  type StoredAdministrator,
} from '../administrators/public.ts'
import { countriesService } from '../objects/service.ts'
import { portalService } from '../portal/service.ts'
import {
  type AdminSession,
  type ClosedAccount,
  endSession,
  liftBlocks,
  listBlocks,
  listClosedAccounts,
  listSessions,
  ownSession,
  reopenAccount,
  showConsole,
  signIn,
  signInStatus,
  signOut,
  whoAmI,
} from './contract.ts'
import { managementCertificateService } from './service.ts'
import { signInStatusItems } from './status.ts'

export const routes: readonly Route[] = [
  handle(
    signIn,
    async (context) => {
      const { body, services, address } = context
      const restPath = services.accounts.cookieJar.checkRestPath(body.rest_path)
      refuseBlocked(context)
      const admin = await findSignedIn(context)
      // Of attempts that were sent together, those after the one that caused the block do not count.
      refuseBlocked(context)
      if (!admin || !isUnchanged(services, admin)) throw refuseSignIn(context)
      const tokens = services.accounts.transact(() => {
        services.accounts.guard.recordSuccess(address, admin.id)
        services.accounts.firstPassword.recordUse(admin)
        endPresented(context)
        services.audit.write([record(context, signIn, 'sign-in', admin.login, 'ok', 'Signed in.')])
        return services.accounts.sessions.create(admin.id, address, restPath)
      })
      context.setHeader('set-cookie', services.accounts.cookieJar.set(tokens, restPath))
    },
    { audits: true },
  ),

  handle(
    signOut,
    (context) => {
      const { services } = context
      const { session, login } = signedIn(context)
      services.accounts.transact(() => {
        services.accounts.sessions.end(session.handle)
        services.audit.write([record(context, signOut, 'sign-out', login, 'ok', 'Signed out.')])
      })
      context.setHeader('set-cookie', services.accounts.cookieJar.clear(context.cookieHeader, session.restPath))
      context.setHeader('clear-site-data', '"cache", "storage"')
    },
    { audits: true },
  ),

  handle(showConsole, ({ identity, services }) => ({
    brand: services.brand,
    host_name: services.hostName,
    certificate_sha256: fingerprintOf(services.of(managementCertificateService)?.() ?? null),
    ...(identity ? { time_zone: Temporal.Now.timeZoneId() } : {}),
  })),

  handle(whoAmI, (context) => {
    const { login, name, role } = signedIn(context)
    return { login, name, role_id: role, role_name: roles[role], competence: [...competences[role]] }
  }),

  handle(ownSession, (context) => {
    const { clock } = context.services
    const { sessions } = context.services.accounts
    const { session, adminId, mustChangePassword } = signedIn(context)
    const fresh = freshSignInSeconds - (clock.elapsed() - session.createdAt)
    return {
      id: session.handle,
      seconds_left: sessions.secondsLeft(session),
      fresh_seconds_left: Math.max(0, Math.ceil(fresh)),
      admin_id: adminId,
      must_change_password: mustChangePassword,
    }
  }),

  handle(listSessions, ({ config, services }) =>
    services.accounts.sessions.list().flatMap((session) => {
      const admin = findById(config, session.adminId)
      const country = services.of(countriesService)?.codeOf(session.address) ?? ''
      return admin ? [showSession(session, admin, country)] : []
    }),
  ),

  handle(endSession, (context) => {
    const { params, services } = context
    const identity = signedIn(context)
    const session = services.accounts.sessions.find(params.session_id)
    const isOwn = session?.handle === identity.session.handle
    if (!isOwn && !context.isFullAdministrator) {
      throw new GatewayError('forbidden', say`Only an administrator with full access can end another session.`)
    }
    if (!session) throw notFound(say`session with this id`)
    services.accounts.sessions.end(session.handle)
  }),

  handle(listBlocks, ({ services }) => {
    const ofUsers = services.of(portalService).guard.listBlocks()
    return [...services.accounts.guard.listBlocks(), ...ofUsers.map((block) => ({ ...block, realm: 'users' as const }))]
  }),
  handle(liftBlocks, ({ services }) =>
    services.accounts.transact(() => {
      services.accounts.guard.liftBlocks()
      services.of(portalService).guard.liftBlocks()
    }),
  ),

  handle(listClosedAccounts, closedAccounts),
  handle(
    reopenAccount,
    (context) => {
      const { params, config, services } = context
      const admin = findById(config, params.admin_id)
      services.accounts.transact(() => {
        if (!admin || !services.accounts.guard.reopenAccount(admin.id)) throw notFound(say`closed account with this id`)
        const message = `The account ${admin.login} is open to sign-in again.`
        services.audit.write([record(context, reopenAccount, 'lock', signedIn(context).login, 'ok', message)])
      })
    },
    { audits: true },
  ),
  handle(signInStatus, (context) => signInStatusItems(closedAccounts(context))),
]

/** That of the first certificate, which is the one of the gateway itself. */
const fingerprintOf = (chain: string | null): string | null =>
  chain === null ? null : new X509Certificate(chain).fingerprint256

function closedAccounts({ config, services }: Pick<Context, 'config' | 'services'>): ClosedAccount[] {
  return services.accounts.guard.listClosed().flatMap(({ adminId, since, failures, sources }) => {
    const admin = findById(config, adminId)
    return admin ? [{ admin_id: adminId, login: admin.login, since, failures, addresses: sources }] : []
  })
}

type SignInContext = Context<typeof signIn>

function refuseBlocked(context: SignInContext): void {
  const seconds = context.services.accounts.guard.secondsBlocked(context.address)
  if (seconds === 0) return
  refused(context, 'too_many_requests', 'The address is blocked.')
  throw blocked(seconds)
}

/** Refusals before a password was checked: there is no limit to how many a flood can cause. */
const refused = (context: SignInContext, result: AuditEntry['result'], message: string): void =>
  context.services.accounts.refusedSignIns.refused(record(context, signIn, 'sign-in', '', result, message))

const blocked = (seconds: number): GatewayError =>
  new GatewayError(
    'too_many_requests',
    say`Too many failed sign-ins from this address. Try again in ${Math.ceil(seconds / 60)} min (${seconds} s).`,
    { retryAfterSeconds: seconds },
  )

/** The administrator whose password this is; null for every kind of failure. */
async function findSignedIn(context: SignInContext): Promise<StoredAdministrator | null> {
  const { body, config, services } = context
  // Directories and RADIUS are separate sources of identity and never fall back to local accounts
  // (docs/behaviour/security.md 11).
  const admin = body.login.includes('@') ? undefined : findByLogin(config, body.login)
  const stored = admin ? services.vault.reveal(admin.password_hash, passwordPlace(admin.id)) : null
  const fits = await checkPassword(context, admin?.id ?? null, stored)
  if (!admin || !fits || !admin.enabled || services.accounts.guard.isAccountClosed(admin.id)) return null
  if (services.accounts.firstPassword.isExpired(admin)) return null
  if (stored !== null && isUnchanged(services, admin) && services.accounts.passwords.isOutdated(stored))
    await renewHash(context, admin)
  return admin
}

/** Hashing takes time, and so does storing a better hash: the account may have been disabled or got another password since. */
function isUnchanged({ engine }: Services, admin: StoredAdministrator): boolean {
  const now = findById(engine.config, admin.id)
  return now?.enabled === true && now.password_timestamp === admin.password_timestamp
}

/** Waits for its turn among all that sign in. One that is refused instead counts as a try. */
async function checkPassword(context: SignInContext, adminId: string | null, stored: string | null): Promise<boolean> {
  const { body, services, address } = context
  const { guard, passwords } = services.accounts
  const visitor = { address, account: canonicalLogin(body.login), isKnown: guard.isKnown(address, adminId) }
  try {
    return await passwords.fits(body.password, stored, visitor)
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'unavailable') throw error
    refuseBlocked(context)
    const { isBlocked } = guard.recordUnchecked(address, adminId)
    refused(context, 'unavailable', isBlocked ? `${error.message} The address is now blocked.` : error.message)
    throw error
  }
}

/** Replaces a hash of a lower cost than today's while the password is known. The password stays the same. */
async function renewHash(
  { body, services, address, requestId }: SignInContext,
  admin: StoredAdministrator,
): Promise<void> {
  const hash = await services.accounts.passwords.hash(body.password)
  const password_hash = services.vault.seal(hash, passwordPlace(admin.id))
  await services
    .changeAsGateway((config) => renewPasswordHash(config, admin, password_hash), {
      actor: { login: admin.login, address },
      reason: say`Password hash renewed at sign-in`,
      requestId,
    })
    // During a probation nothing can change; the next sign-in tries again.
    .catch(() => {})
}

function refuseSignIn(context: SignInContext): GatewayError {
  const { services, address, body, config } = context
  const admin = findByLogin(config, body.login)
  services.accounts.transact(() => {
    const { isBlocked, closed } = services.accounts.guard.recordFailure(address, admin?.id ?? null)
    const message = isBlocked ? 'Sign-in failed. The address is now blocked.' : 'Sign-in failed.'
    const who = shownLogin(admin, body.login)
    services.audit.write([
      record(context, signIn, 'sign-in', who, 'unauthenticated', message),
      ...(closed ? [record(context, signIn, 'lock', who, 'ok', closedMessage(who, closed))] : []),
    ])
  })
  return new GatewayError('unauthenticated', say`The login or the password is wrong.`)
}

const closedMessage = (login: string, { failures, sources }: ReturnType<Guard['listClosed']>[number]): string =>
  `The account ${login} is now closed to sign-in: ${counted(failures, 'failure')} from ${counted(sources, 'address', 'addresses')}. Another administrator ` +
  'can reopen it, or gw admin reset on the machine.'

/** An unknown login may be a password typed into the wrong field, so only its first two characters are recorded. */
const shownLogin = (admin: StoredAdministrator | undefined, login: string): string =>
  admin ? admin.login : `${[...login].slice(0, 2).join('')}…`

/** Ends a session presented at sign-in, because an attacker may have planted it. */
function endPresented(context: SignInContext): void {
  const { identity, services } = context
  if (identity) services.accounts.sessions.end(identity.session.handle)
}

/** The events that the area writes itself, within the transaction that causes them. */
function record(
  { address, requestId }: { address: string; requestId: string },
  endpoint: Endpoint,
  event: 'sign-in' | 'sign-out' | 'lock',
  who: string,
  result: AuditEntry['result'],
  message: string,
): AuditEntry {
  const what = nameOf(endpoint)
  return { event, who, address, what, result, message, request_id: requestId, revision: null, changes: [] }
}

type Guard = Services['accounts']['guard']

type AuditEntry = Parameters<Services['audit']['note']>[0]

type ListedSession = ReturnType<Services['accounts']['sessions']['list']>[number]

const showSession = (session: ListedSession, admin: StoredAdministrator, country_code: string): AdminSession => ({
  id: session.handle,
  login: admin.login,
  name: admin.name,
  competence: [...competences[admin.role]],
  role_id: admin.role,
  role_name: roles[admin.role],
  domain_name: '',
  ip: session.address,
  auth_type: 'local',
  auth_rule_id: '',
  admin_id: admin.id,
  login_timestamp: session.loginTimestamp,
  country_code,
})
