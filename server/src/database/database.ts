// A SQLite file of the gateway: opening, durability settings, migrations and transactions. Configuration and audit trail are in
// one; the firewall log, which may lose its last second, has its own. Statements are elsewhere.

import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { GatewayError } from '../contract/error.ts'
import { type Migration, migrations } from './migrations.ts'

export class NewerDataError extends Error {}

/** SQLite primary result codes of a disk that does not take a change. */
const ioError = 10
const diskFull = 13
const readOnly = 8
const cannotOpen = 14
const unusableDisk: ReadonlySet<number> = new Set([ioError, diskFull, readOnly, cannotOpen])
/** A write that failed (of a page, or of room for the index of the WAL) is undone by SQLite. After any other failure,
 * a sync above all, what the process believes and what the disk holds may differ. */
const undoneWrites: ReadonlySet<number> = new Set([778, 4874])

/** `isForgetful`: a commit may be lost with the power, in return for not waiting for the disk. */
export interface DatabaseKind {
  readonly migrations: readonly Migration[]
  readonly isForgetful: boolean
}

const gatewayData: DatabaseKind = { migrations, isForgetful: false }

export class Database {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  readonly #onFatal: (error: unknown) => void
  readonly #migrations: readonly Migration[]
  readonly #rolledBackListeners: (() => void)[] = []
  #open = false

  /** `onFatal` is called when a sync failed: memory can no longer be trusted and the process must start from disk. */
  constructor(path: string, onFatal: (error: unknown) => void = () => {}, kind = gatewayData) {
    this.#onFatal = onFatal
    this.#migrations = kind.migrations
    try {
      this.#db = new DatabaseSync(path)
      this.#refuseNewerData()
      // FULL: a commit is on the disk before it is answered. The WAL is folded back in small steps so that no
      // single change pays for many.
      this.#db.exec('PRAGMA journal_mode=WAL; PRAGMA foreign_keys=ON; PRAGMA busy_timeout=2000')
      this.#db.exec(kind.isForgetful ? 'PRAGMA synchronous=NORMAL' : 'PRAGMA synchronous=FULL')
      this.#migrate()
    } catch (error) {
      if (!unusableDisk.has(primaryCode(error))) throw error
      throw new Error('The stored data cannot be opened: the disk is full, read-only or failing.', { cause: error })
    }
  }

  /** Before anything is set: even switching on the WAL would write into the file. */
  #refuseNewerData(): void {
    const current = this.version()
    if (current <= this.#migrations.length) return
    this.#db.close()
    throw new NewerDataError(
      `The stored data has format ${current}; this version knows formats up to ${this.#migrations.length}. ` +
        'Start the newer version, or use another state folder.',
    )
  }

  #migrate(): void {
    const current = this.version()
    this.#migrations.slice(current).forEach((migration, index) => {
      this.transact(() => {
        for (const statement of migration.statements) this.#db.exec(statement)
        this.#db.exec(`PRAGMA user_version=${current + index + 1}`)
      })
    })
  }

  version(): number {
    return Number((this.#db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version)
  }

  /** The statement texts are a fixed set in the source; values are always bound. */
  prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#db.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  /** The listener is called after a rollback: what was cached from the transaction is no longer valid. */
  onRolledBack(listener: () => void): void {
    this.#rolledBackListeners.push(listener)
  }

  /** Runs `work` in one transaction; when this returns, it is durable. A failure leaves nothing of it. */
  transact<T>(work: () => T): T {
    if (this.#open) return work()
    this.#open = true
    try {
      this.#db.exec('BEGIN IMMEDIATE')
      const result = work()
      this.#db.exec('COMMIT')
      return result
    } catch (error) {
      this.#rollBack()
      this.#open = false
      const translated = this.#translate(error)
      for (const listener of this.#rolledBackListeners) listener()
      throw translated
    } finally {
      this.#open = false
    }
  }

  #rollBack(): void {
    try {
      this.#db.exec('ROLLBACK')
    } catch {
      // SQLite already rolled back (disk full, I/O error); the first error is the one to report.
    }
  }

  #translate(error: unknown): unknown {
    const primary = primaryCode(error)
    if (primary === ioError && !undoneWrites.has(codeOf(error))) this.#onFatal(error)
    if (primary === diskFull || primary === readOnly || primary === ioError) {
      return new GatewayError(
        'unavailable',
        'The change could not be written: the disk is full, read-only or failing.',
        {
          cause: error,
        },
      )
    }
    return error
  }

  close(): void {
    this.#db.close()
  }
}

/** A second connection to a file that another one writes, for reading only: in a worker thread. */
export class ReadDatabase {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(path: string) {
    this.#db = new DatabaseSync(path, { readOnly: true, timeout: 2_000 })
  }

  /** The statement texts are a fixed set in the source; values are always bound. */
  prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.#db.prepare(sql)
    this.#statements.set(sql, known)
    return known
  }

  /** A statement whose rows are arrays, which many rows should be. */
  prepareArrays(sql: string): StatementSync {
    const statement = this.prepare(sql)
    statement.setReturnArrays(true)
    return statement
  }

  close(): void {
    this.#db.close()
  }
}

/** 0 when it is not an error of SQLite. */
const codeOf = (error: unknown): number => (error as { errcode?: number }).errcode ?? 0
const primaryCode = (error: unknown): number => codeOf(error) & 0xff
