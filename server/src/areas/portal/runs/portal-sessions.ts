// Personal sessions of users at the portal: a random token that is kept only as a hash, and the clocks that end it. A session
// is bound to nothing but the cookie that holds the token. Each beginning and end is noted in the journal.

import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Tables } from '../../../core/database/shelter.ts'
import { type Clock, unixSeconds } from '../../../shared/time/clock.ts'

export const portalSessionLimits = {
  idleSeconds: 15 * 60,
  absoluteSeconds: 12 * 3600,
  perUser: 10,
  /** Of all users together. */
  most: 50_000,
} as const

export interface PortalSession {
  /** Shown in lists; opens nothing. */
  readonly handle: string
  readonly userId: string
  /** Identifies the password that the user signed in with: another password ends the session. */
  readonly passwordMark: string
  /** The password that this session is about to set; null otherwise. */
  readonly nextMark: string | null
  /** Where the token was last used from. */
  readonly address: string
  /** Unix seconds. */
  readonly startedAt: number
}

export interface EndedSession extends PortalSession {
  /** Unix seconds. */
  readonly endedAt: number
}

export interface PortalSessionsParts {
  readonly database: Tables
  readonly clock: Clock
  readonly onEnded: (session: EndedSession) => void
}

interface Entry {
  readonly handle: string
  readonly userId: string
  passwordMark: string
  nextMark: string | null
  address: string
  readonly tokenHash: string
  readonly startedAt: number
  readonly created: number
  seen: number
  storedSeen: number
}

interface Row {
  handle: string
  token_hash: string
  user_id: string
  password_mark: string
  address: string
  boot: string
  created: number
  seen: number
  started: number
  seen_time: number
}

/** How stale the stored last-seen time may get: a restart shortens an idle session by at most this. */
const storeSeenEverySeconds = 30

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64')

export class PortalSessions {
  readonly #database: Tables
  readonly #clock: Clock
  readonly #onEnded: PortalSessionsParts['onEnded']
  readonly #byHash = new Map<string, Entry>()
  readonly #byHandle = new Map<string, Entry>()
  readonly #byUser = new Map<string, Set<Entry>>()

