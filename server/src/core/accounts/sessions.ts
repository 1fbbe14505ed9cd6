// Administrator sessions: two independent secrets, kept only as hashes, and the clocks that end them. core/area/cookies.ts
// names the cookies.

import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import { type Clock, stampNumber, unixSeconds } from '../../shared/time/clock.ts'
import type { Tables } from '../database/shelter.ts'

export interface SessionLimits {
  readonly idleSeconds: number
  readonly absoluteSeconds: number
  readonly perAdministrator: number
}

export const defaultSessionLimits: SessionLimits = {
  idleSeconds: 15 * 60,
  absoluteSeconds: 12 * 3600,
  perAdministrator: 10,
}

export interface Session {
  /** Shown in lists; opens nothing. */
  readonly handle: string
  readonly adminId: string
  readonly address: string
  readonly restPath: string
  readonly createdAt: number
  readonly loginTimestamp: number
}

/** What the browser or script gets; not kept here. */
export interface SessionTokens {
  readonly session: string
  readonly secureName: string
  readonly secureValue: string
}

interface Entry extends Session {
  readonly sessionHash: Buffer
  readonly secureName: string
  readonly secureHash: Buffer
  seen: number
  storedSeen: number
}

interface Row {
  handle: string
  session_hash: Uint8Array
  secure_name: string
  secure_hash: Uint8Array
  admin_id: string
  address: string
  rest_path: string
  created: number
  seen: number
  login_time: string
}

/** How stale the stored last-seen time may get: a restart shortens an idle session by at most this. */
const storeSeenEverySeconds = 30

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

export class Sessions {
  readonly #database: Tables
  readonly #clock: Clock
  readonly #limits: SessionLimits
  readonly #byHash = new Map<string, Entry>()
  readonly #byHandle = new Map<string, Entry>()
  readonly #endedListeners: ((handle: string) => void)[] = []

