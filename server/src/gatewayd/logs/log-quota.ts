// The room that log.db may take: a share of the disk, and no more than it has once the disk has little left. Beyond that the
// oldest records go; their pages are used again for new ones.

import { authJournalMigrations } from '../../areas/portal/runs/auth-journal.ts'
import type { Database } from '../../core/database/database.ts'
import { firewallLogMigrations, formerTables, systemLogMigrations, unitLineMigrations } from './former-tables.ts'

/** Of all tables in the file of the logs. */
export const logMigrations = [
  ...firewallLogMigrations,
  ...systemLogMigrations,
  ...unitLineMigrations,
  ...authJournalMigrations,
  ...formerTables,
]

export interface LogQuotaParts {
  readonly database: Database
  readonly maxBytes: () => number
  /** Whether logs may take more of the disk than they have. */
  readonly hasRoom: () => boolean
}

const mostBytes = 256 * 1024 * 1024
const shareOfDisk = 8

/** `diskBytes`: the size of the file system; null where it is not watched. */
export const logBytesOf = (diskBytes: number | null): number =>
  diskBytes === null ? mostBytes : Math.min(mostBytes, diskBytes / shareOfDisk)

/** With little room on the disk, this part of the file is kept free for new records. */
const spareShare = 20
/** Removed in one go: some ten milliseconds. */
const removedAtOnce = 2_000

export class LogQuota {
  readonly #parts: LogQuotaParts

  constructor(parts: LogQuotaParts) {
    this.#parts = parts
  }

  /** Removes some of the oldest records when there are too many; called again and again. */
  trim(): void {
    const { database, maxBytes, hasRoom } = this.#parts
    const file = database.fileBytes()
    const limit = hasRoom() ? maxBytes() : Math.min(maxBytes(), file - file / spareShare)
    if (database.usedBytes() <= limit) return
    database.transact(() => {
      const { changes } = database
        .prepare('DELETE FROM hits WHERE sequence IN (SELECT sequence FROM hits ORDER BY sequence LIMIT ?)')
        .run(removedAtOnce)
      if (Number(changes) === removedAtOnce) return
      database
        .prepare('DELETE FROM auth_journal WHERE place IN (SELECT place FROM auth_journal ORDER BY place LIMIT ?)')
        .run(removedAtOnce)
    })
  }
}
