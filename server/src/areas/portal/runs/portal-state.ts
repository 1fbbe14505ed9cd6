// What gatewayd keeps for the portal beside the configuration: who is signed in, who waits for a second factor, and the limits
// that hold for all clients together, because the portal itself says which client asks.

import { SignInGuard } from '../../../core/accounts/sign-in-guard.ts'
import type { Tables } from '../../../core/database/shelter.ts'
import type { LogStore } from '../../../domain/logs/store.ts'
import { UnitLines } from '../../../domain/logs/unit-lines.ts'
import { type Clock, unixSeconds } from '../../../shared/time/clock.ts'
import { Allowance, Allowances } from './allowance.ts'
import { AuthJournal, type AuthStart } from './auth-journal.ts'
import { OneTimeCodes } from './one-time-codes.ts'
import { PortalSessions } from './portal-sessions.ts'
import { Tickets } from './tickets.ts'

/** Passwords and codes that are judged in a second, of all clients together, and how many may come at once. */
const signInsPerSecond = 20
const signInsAtOnce = 300
/** Of them one address may use so many: none uses up what is for all. Many users can be behind one. */
const signInsOfAddress = 20
const perSecondOfAddress = 0.5
/** Messages to one user: each costs money, and its receiver attention. */
const messagesOfUser = 5
const messagesSeconds = 15 * 60
const messagesAtOnce = 60
const messagesPerSecond = 0.5
/** Passwords and codes that are being judged; the hash of a password waits for its turn. */
const mostChecks = 64

export interface PortalParts {
  readonly accounts: Tables
  readonly logs: Pick<LogStore, 'append' | 'flush' | 'marks'>
  /** Sessions that an earlier release noted elsewhere and whose end it did not. */
  readonly earlier?: readonly AuthStart[]
  readonly clock: Clock
  readonly onFault: (error: unknown) => void
}

export type PortalState = ReturnType<typeof createPortalState>

export function createPortalState({ accounts, logs, earlier = [], clock, onFault }: PortalParts) {
  const journal = new AuthJournal({ database: accounts, logs, onFault })
  journal.adopt(earlier)
  const sessions = new PortalSessions({
    database: accounts,
    clock,
    onEnded: ({ handle, endedAt }) => journal.end(handle, endedAt),
  })
  const open = new Set(sessions.list().map(({ handle }) => handle))
  journal.endOthers((id) => open.has(id), unixSeconds(clock.now()))
  const signIns = new Allowance(clock.elapsed, signInsAtOnce, signInsPerSecond)
  const ofAddress = new Allowances(clock.elapsed, signInsOfAddress, perSecondOfAddress)
  const ofUser = new Allowances(clock.elapsed, messagesOfUser, messagesOfUser / messagesSeconds)
  const ofAll = new Allowance(clock.elapsed, messagesAtOnce, messagesPerSecond)
  let checks = 0
  return {
    guard: new SignInGuard(accounts, clock, 'users'),
    lines: new UnitLines(logs, clock.now),
    codes: new OneTimeCodes(accounts, clock),
    tickets: new Tickets(clock),
    journal,
    sessions,
    signIns,
    /** May another password or code of this address be judged now? */
    mayTry: (address: string): boolean => ofAddress.take(address) && signIns.take(),
    mayMessage: (userId: string): boolean => ofUser.take(userId) && ofAll.take(),
    /** Null when too many passwords and codes are being judged. */
    async inTurn<T>(work: () => Promise<T>): Promise<T | null> {
      if (checks >= mostChecks) return null
      checks += 1
      try {
        return await work()
      } finally {
        checks -= 1
      }
    },
  }
}
