// Earlier releases kept the authentication journal of the portal, and once firewall hits too, in a file of its own, log.db. What
// is in it goes to the log once, in small steps beside everything else; then the file is removed. How far that came is noted in the
// log together with the records, so that a crash neither loses an entry nor doubles one.

import { existsSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as others } from 'node:timers/promises'
import { type AuthStart, authRecord } from '../../areas/portal/runs/auth-journal.ts'
import { Database, type DatabaseKind } from '../../core/database/database.ts'
import type { Log } from '../../core/log.ts'
import { noNumber } from '../../domain/logs/kinds.ts'
import type { NewRecord } from '../../domain/logs/record.ts'
import type { LogStore } from '../../domain/logs/store.ts'
import { lostRecord, plainRecord } from './sources/firewall-hits.ts'
import { readHitLine } from './sources/hit-line.ts'
import { isDamage } from './store/kept.ts'

export interface EarlierLogParts {
  readonly folder: string
  readonly logs: Pick<LogStore, 'append' | 'flush' | 'marks'>
  /** Hits that are still in it are read from there. */
  readonly hitsFile: string
  readonly log: Log
}

interface FormerHit {
  readonly place: number
  /** Unix milliseconds. */
  readonly time: number
  readonly table_name: string
  readonly rule_id: string
  readonly action: string
  readonly protocol: string
  readonly source_ip: string
  readonly source_port: number | null
  readonly destination_ip: string
  readonly destination_port: number | null
  readonly in_interface: string
  readonly out_interface: string
  readonly length: number
  readonly lost: number
}

type FormerSession = AuthStart & { readonly place: number; readonly ended: number }

/** A table of the file and what its rows become. */
interface Taken {
  readonly source: string
  readonly table: string
  readonly page: () => unknown[]
  readonly remove: (upTo: number) => void
  readonly recordOf: (row: unknown) => NewRecord | null
}

const takenAtOnce = 500
/** More than a line has. */
const firstLineBytes = 4_096

/** The file had five formats; its tables are read as they are. */
const data: DatabaseKind = {
  migrations: Array.from({ length: 5 }, () => ({ title: 'as it is', statements: [] })),
  isForgetful: true,
}

/** Null when there is none, or when it cannot be read. */
export function openEarlierLog(parts: EarlierLogParts): EarlierLog | null {
  const path = join(parts.folder, 'log.db')
  if (!existsSync(path)) return null
  try {
    return new EarlierLog(path, parts)
  } catch (error) {
    giveUp(path, error, parts.log)
    return null
  }
}

export class EarlierLog {
  /** Those that had not ended, for who knows which of them go on. */
  readonly openSessions: readonly AuthStart[]
  readonly #database: Database
  readonly #path: string
  readonly #parts: EarlierLogParts
  #isStopped = false
  #work: Promise<void> = Promise.resolve()

  constructor(path: string, parts: EarlierLogParts) {
    this.#path = path
    this.#parts = parts
    this.#database = new Database(path, undefined, data)
    try {
      this.openSessions = this.#has('auth_journal') ? this.#open() : []
    } catch (error) {
      this.#database.close()
      throw error
    }
  }

