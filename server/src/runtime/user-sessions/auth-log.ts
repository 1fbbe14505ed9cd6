// The journal of the authorization of users: a line for each session that began or ended. It is one of the sources of the
// system journal, in log.db, and may lose its last second.

import type { Database } from '../../database/database.ts'
import type { Migration } from '../../database/migrations.ts'
import type { UserSession } from './session.ts'

/** Steps of log.db beside those of the other logs. A step is never edited once released. */
export const authLogMigrations: readonly Migration[] = [
  {
    title: 'sessions of users that began and ended',
    statements: [
      `CREATE TABLE auth_events (
        sequence INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, program TEXT NOT NULL, message TEXT NOT NULL
      )`,
    ],
  },
]

export interface SessionEvent {
  readonly session: UserSession
  readonly login: string
  /** Null: it began. */
  readonly end: string | null
}

export interface AuthLogRecord {
  readonly sequence: number
  /** Unix milliseconds. */
  readonly time: number
  /** `auth-backend`, or `web-authd` for sign-ins. */
  readonly program: string
  readonly message: string
}

interface Parts {
  readonly database: Pick<Database, 'prepare' | 'transact'>
  readonly now: () => Date
  /** Called once for each failure that begins, such as a full disk. */
  readonly onFault: (error: unknown) => void
  readonly maxRecords?: number
}

const defaultMaxRecords = 200_000
/** Three months (docs/behaviour/logs.md 3). */
const keptMilliseconds = 92 * 86_400_000
/** More than are stored in one go, so that it comes to an end. */
const removedAtOnce = 4_000

export class AuthLog {
  readonly #parts: Parts
  #isFailing = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** A log that the disk does not take never keeps a session from beginning or ending. */
  write(events: readonly SessionEvent[]): void {
    if (events.length === 0) return
    const { database, now, onFault, maxRecords = defaultMaxRecords } = this.#parts
    const time = now().getTime()
    try {
      database.transact(() => {
        const put = database.prepare('INSERT INTO auth_events (time, program, message) VALUES (?, ?, ?)')
        for (const event of events) put.run(time, programOf(event), messageOf(event))
        database
          .prepare(
            `DELETE FROM auth_events WHERE sequence IN (
               SELECT sequence FROM auth_events
               WHERE sequence <= (SELECT max(sequence) FROM auth_events) - ? OR time < ? ORDER BY sequence LIMIT ?)`,
          )
          .run(maxRecords, time - keptMilliseconds, removedAtOnce)
      })
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) onFault(error)
      this.#isFailing = true
    }
  }

  /** Oldest first, after the record with this number. */
  pageAfter(sequence: number, limit: number): AuthLogRecord[] {
    return this.#parts.database
      .prepare('SELECT sequence, time, program, message FROM auth_events WHERE sequence > ? ORDER BY sequence LIMIT ?')
      .all(sequence, limit) as unknown as AuthLogRecord[]
  }

  /** The number of the oldest record that is still kept; 0 when there are no records. */
  get oldest(): number {
    const row = this.#parts.database.prepare('SELECT min(sequence) AS oldest FROM auth_events').get()
    return Number(row?.oldest ?? 0)
  }
}

const programOf = ({ session }: SessionEvent): string => (session.type === 'web' ? 'web-authd' : 'auth-backend')

/** The form is fixed (docs/behaviour/logs.md 4). */
function messageOf({ session, login, end }: SessionEvent): string {
  const subnet = session.address.includes('/') ? session.address : `${session.address}/32`
  if (end !== null) return `Subnet ${subnet} is no longer authorized as user '${quoted(login)}'. ${end}`
  const from = session.type === 'web' ? `'${session.address}'` : 'None'
  return `Subnet ${subnet} is authorized as user '${quoted(login)}'. Connection made from ${from}, type '${session.type}'.`
}

/** Logins of directories can hold anything: no text ends the quotes or the line. */
const quoted = (login: string): string =>
  login.replaceAll(unprintable, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)

const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}'\\]/gu
