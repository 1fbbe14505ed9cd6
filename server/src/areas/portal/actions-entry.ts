// What signing in at the portal rests on: which user a login names, whether the password is still the one that was right, from
// where it is allowed, and how an outcome is recorded.

import { createHash } from 'node:crypto'
import type { Services } from '../../core/area/handle.ts'
import { counted } from '../../core/contract/counted.ts'
import { type Config, perState, read } from '../../core/model/slots.ts'
import { clockOffsets } from '../../domain/policy/schedule.ts'
import type { PortalRefusal, Refused } from '../../engines/portal/protocol.ts'
import { parseAddress, parseNetwork } from '../../shared/net/ipv4.ts'
import { settings as authorization } from '../authorization/public.ts'
import { localNetworks } from '../network/public.ts'
import { findUser, passwordPlace, type StoredUser, users } from '../users/public.ts'
import { settings } from './config.ts'
import { portalService } from './service.ts'

export const refused = (reason: PortalRefusal, retrySeconds?: number): Refused => ({
  status: 'refused',
  reason,
  ...(retrySeconds === undefined ? {} : { retrySeconds }),
})

/** One spelling of each login; those of users are stored in it. */
export const canonicalLogin = (login: string): string => login.normalize('NFKC').toLowerCase()

/** Only users made here have a password here: those of RADIUS and of directories are checked elsewhere, and never fall back. */
const byLogin = perState(
  [users],
  (config) =>
    new Map(
      read(config, users)
        .filter(({ domain_type, password_hash }) => domain_type === 'local' && password_hash !== null)
        .map((user) => [user.login, user]),
    ),
)

export const findLocal = (config: Config, login: string): StoredUser | undefined => byLogin(config).get(login)

const marks = new WeakMap<StoredUser, string>()

export const storedHash = ({ vault }: Services, { id, password_hash }: StoredUser): string | null =>
  password_hash === null ? null : vault.reveal(password_hash, passwordPlace(id))

/** Differs for every password that a user ever had; a new key of the vault does not change it. */
export function markOf(services: Services, user: StoredUser): string {
  const mark = marks.get(user) ?? markOfHash(storedHash(services, user) ?? '')
  marks.set(user, mark)
  return mark
}

export const markOfHash = (hash: string): string => createHash('sha256').update(hash).digest('base64url')

/** The user, while they may sign in and have a password that was right; null otherwise. */
export function validUser(services: Services, userId: string, ...known: readonly (string | null)[]): StoredUser | null {
  const user = findUser(services.engine.config, userId)
  // `enabled` is the option "deny access".
  if (user?.domain_type !== 'local' || user.password_hash === null || user.enabled) return null
  try {
    return known.includes(markOf(services, user)) ? user : null
  } catch {
    // A hash that does not open, because its row was edited by hand, is no one's password.
    return null
  }
}

export function isLocal({ engine, facts }: Services, address: string): boolean {
  const value = parseAddress(address) ?? -1
  return localNetworks(engine.config, facts()).some((text) => {
    const network = parseNetwork(text)
    return network !== null && value >= network.low && value <= network.high
  })
}

/** Without the personal portal only hosts of local networks sign in, and only while that is asked of them. */
export function mayEnter(services: Services, address: string): boolean {
  const { config } = services.engine
  const { allow_internet_to_everyone, web_authorization } = read(config, authorization)
  return (
    read(config, settings).enabled || (web_authorization && !allow_internet_to_everyone && isLocal(services, address))
  )
}

/** Whether a sign-in from there authorizes the host. */
export const opensHost = (services: Services, address: string): boolean =>
  read(services.engine.config, authorization).web_authorization && isLocal(services, address)

export const unixNow = ({ clock }: Services): number => Math.floor(clock.now().getTime() / 1000)

/** An unknown login may be a password typed into the wrong field, so only its first two characters are recorded. */
export const shownLogin = (user: StoredUser | undefined, login: string): string =>
  user ? user.login : `${[...printable(login)].slice(0, 2).join('')}…`

/** A line of a log stays a line. */
const printable = (text: string): string => text.replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, '?')

/** The groups under which the guard against guessing writes (docs/behaviour/logs.md 4). */
type GuardGroup = 'utm-user-cabinet' | 'utm-two-factor-codes'

/** Counts a failure of this address and account, and writes what follows from it. */
export function recordFailure(
  services: Services,
  address: string,
  user: StoredUser | undefined,
  group: GuardGroup,
): void {
  const { audit, facts } = services
  const portal = services.of(portalService)
  const seconds = unixNow(services)
  const local = new Date((seconds + clockOffsets(facts().timeZone)(seconds)) * 1000)
  const time = local.toISOString().slice(0, 19).replace('T', ' ')
  services.accounts.transact(() => {
    const { isBlocked, closed } = portal.guard.recordFailure(address, user?.id ?? null)
    portal.lines.write('fail2ban', 'info', `INFO [${group}] Found ${address} - ${time}`)
    if (isBlocked) portal.lines.write('fail2ban', 'notice', `NOTICE [${group}] Ban ${address}`)
    if (!closed || !user) return
    const message = `The account of the user ${user.login} is now closed to sign-in: ${counted(closed.failures, 'failure')} from ${counted(closed.sources, 'address', 'addresses')}. An administrator can reopen it.`
    audit.write([
      {
        event: 'lock',
        who: `user ${user.login}`,
        address,
        what: 'portal sign-in',
        result: 'ok',
        message,
        request_id: '',
        revision: null,
        changes: [],
      },
    ])
  })
}
