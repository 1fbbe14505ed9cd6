// The authentication journal of the portal: who signed in, from where, from when until when. Each session is a record of the log
// when it begins, and another one when it ends. What the log does not have yet, and what has not ended, is in a table: a crash
// neither loses a record nor writes it twice.

import { setImmediate as transactionsEnd } from 'node:timers/promises'
import type { Tables } from '../../../core/database/shelter.ts'
import { noNumber } from '../../../domain/logs/kinds.ts'
import { maxMessage, type NewRecord } from '../../../domain/logs/record.ts'
import type { LogStore } from '../../../domain/logs/store.ts'

export interface AuthStart {
  readonly id: string
  /** Unix seconds. */
  readonly started: number
  readonly user_id: number
  readonly login: string
  /** Names are those of the time of the sign-in. */
  readonly name: string
  readonly group_name: string
  readonly domain_type: string
  readonly ip: string
  readonly country_name: string
  readonly country_code: string
}

/** What the log tells by begins and ends alone: which sessions have not ended. */
export interface OpenSessions {
  readonly ids: readonly string[]
  /** Unix seconds of the first one; null without any. */
  readonly since: number | null
}

export interface AuthJournalParts {
  readonly database: Tables
  readonly logs: Pick<LogStore, 'append' | 'flush' | 'marks'>
  readonly onFault: (error: unknown) => void
}

interface Row {
  readonly id: string
  readonly entry: string
  readonly ended: number | null
}

/** In the log, the entries that were written last. */
const source = 'portal-journal'
const writtenAtOnce = 100
/** After a fault. */
const pauseMs = 10_000

export class AuthJournal {
  readonly #parts: AuthJournalParts
  #work: Promise<void> | null = null
  #hasNews = false
  #isStopped = false
  /** Entries of the last run that the log has, although the table may not know that. */
  #known: ReadonlySet<string> | null = null
  #timer: NodeJS.Timeout | null = null

  constructor(parts: AuthJournalParts) {
    this.#parts = parts
    this.#look()
  }

  /** A journal that takes nothing must not keep users out. */
  #attempt(work: () => void): void {
    try {
      this.#parts.database.transact(work)
    } catch (error) {
      this.#parts.onFault(error)
    }
    this.#look()
  }

  begin(start: AuthStart): void {
    this.adopt([start])
  }

  /** Sessions that began, those of an earlier release included; those that are known stay as they are. */
  adopt(starts: readonly AuthStart[]): void {
    const { database } = this.#parts
    if (starts.length === 0) return
    this.#attempt(() => {
      const insert = database.prepare(
        'INSERT OR IGNORE INTO portal_journal (id, entry, started, ended, has_begun) VALUES (?, ?, ?, NULL, 0)',
      )
      for (const start of starts) insert.run(start.id, JSON.stringify(start), start.started)
    })
  }

  end(id: string, ended: number): void {
    const { database } = this.#parts
    this.#attempt(() =>
      database.prepare('UPDATE portal_journal SET ended = ? WHERE id = ? AND ended IS NULL').run(ended, id),
    )
  }

  /** At the start: what is open here and is not a session any more ended when no one was there to note it. */
  endOthers(isOpen: (id: string) => boolean, now: number): void {
    const { database } = this.#parts
    const open = database.prepare<{ id: string }>('SELECT id FROM portal_journal WHERE ended IS NULL').all()
    for (const { id } of open) if (!isOpen(id)) this.end(id, now)
  }

  /** Sessions whose end the log does not have. */
  open(): OpenSessions {
    const rows = this.#parts.database
      .prepare<{
        id: string
        started: number
      }>('SELECT id, started FROM portal_journal')
      .all()
    const since = rows.reduce((least, { started }) => Math.min(least, started), Number.POSITIVE_INFINITY)
    return { ids: rows.map(({ id }) => id), since: rows.length === 0 ? null : since }
  }

  /** Resolves when everything noted so far can be found in the log, or the log does not take it. */
  async settle(): Promise<void> {
    while (this.#work) await this.#work
  }

  /** What is not in the log by then is written after the next start. */
  async stop(): Promise<void> {
    this.#isStopped = true
    if (this.#timer) clearTimeout(this.#timer)
    await this.settle()
  }

  #look(): void {
    if (this.#isStopped) return
    this.#hasNews = true
    this.#work ??= this.#run().finally(() => {
      this.#work = null
    })
  }

  async #run(): Promise<void> {
    try {
      while (this.#hasNews) {
        this.#hasNews = false
        // What is read must not be undone afterwards.
        await transactionsEnd()
        for (let rows = this.#next(); rows.length > 0; rows = this.#next()) await this.#write(rows)
      }
    } catch (error) {
      this.#parts.onFault(error)
      this.#timer ??= setTimeout(() => {
        this.#timer = null
        this.#look()
      }, pauseMs).unref()
    }
  }

  #next(): readonly Row[] {
    return this.#parts.database
      .prepare<Row>(
        `SELECT id, entry, ended FROM portal_journal WHERE ended IS NOT NULL OR has_begun = 0
         ORDER BY coalesce(ended, started) LIMIT ?`,
      )
      .all(writtenAtOnce)
  }

  async #write(rows: readonly Row[]): Promise<void> {
    const { database, logs } = this.#parts
    this.#known ??= new Set((await logs.marks()).get(source)?.split(' '))
    const known = this.#known
    const fresh = rows.filter((row) => !known.has(keyOf(row)))
    if (fresh.length > 0) {
      logs.append(
        fresh.map(({ entry, ended }) => authRecord(JSON.parse(entry) as AuthStart, ended)),
        { source, position: rows.map(keyOf).join(' ') },
      )
      await logs.flush()
    }
    database.transact(() => {
      for (const { id, ended } of rows) {
        if (ended === null) database.prepare('UPDATE portal_journal SET has_begun = 1 WHERE id = ?').run(id)
        else database.prepare('DELETE FROM portal_journal WHERE id = ?').run(id)
      }
    })
  }
}

const keyOf = ({ id, ended }: Row): string => `${ended === null ? 'began' : 'ended'}:${id}`

const second = 1_000_000

/** A session as a record of the log; `ended` is null while it is open. */
export function authRecord({ id, ...start }: AuthStart, ended: number | null): NewRecord {
  const { login, ip, started } = start
  const message =
    ended === null ? `User '${login}' signed in from ${ip}.` : `The session of user '${login}' from ${ip} ended.`
  return {
    kind: 'authentication',
    time: (ended ?? started) * second,
    priority: 6,
    unit: '{brand}-user-cabinet-backend',
    syslogId: '{brand}-user-cabinet-backend',
    message: message.slice(0, maxMessage),
    fields: { ...start, session: id, journal: 'yes', ended: ended ?? noNumber },
  }
}