  /** Called once, when the open sessions are noted elsewhere. */
  takeOver(): void {
    this.#work = this.#takeAll().catch((error: unknown) => {
      this.#close()
      giveUp(this.#path, error, this.#parts.log)
    })
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#work
    this.#close()
  }

  async #takeAll(): Promise<void> {
    const { logs, hitsFile } = this.#parts
    const database = this.#database
    if (this.#has('auth_journal')) database.prepare('DELETE FROM auth_journal WHERE ended IS NULL').run()
    const until = await firstTime(hitsFile)
    const tables: readonly Taken[] = [
      {
        source: 'former-hits',
        table: 'hits',
        page: () =>
          database.prepare('SELECT sequence AS place, * FROM hits ORDER BY sequence LIMIT ?').all(takenAtOnce),
        remove: (upTo) => database.prepare('DELETE FROM hits WHERE sequence <= ?').run(upTo),
        recordOf: (row) => ((row as FormerHit).time < until ? hitRecord(row as FormerHit) : null),
      },
      {
        source: 'former-sessions',
        table: 'auth_journal',
        page: () => database.prepare('SELECT * FROM auth_journal ORDER BY place LIMIT ?').all(takenAtOnce),
        remove: (upTo) => database.prepare('DELETE FROM auth_journal WHERE place <= ?').run(upTo),
        recordOf: (row) => sessionRecord(row as FormerSession),
      },
    ]
    for (const taken of tables) if (this.#has(taken.table) && !(await this.#take(taken))) return
    // Another file of this kind would begin with the same places.
    for (const { source } of tables) {
      if ((await logs.marks()).has(source)) logs.append([], { source, position: '0' })
    }
    await logs.flush()
    this.#close()
    removeFile(this.#path)
  }

  /** False when it was stopped, or the log does not take records: the next start goes on. */
  async #take({ source, page, remove, recordOf }: Taken): Promise<boolean> {
    const { logs } = this.#parts
    // Those that are on the disk, and whose removal was not.
    const taken = Number((await logs.marks()).get(source) ?? 0)
    for (;;) {
      if (this.#isStopped) return false
      const rows = page() as { readonly place: number }[]
      if (rows.length === 0) return true
      const position = String(rows.at(-1)?.place)
      logs.append(
        rows.filter(({ place }) => place > taken).flatMap((row) => recordOf(row) ?? []),
        { source, position },
      )
      await logs.flush()
      if ((await logs.marks()).get(source) !== position) return false
      remove(Number(position))
      await others()
    }
  }

  #has(table: string): boolean {
    return (
      this.#database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table) !== undefined
    )
  }

  #open(): readonly AuthStart[] {
    return this.#database
      .prepare<AuthStart>(
        `SELECT id, started, user_id, login, name, group_name, domain_type, ip, country_name, country_code
         FROM auth_journal WHERE ended IS NULL`,
      )
      .all()
  }

  #close(): void {
    if (this.#database.isOpen) this.#database.close()
  }
}

/** A damaged file must not keep the gateway from starting. On a disk that is full the next start tries again. */
function giveUp(path: string, error: unknown, log: Log): void {
  if (!isDamage(error)) {
    log('warning', 'the log of an earlier release was not taken over yet', { error })
    return
  }
  log('warning', 'the log of an earlier release cannot be read and was removed', { error })
  removeFile(path)
}

const removeFile = (path: string): void => {
  for (const ending of ['-wal', '-shm', '']) rmSync(`${path}${ending}`, { force: true })
}

const sessionRecord = ({ place: _place, ended, ...start }: FormerSession): NewRecord => authRecord(start, ended)

/** Each is a record of the journal: hits of one packet were not joined yet. */
function hitRecord(hit: FormerHit): NewRecord {
  const time = hit.time * 1000
  if (hit.lost > 0) return lostRecord(hit.lost, time)
  return plainRecord({
    time,
    table: hit.table_name,
    rule: hit.rule_id,
    action: hit.action,
    protocol: hit.protocol,
    source: hit.source_ip,
    sourcePort: hit.source_port ?? noNumber,
    destination: hit.destination_ip,
    destinationPort: hit.destination_port ?? noNumber,
    input: hit.in_interface,
    output: hit.out_interface,
    length: hit.length,
  })
}

/** When the oldest hit of the file was, in milliseconds. */
async function firstTime(path: string): Promise<number> {
  try {
    await using file = await open(path, 'r')
    const { buffer, bytesRead } = await file.read(Buffer.alloc(firstLineBytes), 0, firstLineBytes, 0)
    const [line = ''] = buffer.toString('latin1', 0, bytesRead).split('\n')
    const time = readHitLine(line, Number.NaN).hit?.time ?? Number.NaN
    return Number.isNaN(time) ? Number.POSITIVE_INFINITY : Math.floor(time / 1000)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
