// The password that the gateway made for its first administrator: where it can be read, when it expires, and whether it must be
// changed before anything else (docs/decisions/0036-first-password.md). A password that the operator chose is none of these.

import { readFileSync, rmSync } from 'node:fs'
import { writeDurably } from '../../shared/files/durable-file.ts'
import type { Clock } from '../../shared/time/clock.ts'
import type { Tables } from '../database/shelter.ts'

/** In the folder of the gateway, for its own account and root alone. */
export const firstPasswordName = 'first-password'

export const firstPasswordSeconds = 24 * 3600

interface Holder {
  readonly id: string
  readonly password_timestamp: number
}

export interface FirstPasswordParts {
  readonly database: Tables
  readonly clock: Clock
  readonly path: string
  readonly find: (adminId: string) => Holder | undefined
  /** On a machine that is itself the gateway, the first sign-in can only change the password. */
  readonly mustChange: boolean
}

interface Row {
  readonly admin_id: string
  readonly password_timestamp: number
  readonly used: number
  /** Elapsed seconds until `at`. The time while the machine is off does not count: no clock can be trusted for it. */
  readonly age: number
  readonly boot: string
  readonly at: number
}

export class FirstPassword {
  readonly #parts: FirstPasswordParts
  #row: Row | null

  constructor(parts: FirstPasswordParts) {
    this.#parts = parts
    const { database, clock } = parts
    database
      .prepare('UPDATE first_password SET boot = ?, at = ? WHERE boot <> ?')
      .run(clock.boot, clock.elapsed(), clock.boot)
    this.#row = this.#read()
    database.onRolledBack(() => {
      this.#row = this.#read()
    })
  }

  #read(): Row | null {
    return this.#parts.database.prepare<Row>('SELECT * FROM first_password').get() ?? null
  }

  /** Before the account is made: after a crash in between, the next start makes both again. */
  begin({ id, password_timestamp }: Holder, password: string): void {
    const { database, clock, path } = this.#parts
    writeDurably(path, `${password}\n`)
    database
      .prepare(
        `INSERT INTO first_password (one, admin_id, password_timestamp, used, age, boot, at) VALUES (1, ?, ?, 0, 0, ?, ?)
         ON CONFLICT (one) DO UPDATE SET admin_id = excluded.admin_id, password_timestamp = excluded.password_timestamp,
         used = 0, age = 0, boot = excluded.boot, at = excluded.at`,
      )
      .run(id, password_timestamp, clock.boot, clock.elapsed())
    this.#row = this.#read()
  }

  /** By the time of the password, which differs for every new one: also a revert brings the first one back as what it is. */
  #isOf(holder: Holder): boolean {
    return this.#row?.admin_id === holder.id && this.#row.password_timestamp === holder.password_timestamp
  }

  #age(): number {
    return this.#row === null ? 0 : this.#row.age + (this.#parts.clock.elapsed() - this.#row.at)
  }

  /** Not used within its time: it is refused like a wrong one. */
  isExpired(holder: Holder): boolean {
    return this.#isOf(holder) && this.#row?.used === 0 && this.#age() >= firstPasswordSeconds
  }

  hasExpired(): boolean {
    const holder = this.#holder()
    return holder !== undefined && this.isExpired(holder)
  }

  #holder(): Holder | undefined {
    return this.#row === null ? undefined : this.#parts.find(this.#row.admin_id)
  }

  mustBeChanged(holder: Holder): boolean {
    return this.#parts.mustChange && this.#isOf(holder)
  }

  /** Joins the transaction of the sign-in. */
  recordUse(holder: Holder): void {
    if (!this.#isOf(holder) || this.#row?.used === 1) return
    this.#parts.database.prepare('UPDATE first_password SET used = 1').run()
    this.#row = this.#read()
    this.#removeFile()
  }

  #removeFile(): void {
    try {
      rmSync(this.#parts.path, { force: true })
    } catch {
      // A read-only disk: tried again by keepAge().
    }
  }

  /** The password while it waits for its first use. What need not be read any more is deleted. */
  pending(): string | null {
    const holder = this.#holder()
    const isPending = holder !== undefined && this.#isOf(holder) && this.#row?.used === 0 && !this.isExpired(holder)
    if (!isPending) this.#removeFile()
    try {
      return isPending ? readFileSync(this.#parts.path, 'utf8').trim() : null
    } catch {
      // Deleted by hand: then it cannot be shown again.
      return null
    }
  }

  /** Now and then, so that a reboot loses little of the age. False once there is nothing to wait for. */
  keepAge(): boolean {
    if (this.pending() === null) return false
    const { database, clock } = this.#parts
    try {
      database.prepare('UPDATE first_password SET age = ?, at = ?').run(this.#age(), clock.elapsed())
      this.#row = this.#read()
    } catch {
      // A full disk: the age goes on in memory and is stored the next time.
    }
    return true
  }
}
