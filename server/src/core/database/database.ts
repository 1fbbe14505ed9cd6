// A SQLite file of the gateway: opening, durability settings, migrations and transactions. Configuration and audit trail are in
// one; the log and the charts have their own. Statements are elsewhere.

import { statSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite'
import { type SaidText, say } from '../../shared/said.ts'
import { GatewayError, isUnavailable } from '../contract/error.ts'
import { type Migration, migrations } from './migrations.ts'

export class NewerDataError extends Error {
  declare readonly message: SaidText
  constructor(message: SaidText) {
    super(message)
  }
}

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
  /** Another connection to a file that this process has open: it only looks. */
  readonly isReadOnly?: boolean
  /** Of a new file; large values are read faster from large pages. */
  readonly pageBytes?: number
}

export const gatewayData: DatabaseKind = { migrations, isForgetful: false }

/** Room on the disk that is given up for what must work when it is full. */
export interface Reserve {
  /** Whether something may be stored that can be refused. */
  hasRoom(): boolean
  /** False when there is none to give up. */
  release(): boolean
  noteWrite(isDone: boolean): void
}

const noReserve: Reserve = { hasRoom: () => true, release: () => false, noteWrite: () => {} }

type Columns = Readonly<Record<string, SQLOutputValue>>

/** A statement of which is known what a row of it has. */
export interface Statement<Row> extends Pick<StatementSync, 'run' | 'setReturnArrays'> {
  all(...values: SQLInputValue[]): Row[]
  get(...values: SQLInputValue[]): Row | undefined
  iterate(...values: SQLInputValue[]): Iterable<Row>
}

/** Cast: the compiler cannot read SQL; the code that names the columns says what they hold. */
const typed = <Row>(statement: StatementSync): Statement<Row> => statement as unknown as Statement<Row>

/** `refusable`: what a full disk may refuse, because it is new; everything else may use the reserve. */
export type Urgency = 'refusable' | 'urgent'
/** The configuration for a worker that reads beside the process's own connection. */
export const readOnlyData: DatabaseKind = { ...gatewayData, isReadOnly: true }

export class Database {
  readonly path: string
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  readonly #onFatal: (error: unknown) => void
  readonly #migrations: readonly Migration[]
  readonly #rolledBackListeners: (() => void)[] = []
  #open = false
  #commits = 0
  readonly #reserve: Reserve
  /** Logs never use the reserve. */
  readonly #isForgetful: boolean

  /** `onFatal` is called when a sync failed: memory can no longer be trusted and the process must start from disk. */
  constructor(
    path: string,
    onFatal: (error: unknown) => void = () => {},
    kind = gatewayData,
    reserve: Reserve = noReserve,
  ) {
    this.path = path
    this.#onFatal = onFatal
    this.#migrations = kind.migrations
    this.#reserve = reserve
    this.#isForgetful = kind.isForgetful
    this.#db = this.#openInAnyRoom(path, kind)
    try {
      if (kind.isReadOnly) return
      this.#migrate()
    } catch (error) {
      this.#db.close()
      throw isUnavailable(error) ? unopened(error) : error
    }
  }

  /** With the room of the reserve when there is no other, and without the shared index of the WAL when there is none at all. */
  #openInAnyRoom(path: string, kind: DatabaseKind): DatabaseSync {
    const ways = [() => true, () => this.#reserve.release(), () => true]
    let fault: unknown
    for (const [index, isOpen] of ways.entries()) {
      if (!isOpen()) continue
      try {
        return this.#openFile(path, kind, index === ways.length - 1)
      } catch (error) {
        if (!unusableDisk.has(primaryCode(error))) throw error
        fault = error
      }
    }
    throw unopened(fault)
  }

