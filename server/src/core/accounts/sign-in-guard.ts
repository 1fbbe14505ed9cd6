// Guessing protection: counts failed sign-ins per source and per account, blocks sources, closes accounts, and remembers from
// where an account signed in. Counters survive a restart. docs/decisions/0035-guessing.md says what clears what.

import { type Source, sourceOf } from '../../shared/net/source.ts'
import { type Clock, unixSeconds } from '../../shared/time/clock.ts'
import type { Tables } from '../database/shelter.ts'

export interface GuardLimits {
  readonly failures: number
  readonly windowSeconds: number
  readonly blockSeconds: number
  /** Failures, from all sources together, that close an account until an administrator reopens it. */
  readonly accountFailures: number
  /** A failure counts against its account for this long, unless the account signs in from the same source. */
  readonly accountSeconds: number
  /** A source from which an account signed in is known for this long. */
  readonly knownSeconds: number
}

const day = 24 * 3600

export const defaultGuardLimits: GuardLimits = {
  failures: 6,
  windowSeconds: 15 * 60,
  blockSeconds: 45 * 60,
  accountFailures: 100,
  accountSeconds: 30 * day,
  knownSeconds: 30 * day,
}

const maxKnownOfAccount = 16
/** Refusals within the time that Retry-After names are one try: many who sign in at once are not a guesser. */
const uncheckedSeconds = 1
/** Sources whose sign-ins were refused unchecked; the one counted longest ago makes room. */
const maxUnchecked = 10_000

export interface Block {
  readonly address: string
  readonly seconds_left: number
}

export interface ClosedAccount {
  readonly adminId: string
  /** Unix seconds. */
  readonly since: number
  readonly failures: number
  readonly sources: number
}

export interface FailureOutcome {
  /** This failure was the one that blocks the source. */
  readonly isBlocked: boolean
  /** Set when this failure was the one that closes the account. */
  readonly closed: ClosedAccount | null
}

/** For failures with a login that no account has. */
const noAccount = ''

/**
 * Whose sign-ins are counted. Administrators and users of the portal share the tables and nothing else: sources of users have a
 * prefix there, and ids of users (`user.id.<n>`) are never ids of administrators.
 */
export type GuardRealm = 'administrators' | 'users'
const usersPrefix = 'users/'

export class SignInGuard {
  readonly #database: Tables
  readonly #clock: Clock
  readonly #limits: GuardLimits
  readonly #realm: GuardRealm
  /** Only in memory: a flood of refusals must not cost a write each. */
  readonly #unchecked = new Map<Source, { readonly adminId: string; readonly at: number }[]>()

  constructor(database: Tables, clock: Clock, realm: GuardRealm = 'administrators') {
    this.#database = database
    this.#clock = clock
    this.#limits = defaultGuardLimits
    this.#realm = realm
    database.transact(() => {
      this.#adoptOtherBoots()
      this.#prune()
    })
  }

  /** After a reboot elapsed time starts again: blocks and counts keep their full length from now on. */
  #adoptOtherBoots(): void {
    const now = this.#clock.elapsed()
    const { boot } = this.#clock
    this.#database
      .prepare('UPDATE sign_in_blocks SET boot = ?, until = ? WHERE boot <> ?')
      .run(boot, now + this.#limits.blockSeconds, boot)
    this.#database.prepare('UPDATE sign_in_failures SET boot = ?, at = ? WHERE boot <> ?').run(boot, now, boot)
    this.#database.prepare('UPDATE account_failures SET boot = ?, at = ? WHERE boot <> ?').run(boot, now, boot)
    this.#database.prepare('UPDATE known_sources SET boot = ?, at = ? WHERE boot <> ?').run(boot, now, boot)
  }