  constructor(database: Tables, clock: Clock, limits: SessionLimits = defaultSessionLimits) {
    this.#database = database
    this.#clock = clock
    this.#limits = limits
    // Elapsed seconds of another boot mean nothing now: those sessions are over.
    database.transact(() => database.prepare('DELETE FROM sessions WHERE boot <> ?').run(clock.boot))
    this.#followDisk()
    database.onRolledBack(() => this.#followDisk())
  }

  /** At the start, and after a transaction that began or ended sessions was undone. */
  #followDisk(): void {
    const rows = this.#database.prepare<Row>('SELECT * FROM sessions').all()
    const stored = new Set(rows.map((row) => row.handle))
    for (const entry of this.#byHandle.values()) if (!stored.has(entry.handle)) this.#forget(entry)
    for (const row of rows) if (!this.#byHandle.has(row.handle)) this.#remember(entryOf(row))
  }

  #remember(entry: Entry): void {
    this.#byHash.set(entry.sessionHash.toString('base64'), entry)
    this.#byHandle.set(entry.handle, entry)
  }

  #forget(entry: Entry): void {
    this.#byHash.delete(entry.sessionHash.toString('base64'))
    this.#byHandle.delete(entry.handle)
    if (this.#endedListeners.length > 0) setImmediate(() => this.#notifyEnded(entry.handle))
  }

  /** Called for every session that ended, whatever ended it. Not before the transaction is over, which can be undone. */
  onEnded(listener: (handle: string) => void): void {
    this.#endedListeners.push(listener)
  }

  #notifyEnded(handle: string): void {
    if (this.#byHandle.has(handle)) return
    for (const listener of this.#endedListeners) listener(handle)
  }

  create(adminId: string, address: string, restPath: string): SessionTokens & { handle: string } {
    const now = this.#clock.elapsed()
    const wall = this.#clock.now()
    const tokens = {
      session: randomUUID(),
      secureName: randomUUID(),
      secureValue: `${randomUUID()}:${unixSeconds(wall)}`,
    }
    const entry: Entry = {
      handle: randomUUID(),
      adminId,
      address,
      restPath,
      createdAt: now,
      loginTimestamp: stampNumber(wall),
      sessionHash: sha256(tokens.session),
      secureName: tokens.secureName,
      secureHash: sha256(tokens.secureValue),
      seen: now,
      storedSeen: now,
    }
    const surplus = this.#ofAdmin(adminId)
      .sort((a, b) => b.seen - a.seen || b.createdAt - a.createdAt)
      .slice(this.#limits.perAdministrator - 1)
    this.#database.transact(() => {
      for (const old of surplus) this.#delete(old)
      this.#database
        .prepare(
          `INSERT INTO sessions (handle, session_hash, secure_name, secure_hash, admin_id, address, rest_path, boot,
           created, seen, login_time) VALUES (?,?,?,?,?,?,?,?,?,?,?)`,
        )
        .run(
          entry.handle,
          entry.sessionHash,
          entry.secureName,
          entry.secureHash,
          adminId,
          address,
          restPath,
          this.#clock.boot,
          now,
          now,
          String(entry.loginTimestamp),
        )
    })
    this.#remember(entry)
    return { ...tokens, handle: entry.handle }
  }

  /**
   * The session that both values open, or null. `secures` are the cookies whose names could carry the second half;
   * a browser may still hold halves of sessions that are over.
   */
  open(session: string, secures: ReadonlyMap<string, string>, isActivity = true): Session | null {
    const entry = this.#byHash.get(sha256(session).toString('base64'))
    if (!entry) return null
    const secureValue = secures.get(entry.secureName)
    if (secureValue === undefined || !timingSafeEqual(sha256(secureValue), entry.secureHash)) return null
    return (isActivity ? this.touch(entry) : this.isValid(entry)) ? entry : null
  }

  /** Counts as activity; false (and the end of the session) when it was idle or alive for too long. */
  touch(session: Session): boolean {
    const entry = this.#validEntry(session)
    if (!entry) return false
    const now = this.#clock.elapsed()
    entry.seen = now
    if (now - entry.storedSeen >= storeSeenEverySeconds) this.#storeSeen(entry, now)
    return true
  }

  /** The same without counting as activity. */
  isValid(session: Session): boolean {
    return this.#validEntry(session) !== null
  }

  /** Seconds until a session without further activity is over; 0 when it is over. */
  secondsLeft(session: Session): number {
    const entry = this.#validEntry(session)
    if (!entry) return 0
    const { idleSeconds, absoluteSeconds } = this.#limits
    const end = Math.min(entry.seen + idleSeconds, entry.createdAt + absoluteSeconds)
    return Math.ceil(end - this.#clock.elapsed())
  }

  #validEntry(session: Session): Entry | null {
    const entry = this.#byHandle.get(session.handle)
    if (!entry) return null
    if (!this.#isExpired(entry, this.#clock.elapsed())) return entry
    this.#endExpired(entry)
    return null
  }

  #isExpired(entry: Entry, now: number): boolean {
    return now - entry.seen >= this.#limits.idleSeconds || now - entry.createdAt >= this.#limits.absoluteSeconds
  }

  /** Ends what was idle or alive for too long without waiting for its next request. */
  endExpired(): void {
    const now = this.#clock.elapsed()
    for (const entry of this.#byHandle.values()) if (this.#isExpired(entry, now)) this.#endExpired(entry)
  }

  /** It is over whatever the disk says; what stays there is found expired again. */
  #endExpired(entry: Entry): void {
    try {
      this.end(entry.handle)
    } catch {
      // Tried again when the session is used again.
    }
  }

  /** A disk that takes nothing must not end reading: then a restart ends the session a little early. */
  #storeSeen(entry: Entry, now: number): void {
    entry.storedSeen = now
    try {
      this.#database.prepare('UPDATE sessions SET seen = ? WHERE handle = ?').run(now, entry.handle)
    } catch {
      // Tried again with the next interval.
    }
  }

  list(): Session[] {
    const now = this.#clock.elapsed()
    return [...this.#byHandle.values()].filter((entry) => !this.#isExpired(entry, now))
  }

  find(handle: string): Session | null {
    return this.#byHandle.get(handle) ?? null
  }

  end(handle: string): void {
    const entry = this.#byHandle.get(handle)
    if (entry) this.#database.transact(() => this.#delete(entry))
  }

  /** Joins the surrounding transaction, so that no crash separates the cause from the end of the sessions. */
  endAllOf(adminId: string): void {
    for (const entry of this.#ofAdmin(adminId)) this.end(entry.handle)
  }

  #delete(entry: Entry): void {
    this.#database.prepare('DELETE FROM sessions WHERE handle = ?').run(entry.handle)
    this.#forget(entry)
  }

  #ofAdmin(adminId: string): Entry[] {
    return [...this.#byHandle.values()].filter((entry) => entry.adminId === adminId)
  }
}

const entryOf = (row: Row): Entry => ({
  handle: row.handle,
  adminId: row.admin_id,
  address: row.address,
  restPath: row.rest_path,
  createdAt: row.created,
  loginTimestamp: Number(row.login_time),
  sessionHash: Buffer.from(row.session_hash),
  secureName: row.secure_name,
  secureHash: Buffer.from(row.secure_hash),
  seen: row.seen,
  storedSeen: row.seen,
})
