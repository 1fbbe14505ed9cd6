// Lines that gatewayd writes to the system journal under the name of a unit: sign-ins of users and what the guard against
// guessing does. A bounded table of log.db; the system journal gathers it like every other source.

import type { Database } from '../../database/database.ts'
import type { Migration } from '../../database/migrations.ts'

export const unitLineMigrations: readonly Migration[] = [
  {
    title: 'lines that gatewayd writes under the name of a unit',
    statements: [
      `CREATE TABLE unit_lines (
        number INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, level TEXT NOT NULL, unit TEXT NOT NULL,
        message TEXT NOT NULL
      )`,
    ],
  },
]

export interface UnitLine {
  readonly number: number
  /** Unix milliseconds. */
  readonly time: number
  readonly level: 'info' | 'notice' | 'warning'
  /** As in `web-authd`; the name of the product comes before it, unless the unit has a name of its own. */
  readonly unit: string
  readonly message: string
}

export type NewUnitLine = Pick<UnitLine, 'unit' | 'level' | 'message'>

/** The system journal has them within a second; what it does not read in that time is a flood. */
const maxLines = 20_000
const removedAtOnce = 1_000
const maxMessage = 500

export class UnitLines {
  readonly #database: Database
  readonly #now: () => Date
  readonly #onFault: (error: unknown) => void

  constructor(database: Database, now: () => Date, onFault: (error: unknown) => void) {
    this.#database = database
    this.#now = now
    this.#onFault = onFault
  }

  write(unit: string, level: UnitLine['level'], message: string): void {
    this.writeAll([{ unit, level, message }])
  }

  /** A log that takes nothing must not stop what it records. */
  writeAll(lines: readonly NewUnitLine[]): void {
    if (lines.length === 0) return
    const time = this.#now().getTime()
    try {
      this.#database.transact(() => {
        const put = this.#database.prepare('INSERT INTO unit_lines (time, level, unit, message) VALUES (?, ?, ?, ?)')
        let last = 0
        for (const { unit, level, message } of lines)
          last = Number(put.run(time, level, unit, message.slice(0, maxMessage)).lastInsertRowid)
        // Not at every line, for it takes longer than the line.
        if (Math.floor(last / removedAtOnce) === Math.floor((last - lines.length) / removedAtOnce)) return
        this.#database.prepare('DELETE FROM unit_lines WHERE number <= ?').run(last - maxLines)
      })
    } catch (error) {
      this.#onFault(error)
    }
  }

  pageAfter(number: number, limit: number): readonly UnitLine[] {
    return this.#database
      .prepare('SELECT number, time, level, unit, message FROM unit_lines WHERE number > ? ORDER BY number LIMIT ?')
      .all(number, limit) as unknown as readonly UnitLine[]
  }
}