  #prune(): void {
    const now = this.#clock.elapsed()
    const { windowSeconds, accountSeconds, knownSeconds } = this.#limits
    this.#database.prepare('DELETE FROM sign_in_blocks WHERE until <= ?').run(now)
    this.#database.prepare('DELETE FROM sign_in_failures WHERE at <= ?').run(now - windowSeconds)
    this.#database.prepare('DELETE FROM account_failures WHERE at <= ?').run(now - accountSeconds)
    this.#database.prepare('DELETE FROM known_sources WHERE at <= ?').run(now - knownSeconds)
  }

  /** A source as the tables have it. */
  #keyOf(source: Source): string {
    return this.#isOfUsers ? `${usersPrefix}${source}` : source
  }

  get #isOfUsers(): 0 | 1 {
    return this.#realm === 'users' ? 1 : 0
  }

  /** Seconds until this address may try again; 0 when it may. */
  secondsBlocked(address: string): number {
    const row = this.#database
      .prepare<{ until: number }>('SELECT until FROM sign_in_blocks WHERE source = ?')
      .get(this.#keyOf(sourceOf(address)))
    return row ? this.#secondsUntil(row.until) : 0
  }

  #secondsUntil(until: number): number {
    return Math.max(0, Math.ceil(until - this.#clock.elapsed()))
  }

  /** A password that did not fit. `adminId` is null for a login that no administrator has. */
  recordFailure(address: string, adminId: string | null): FailureOutcome {
    const source = sourceOf(address)
    const now = this.#clock.elapsed()
    return this.#database.transact(() => {
      this.#prune()
      this.#database
        .prepare('INSERT INTO sign_in_failures (source, admin_id, boot, at) VALUES (?, ?, ?, ?)')
        .run(this.#keyOf(source), adminId ?? noAccount, this.#clock.boot, now)
      return { isBlocked: this.#blockIfDue(source), closed: adminId === null ? null : this.#count(source, adminId) }
    })
  }

  /** A sign-in that was refused before its password was checked counts against its source; no account closes because of it. */
  recordUnchecked(address: string, adminId: string | null): Pick<FailureOutcome, 'isBlocked'> {
    const source = sourceOf(address)
    const now = this.#clock.elapsed()
    const tries = this.#recentUnchecked(source)
    if (tries.some(({ at }) => now - at < uncheckedSeconds)) return { isBlocked: false }
    this.#unchecked.delete(source)
    this.#unchecked.set(source, [...tries, { adminId: adminId ?? noAccount, at: now }])
    const [oldest] = this.#unchecked.keys()
    if (this.#unchecked.size > maxUnchecked && oldest !== undefined) this.#unchecked.delete(oldest)
    return { isBlocked: this.#database.transact(() => this.#blockIfDue(source)) }
  }

  #recentUnchecked(source: Source): readonly { readonly adminId: string; readonly at: number }[] {
    const since = this.#clock.elapsed() - this.#limits.windowSeconds
    return (this.#unchecked.get(source) ?? []).filter(({ at }) => at > since)
  }

  #blockIfDue(source: Source): boolean {
    const now = this.#clock.elapsed()
    const { count } = this.#database
      .prepare('SELECT count(*) AS count FROM sign_in_failures WHERE source = ? AND at > ?')
      .get(this.#keyOf(source), now - this.#limits.windowSeconds) as { count: number }
    if (count + this.#recentUnchecked(source).length < this.#limits.failures) return false
    this.#unchecked.delete(source)
    this.#database.prepare('DELETE FROM sign_in_failures WHERE source = ?').run(this.#keyOf(source))
    this.#database
      .prepare(
        `INSERT INTO sign_in_blocks (source, boot, until) VALUES (?, ?, ?)
         ON CONFLICT (source) DO UPDATE SET boot = excluded.boot, until = excluded.until`,
      )
      .run(this.#keyOf(source), this.#clock.boot, now + this.#limits.blockSeconds)
    return true
  }

  /** The account when this failure closes it. A closed account needs no more counting. */
  #count(source: Source, adminId: string): ClosedAccount | null {
    if (this.isAccountClosed(adminId)) return null
    this.#database
      .prepare(
        `INSERT INTO account_failures (admin_id, source, failures, boot, at) VALUES (?, ?, 1, ?, ?)
         ON CONFLICT (admin_id, source) DO UPDATE SET failures = failures + 1, boot = excluded.boot, at = excluded.at`,
      )
      .run(adminId, this.#keyOf(source), this.#clock.boot, this.#clock.elapsed())
    const { failures, sources } = this.#database
      .prepare(
        'SELECT coalesce(sum(failures), 0) AS failures, count(*) AS sources FROM account_failures WHERE admin_id = ?',
      )
      .get(adminId) as { failures: number; sources: number }
    if (failures < this.#limits.accountFailures) return null
    const since = unixSeconds(this.#clock.now())
    this.#database
      .prepare('INSERT INTO closed_accounts (admin_id, since, failures, sources) VALUES (?, ?, ?, ?)')
      .run(adminId, since, failures, sources)
    return { adminId, since, failures, sources }
  }

  /** Clears what this account failed from this source, and nothing else. */
  recordSuccess(address: string, adminId: string): void {
    const source = sourceOf(address)
    const kept = this.#recentUnchecked(source).filter((one) => one.adminId !== adminId)
    if (kept.length > 0) this.#unchecked.set(source, [...kept])
    else this.#unchecked.delete(source)
    const key = this.#keyOf(source)
    this.#database.transact(() => {
      this.#database.prepare('DELETE FROM sign_in_failures WHERE source = ? AND admin_id = ?').run(key, adminId)
      this.#database.prepare('DELETE FROM account_failures WHERE source = ? AND admin_id = ?').run(key, adminId)
      this.#remember(source, adminId)
    })
  }

  #remember(source: Source, adminId: string): void {
    this.#database
      .prepare(
        `INSERT INTO known_sources (admin_id, source, boot, at) VALUES (?, ?, ?, ?)
         ON CONFLICT (admin_id, source) DO UPDATE SET boot = excluded.boot, at = excluded.at`,
      )
      .run(adminId, this.#keyOf(source), this.#clock.boot, this.#clock.elapsed())
    this.#database
      .prepare(
        `DELETE FROM known_sources WHERE admin_id = ?1 AND source NOT IN
         (SELECT source FROM known_sources WHERE admin_id = ?1 ORDER BY at DESC LIMIT ?2)`,
      )
      .run(adminId, maxKnownOfAccount)
  }

  /** This account signed in from this address not long ago. */
  isKnown(address: string, adminId: string | null): boolean {
    const since = this.#clock.elapsed() - this.#limits.knownSeconds
    const row = this.#database
      .prepare('SELECT 1 FROM known_sources WHERE admin_id = ? AND source = ? AND at > ?')
      .get(adminId ?? noAccount, this.#keyOf(sourceOf(address)), since)
    return row !== undefined
  }

  isAccountClosed(adminId: string): boolean {
    return this.#database.prepare('SELECT 1 FROM closed_accounts WHERE admin_id = ?').get(adminId) !== undefined
  }

  /** Longest closed first. */
  listClosed(): ClosedAccount[] {
    return this.#database
      .prepare<ClosedAccount>(
        `SELECT admin_id AS adminId, since, failures, sources FROM closed_accounts
         WHERE (admin_id GLOB 'user.id.*') = ? ORDER BY since, admin_id`,
      )
      .all(this.#isOfUsers)
  }

  /** True when it was closed. Its count starts again. */
  reopenAccount(adminId: string): boolean {
    return this.#database.transact(() => {
      this.#database.prepare('DELETE FROM account_failures WHERE admin_id = ?').run(adminId)
      return this.#database.prepare('DELETE FROM closed_accounts WHERE admin_id = ?').run(adminId).changes > 0
    })
  }

  /** At most ten thousand: a flood from very many addresses must not become an endless reply. */
  listBlocks(): Block[] {
    const rows = this.#database
      .prepare("SELECT source, until FROM sign_in_blocks WHERE (source GLOB 'users/*') = ? ORDER BY source LIMIT 10000")
      .all(this.#isOfUsers) as { source: string; until: number }[]
    return rows
      .map(({ source, until }) => ({
        address: this.#isOfUsers ? source.slice(usersPrefix.length) : source,
        seconds_left: this.#secondsUntil(until),
      }))
      .filter((block) => block.seconds_left > 0)
  }

  liftBlocks(): void {
    this.#unchecked.clear()
    this.#database.transact(() => {
      this.#database.prepare("DELETE FROM sign_in_blocks WHERE (source GLOB 'users/*') = ?").run(this.#isOfUsers)
      this.#database.prepare("DELETE FROM sign_in_failures WHERE (source GLOB 'users/*') = ?").run(this.#isOfUsers)
    })
  }
}
