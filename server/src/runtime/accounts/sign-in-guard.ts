// Guessing protection: counts failed sign-ins per address and per account, and blocks. Counters survive a restart.

import type { Tables } from '../../database/shelter.ts'
import type { Clock } from '../clock.ts'

export interface GuardLimits {
  readonly failures: number
  readonly windowSeconds: number
  readonly blockSeconds: number
  /** Consecutive failures, from anywhere, that close an account until another administrator reopens it. */
  readonly accountFailures: number
}

export const defaultGuardLimits: GuardLimits = {
  failures: 6,
  windowSeconds: 15 * 60,
  blockSeconds: 45 * 60,
  accountFailures: 100,
}

export interface Block {
  readonly address: string
  readonly seconds_left: number
}

export class SignInGuard {
  readonly #database: Tables
  readonly #clock: Clock
  readonly #limits: GuardLimits

  constructor(database: Tables, clock: Clock, limits: GuardLimits = defaultGuardLimits) {
    this.#database = database
    this.#clock = clock
    this.#limits = limits
    this.#adoptOtherBoots()
  }

  /** After a reboot elapsed time starts again: blocks and counts keep their full length from now on. */
  #adoptOtherBoots(): void {
    const now = this.#clock.elapsed()
    this.#database.transact(() => {
      this.#database
        .prepare('UPDATE sign_in_blocks SET boot = ?, until = ? WHERE boot <> ?')
        .run(this.#clock.boot, now + this.#limits.blockSeconds, this.#clock.boot)
      this.#database
        .prepare('UPDATE sign_in_failures SET boot = ?, at = ? WHERE boot <> ?')
        .run(this.#clock.boot, now, this.#clock.boot)
    })
  }

  /** Seconds until this address may try again; 0 when it may. */
  secondsBlocked(address: string): number {
    const row = this.#database.prepare('SELECT until FROM sign_in_blocks WHERE address = ?').get(address) as
      | { until: number }
      | undefined
    return row ? Math.max(0, Math.ceil(row.until - this.#clock.elapsed())) : 0
  }

  /** True when this failure was the one that blocks the address. */
  recordFailure(address: string, adminId: string | null): boolean {
    const now = this.#clock.elapsed()
    return this.#database.transact(() => {
      if (adminId !== null) {
        this.#database
          .prepare(
            `INSERT INTO account_failures (admin_id, consecutive) VALUES (?, 1)
             ON CONFLICT (admin_id) DO UPDATE SET consecutive = consecutive + 1`,
          )
          .run(adminId)
      }
      this.#database.prepare('DELETE FROM sign_in_failures WHERE at <= ?').run(now - this.#limits.windowSeconds)
      this.#database
        .prepare('INSERT INTO sign_in_failures (address, boot, at) VALUES (?, ?, ?)')
        .run(address, this.#clock.boot, now)
      const { count } = this.#database
        .prepare('SELECT count(*) AS count FROM sign_in_failures WHERE address = ?')
        .get(address) as { count: number }
      if (count < this.#limits.failures) return false
      this.#database.prepare('DELETE FROM sign_in_failures WHERE address = ?').run(address)
      this.#database
        .prepare(
          `INSERT INTO sign_in_blocks (address, boot, until) VALUES (?, ?, ?)
           ON CONFLICT (address) DO UPDATE SET boot = excluded.boot, until = excluded.until`,
        )
        .run(address, this.#clock.boot, now + this.#limits.blockSeconds)
      return true
    })
  }

  recordSuccess(address: string, adminId: string): void {
    this.#database.prepare('DELETE FROM sign_in_failures WHERE address = ?').run(address)
    this.reopenAccount(adminId)
  }

  isAccountClosed(adminId: string): boolean {
    const row = this.#database.prepare('SELECT consecutive FROM account_failures WHERE admin_id = ?').get(adminId) as
      | { consecutive: number }
      | undefined
    return (row?.consecutive ?? 0) >= this.#limits.accountFailures
  }

  reopenAccount(adminId: string): void {
    this.#database.prepare('DELETE FROM account_failures WHERE admin_id = ?').run(adminId)
  }

  listBlocks(): Block[] {
    const rows = this.#database.prepare('SELECT address FROM sign_in_blocks ORDER BY address').all() as {
      address: string
    }[]
    return rows
      .map(({ address }) => ({ address, seconds_left: this.secondsBlocked(address) }))
      .filter((block) => block.seconds_left > 0)
  }

  liftBlocks(): void {
    this.#database.transact(() => {
      this.#database.prepare('DELETE FROM sign_in_blocks').run()
      this.#database.prepare('DELETE FROM sign_in_failures').run()
    })
  }
}
