// The authentication journal of the portal: who signed in, from where, from when until when. In log.db, so that the worker of
// the logs answers its queries. Names are those of the time of the sign-in.

import { type Cell, printStamp } from '../../../core/contract/table-query.ts'
import type { Database, ReadDatabase } from '../../../core/database/database.ts'
import type { Migration } from '../../../core/database/migrations.ts'
import type { LogTable, Scope } from '../../../gatewayd/logs/log-queries.ts'

export const authJournalMigrations: readonly Migration[] = [
  {
    title: 'the authentication journal of the portal',
    statements: [
      // `started` and `ended` are unix seconds; `ended` is null while the session is open.
      `CREATE TABLE auth_journal (
        place INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, started INTEGER NOT NULL, ended INTEGER,
        user_id INTEGER NOT NULL, login TEXT NOT NULL, name TEXT NOT NULL, group_name TEXT NOT NULL,
        domain_type TEXT NOT NULL, ip TEXT NOT NULL, country_name TEXT NOT NULL, country_code TEXT NOT NULL
      )`,
      'CREATE INDEX auth_journal_by_ip ON auth_journal (ip)',
      'CREATE INDEX auth_journal_by_country ON auth_journal (country_name)',
      'CREATE INDEX auth_journal_open ON auth_journal (id) WHERE ended IS NULL',
    ],
  },
]

/** Days (docs/behaviour/logs.md 3), and rows in any case. */
const keptDays = 180
const maxRows = 200_000
const removedAtOnce = 1_000

export interface AuthStart {
  readonly id: string
  /** Unix seconds. */
  readonly started: number
  readonly user_id: number
  readonly login: string
  readonly name: string
  readonly group_name: string
  readonly domain_type: string
  readonly ip: string
  readonly country_name: string
  readonly country_code: string
}

interface Kept extends AuthStart {
  readonly place: number
  readonly ended: number | null
}

export class AuthJournal {
  readonly #database: Database
  readonly #onFault: (error: unknown) => void

  constructor(database: Database, onFault: (error: unknown) => void) {
    this.#database = database
    this.#onFault = onFault
  }

  /** A log that takes nothing must not keep users out. */
  #attempt(work: () => void): void {
    try {
      this.#database.transact(work)
    } catch (error) {
      this.#onFault(error)
    }
  }

  begin(start: AuthStart): void {
    this.#attempt(() => {
      this.#database
        .prepare(
          `INSERT OR IGNORE INTO auth_journal
             (id, started, user_id, login, name, group_name, domain_type, ip, country_name, country_code)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(
          start.id,
          start.started,
          start.user_id,
          start.login,
          start.name,
          start.group_name,
          start.domain_type,
          start.ip,
          start.country_name,
          start.country_code,
        )
      this.#removeOld(start.started)
    })
  }

  end(id: string, ended: number): void {
    this.#attempt(() =>
      this.#database.prepare('UPDATE auth_journal SET ended = ? WHERE id = ? AND ended IS NULL').run(ended, id),
    )
  }

  /** At the start: what is open here and is not a session any more ended when no one was there to note it. */
  endOthers(isOpen: (id: string) => boolean, now: number): void {
    const open = this.#database.prepare('SELECT id FROM auth_journal WHERE ended IS NULL').all() as { id: string }[]
    for (const { id } of open) if (!isOpen(id)) this.end(id, now)
  }

  #removeOld(now: number): void {
    this.#database
      .prepare(
        'DELETE FROM auth_journal WHERE started < ? AND place IN (SELECT place FROM auth_journal ORDER BY place LIMIT ?)',
      )
      .run(now - keptDays * 86_400, removedAtOnce)
    this.#database
      .prepare(
        `DELETE FROM auth_journal WHERE place IN (
           SELECT place FROM auth_journal WHERE place <= (SELECT max(place) FROM auth_journal) - ?1 LIMIT ?2
         )`,
      )
      .run(maxRows, removedAtOnce)
  }
}

type OffsetOf = (scope: Scope) => (unixSeconds: number) => number

const readAtOnce = 2_000

/** Rows as the report shows them, newest first. */
export function authTable(offsetOf: OffsetOf): LogTable {
  const rowOf = (kept: Kept, scope: Scope): Readonly<Record<string, Cell>> => {
    const { place: _place, started, ended, id, ...names } = kept
    const offset = offsetOf(scope)
    return {
      id,
      date_time: printStamp(started + offset(started)),
      ...names,
      end: ended === null ? 0 : printStamp(ended + offset(ended)),
      time_online: (ended ?? scope.now ?? started) - started,
    }
  }
  return {
    *scan(database, scope) {
      const page = database.prepare(
        `SELECT place, id, started, ended, user_id, login, name, group_name, domain_type, ip, country_name, country_code
         FROM auth_journal WHERE place < ? ORDER BY place DESC LIMIT ?`,
      )
      let last = Number.MAX_SAFE_INTEGER
      for (;;) {
        const rows = page.all(last, readAtOnce) as unknown as Kept[]
        for (const kept of rows) yield { place: kept.place, row: rowOf(kept, scope) }
        if (rows.length < readAtOnce) return
        last = rows.at(-1)?.place ?? 0
      }
    },
    show: (database, scope, place) => {
      const kept = database
        .prepare(
          `SELECT place, id, started, ended, user_id, login, name, group_name, domain_type, ip, country_name, country_code
           FROM auth_journal WHERE place = ?`,
        )
        .get(place) as unknown as Kept | undefined
      return kept ? rowOf(kept, scope) : null
    },
  }
}

type ValueRow = { readonly place: number; readonly value: string }

/** The distinct values of a column, in their order; the place of a value is that of one of its rows. */
function valuesTable(
  column: string,
  all: (database: ReadDatabase) => unknown,
  one: (database: ReadDatabase, place: number) => unknown,
): LogTable {
  return {
    *scan(database) {
      for (const { place, value } of all(database) as readonly ValueRow[]) yield { place, row: { [column]: value } }
    },
    show: (database, _scope, place) => {
      const found = one(database, place) as ValueRow | undefined
      return found ? { [column]: found.value } : null
    },
  }
}

export const authAddresses: LogTable = valuesTable(
  'ip',
  (database) =>
    database.prepare('SELECT min(place) AS place, ip AS value FROM auth_journal GROUP BY ip ORDER BY ip').all(),
  (database, place) => database.prepare('SELECT place, ip AS value FROM auth_journal WHERE place = ?').get(place),
)

/** A country that is not known is not a value. */
export const authCountries: LogTable = valuesTable(
  'country_name',
  (database) =>
    database
      .prepare(
        `SELECT min(place) AS place, country_name AS value FROM auth_journal WHERE country_name <> ''
         GROUP BY country_name ORDER BY country_name`,
      )
      .all(),
  (database, place) =>
    database.prepare('SELECT place, country_name AS value FROM auth_journal WHERE place = ?').get(place),
)