  constructor({ database, clock, onEnded }: PortalSessionsParts) {
    this.#database = database
    this.#clock = clock
    this.#onEnded = onEnded
    // Elapsed seconds of another boot mean nothing now: those sessions are over.
    for (const row of this.#rows()) if (row.boot !== clock.boot) this.#forgetRow(row)
    this.#followDisk()
    database.onRolledBack(() => this.#followDisk())
  }

  #rows(): Row[] {
    return this.#database.prepare<Row>('SELECT * FROM portal_sessions').all()
  }

  #forgetRow(row: Row): void {
    this.#database.transact(() =>
      this.#database.prepare('DELETE FROM portal_sessions WHERE handle = ?').run(row.handle),
    )
    this.#onEnded({ ...entryOf(row), endedAt: row.seen_time })
  }

  /** At the start, and after a transaction that began or ended sessions was undone. */
  #followDisk(): void {
    const rows = this.#rows()
    const stored = new Set(rows.map(({ handle }) => handle))
    for (const entry of this.#byHandle.values()) if (!stored.has(entry.handle)) this.#forget(entry)
    for (const row of rows) if (!this.#byHandle.has(row.handle)) this.#remember(entryOf(row))
  }

  #remember(entry: Entry): void {
    this.#byHash.set(entry.tokenHash, entry)
    this.#byHandle.set(entry.handle, entry)
    this.#byUser.set(entry.userId, (this.#byUser.get(entry.userId) ?? new Set()).add(entry))
  }

  #forget(entry: Entry): void {
    this.#byHash.delete(entry.tokenHash)
    this.#byHandle.delete(entry.handle)
    const own = this.#byUser.get(entry.userId)
    own?.delete(entry)
    if (own?.size === 0) this.#byUser.delete(entry.userId)
  }

  get isFull(): boolean {
    return this.#byHandle.size >= portalSessionLimits.most
  }

  create(
    userId: string,
    passwordMark: string,
    address: string,
  ): { readonly token: string; readonly session: PortalSession } {
    const now = this.#clock.elapsed()
    const token = randomBytes(32).toString('base64url')
    const entry: Entry = {
      handle: randomUUID(),
      userId,
      passwordMark,
      nextMark: null,
      address,
      tokenHash: hashOf(token),
      startedAt: unixSeconds(this.#clock.now()),
      created: now,
      seen: now,
      storedSeen: now,
    }
    const surplus = [...(this.#byUser.get(userId) ?? [])]
      .sort((a, b) => b.seen - a.seen || b.created - a.created)
      .slice(portalSessionLimits.perUser - 1)
    this.#database.transact(() => {
      for (const old of surplus) this.end(old.handle)
      this.#database
        .prepare(
          `INSERT INTO portal_sessions
             (handle, token_hash, user_id, password_mark, address, boot, created, seen, started, seen_time)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(
          entry.handle,
          entry.tokenHash,
          userId,
          passwordMark,
          address,
          this.#clock.boot,
          now,
          now,
          entry.startedAt,
          entry.startedAt,
        )
    })
    this.#remember(entry)
    return { token, session: entry }
  }

  /** The session that the token opens, or null. Counts as activity. */
  open(token: string, address: string): PortalSession | null {
    const entry = this.#byHash.get(hashOf(token))
    if (!entry) return null
    const now = this.#clock.elapsed()
    if (this.#isExpired(entry, now)) {
      this.end(entry.handle)
      return null
    }
    entry.seen = now
    if (now - entry.storedSeen >= storeSeenEverySeconds || entry.address !== address) {
      entry.address = address
      this.#storeSeen(entry, now)
    }
    return entry
  }

  #isExpired(entry: Entry, now: number): boolean {
    const { idleSeconds, absoluteSeconds } = portalSessionLimits
    return now - entry.seen >= idleSeconds || now - entry.created >= absoluteSeconds
  }

  #storeSeen(entry: Entry, now: number): void {
    entry.storedSeen = now
    this.#database.transact(() =>
      this.#database
        .prepare('UPDATE portal_sessions SET seen = ?, seen_time = ?, address = ? WHERE handle = ?')
        .run(now, unixSeconds(this.#clock.now()), entry.address, entry.handle),
    )
  }

  /** The session is valid with this password too, until it is set or given up (null). */
  announceMark(handle: string, mark: string | null): void {
    const entry = this.#byHandle.get(handle)
    if (entry) entry.nextMark = mark
  }

  /** The user of this session has another password now. */
  setPasswordMark(handle: string, mark: string): void {
    const entry = this.#byHandle.get(handle)
    if (!entry) return
    entry.passwordMark = mark
    entry.nextMark = null
    this.#database.transact(() =>
      this.#database.prepare('UPDATE portal_sessions SET password_mark = ? WHERE handle = ?').run(mark, handle),
    )
  }

  list(): readonly PortalSession[] {
    const now = this.#clock.elapsed()
    return [...this.#byHandle.values()].filter((entry) => !this.#isExpired(entry, now))
  }

  /** True when there was one. */
  end(handle: string): boolean {
    const entry = this.#byHandle.get(handle)
    if (!entry) return false
    this.#database.transact(() =>
      this.#database.prepare('DELETE FROM portal_sessions WHERE handle = ?').run(entry.handle),
    )
    this.#forget(entry)
    const now = this.#clock.elapsed()
    // One that was found expired ended when its time was over, not when that was noticed.
    const { idleSeconds, absoluteSeconds } = portalSessionLimits
    const over = Math.max(0, now - Math.min(entry.seen + idleSeconds, entry.created + absoluteSeconds))
    this.#onEnded({ ...entry, endedAt: unixSeconds(this.#clock.now()) - Math.floor(over) })
    return true
  }

  endExpired(): void {
    const now = this.#clock.elapsed()
    for (const entry of this.#byHandle.values()) if (this.#isExpired(entry, now)) this.end(entry.handle)
  }

  /** Ends those whose user, as it is now, may not have them any more. */
  endUnless(isValid: (session: PortalSession) => boolean): void {
    for (const entry of this.#byHandle.values()) if (!isValid(entry)) this.end(entry.handle)
  }
}

const entryOf = (row: Row): Entry => ({
  handle: row.handle,
  userId: row.user_id,
  passwordMark: row.password_mark,
  nextMark: null,
  address: row.address,
  tokenHash: row.token_hash,
  startedAt: row.started,
  created: row.created,
  seen: row.seen,
  storedSeen: row.seen,
})