  #openFile(path: string, kind: DatabaseKind, isAlone: boolean): DatabaseSync {
    const db = new DatabaseSync(path, { readOnly: kind.isReadOnly ?? false })
    try {
      if (kind.isReadOnly) {
        this.#refuseNewerData(versionOf(db))
        db.exec(`PRAGMA busy_timeout=${busyMilliseconds}`)
        return db
      }
      if (isAlone) db.exec('PRAGMA locking_mode=EXCLUSIVE')
      this.#refuseNewerData(versionOf(db))
      // Pages that become free can then be given back to the disk. In a file that is there it would only be a write.
      if (db.prepare('PRAGMA page_count').get()?.page_count === 0) {
        if (kind.pageBytes) db.exec(`PRAGMA page_size=${kind.pageBytes}`)
        db.exec('PRAGMA auto_vacuum=INCREMENTAL')
      }
      // FULL: a commit is on the disk before it is answered. The WAL is folded back in small steps so that no
      // single change pays for many, and one that had to grow is cut again.
      db.exec(`PRAGMA journal_mode=WAL; PRAGMA foreign_keys=ON; PRAGMA busy_timeout=${busyMilliseconds}`)
      db.exec('PRAGMA journal_size_limit=4194304')
      db.exec(kind.isForgetful ? 'PRAGMA synchronous=NORMAL' : 'PRAGMA synchronous=FULL')
      return db
    } catch (error) {
      db.close()
      throw error
    }
  }

  /** Before anything is set: even switching on the WAL would write into the file. */
  #refuseNewerData(current: number): void {
    if (current <= this.#migrations.length) return
    throw new NewerDataError(
      say`The stored data has format ${current}; this version knows formats up to ${this.#migrations.length}. Start the newer version, or use another state folder.`,
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
    return versionOf(this.#db)
  }

  /** The statement texts are a fixed set in the source; values are always bound. */
  prepare<Row = Columns>(sql: string): Statement<Row> {
    const known = this.#statements.get(sql)
    if (known) return typed<Row>(known)
    const statement = this.#db.prepare(sql)
    this.#statements.set(sql, statement)
    return typed<Row>(statement)
  }

  get isOpen(): boolean {
    return this.#db.isOpen
  }

  get isInTransaction(): boolean {
    return this.#open
  }

  /** The listener is called after a rollback: what was cached from the transaction is no longer valid. */
  onRolledBack(listener: () => void): void {
    this.#rolledBackListeners.push(listener)
  }

  /** Runs `work` in one transaction; when this returns, it is durable. A failure leaves nothing of it. */
  transact<T>(work: () => T, urgency: Urgency = 'urgent'): T {
    if (this.#open) return work()
    const isRefusable = urgency === 'refusable' || this.#isForgetful
    if (isRefusable && !this.#reserve.hasRoom()) throw notWritten()
    try {
      return this.#attempt(work)
    } catch (error) {
      if (isRefusable || !isOutOfRoom(error) || !this.#makeRoom()) throw this.#translate(error)
    }
    try {
      return this.#attempt(work)
    } catch (error) {
      throw this.#translate(error)
    }
  }

  /**
   * A transaction of which nothing depends yet: it is durable with the next one that transact() commits, which forces the whole
   * log to the disk.
   */
  stage<T>(work: () => T, urgency: Urgency = 'urgent'): T {
    if (this.#open || this.#isForgetful) return this.transact(work, urgency)
    this.#db.exec('PRAGMA synchronous=NORMAL')
    try {
      return this.transact(work, urgency)
    } finally {
      this.#db.exec('PRAGMA synchronous=FULL')
    }
  }

  #attempt<T>(work: () => T): T {
    this.#open = true
    try {
      this.prepare('BEGIN IMMEDIATE').run()
      const result = work()
      this.prepare('COMMIT').run()
      if (!this.#isForgetful) this.#reserve.noteWrite(true)
      this.#boundLog()
      return result
    } catch (error) {
      this.#rollBack()
      this.#open = false
      for (const listener of this.#rolledBackListeners) listener()
      throw error
    } finally {
      this.#open = false
    }
  }

  /**
   * Readers in workers that always overlap keep the WAL from ever beginning again. New ones do not need it once it is folded back
   * as a whole, so it is enough to wait for those that read now.
   */
  #boundLog(): void {
    this.#commits++
    if (this.#commits % commitsBetweenLooks !== 0) return
    const size = statSync(`${this.path}-wal`, { throwIfNoEntry: false })?.size ?? 0
    if (size <= maxLogBytes) return
    this.#db.exec(`PRAGMA busy_timeout=${logWaitMilliseconds}`)
    try {
      this.#db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
    } catch (error) {
      // The commit is done, and the next look tries again.
      if (isLostSync(error)) this.#onFatal(error)
    } finally {
      this.#db.exec(`PRAGMA busy_timeout=${busyMilliseconds}`)
    }
  }

  /** Also without a reserve the log may hold room that is not needed. */
  #makeRoom(): boolean {
    return this.#reserve.release() || this.shrink()
  }

  /** Gives room that is not used back to the disk, some of it at a time; false when that is not possible now. */
  shrink(): boolean {
    try {
      // Logs use their pages again.
      if (!this.#isForgetful) this.#db.prepare(`PRAGMA incremental_vacuum(${pagesGivenBack})`).all()
      return Number(this.#db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy) === 0
    } catch {
      return false
    }
  }

  fileBytes(): number {
    return this.#pragma('page_count') * this.#pragma('page_size')
  }

  /** Bytes of pages in use, without those that the next writes can take. */
  usedBytes(): number {
    return this.fileBytes() - this.#pragma('freelist_count') * this.#pragma('page_size')
  }

  #pragma(name: 'page_count' | 'page_size' | 'freelist_count'): number {
    return Number(Object.values(this.prepare(`PRAGMA ${name}`).get() ?? {})[0])
  }

  /** Makes tables equal to those of another database. Their names are texts of the source, never from outside. */
  copyTables(from: Database, names: readonly string[]): void {
    for (const name of names) {
      this.prepare(`DELETE FROM ${name}`).run()
      for (const row of from.prepare(`SELECT * FROM ${name}`).all()) {
        const columns = Object.keys(row)
        const marks = columns.map(() => '?').join(', ')
        this.prepare(`INSERT INTO ${name} (${columns.join(', ')}) VALUES (${marks})`).run(...Object.values(row))
      }
    }
  }

  /** All that `work` reads is of one moment, whatever another connection commits in the meantime. */
  look<T>(work: () => T): T {
    this.#db.exec('BEGIN')
    try {
      return work()
    } finally {
      this.#rollBack()
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
    if (isLostSync(error)) this.#onFatal(error)
    if (primary !== diskFull && primary !== readOnly && primary !== ioError) return error
    this.#reserve.noteWrite(false)
    return notWritten(error)
  }

  close(): void {
    this.#db.close()
  }
}

const busyMilliseconds = 2_000

/** The WAL is cut when it is larger. */
const maxLogBytes = 16 * 1024 * 1024
const commitsBetweenLooks = 16
/** A worker reads for some milliseconds at a time. */
const logWaitMilliseconds = 50

/** In one go, which takes some ten milliseconds. */
const pagesGivenBack = 2_000

const versionOf = (db: DatabaseSync): number =>
  Number((db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version)

const unopened = (cause: unknown): Error =>
  new Error('The stored data cannot be opened: the disk is full, read-only or failing.', { cause })

const notWritten = (cause?: unknown): GatewayError =>
  new GatewayError('unavailable', say`The change could not be written: the disk is full, read-only or failing.`, {
    cause,
  })

/** A disk without room, also where a quota says so. */
const isOutOfRoom = (error: unknown): boolean => primaryCode(error) === diskFull || undoneWrites.has(codeOf(error))

const isLostSync = (error: unknown): boolean => primaryCode(error) === ioError && !undoneWrites.has(codeOf(error))

/** A second connection to a file that another one writes, for reading only: in a worker thread. */
export class ReadDatabase {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(path: string) {
    this.#db = new DatabaseSync(path, { readOnly: true, timeout: 2_000 })
  }

  /** The statement texts are a fixed set in the source; values are always bound. */
  prepare<Row = Columns>(sql: string): Statement<Row> {
    const known = this.#statements.get(sql) ?? this.#db.prepare(sql)
    this.#statements.set(sql, known)
    return typed<Row>(known)
  }

  /** A statement whose rows are arrays, which many rows should be. */
  prepareArrays<Row = Columns>(sql: string): Statement<Row> {
    const statement = this.prepare<Row>(sql)
    statement.setReturnArrays(true)
    return statement
  }

  /** All that `work` reads is of one moment, whatever the other connection commits in the meantime. */
  look<T>(work: () => T): T {
    this.#db.exec('BEGIN')
    try {
      return work()
    } finally {
      this.#db.exec('ROLLBACK')
    }
  }

  close(): void {
    this.#db.close()
  }
}

/** 0 when it is not an error of SQLite. */
const codeOf = (error: unknown): number => (error as { errcode?: number }).errcode ?? 0
const primaryCode = (error: unknown): number => codeOf(error) & 0xff
