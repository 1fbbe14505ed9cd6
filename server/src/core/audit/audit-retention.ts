// Keeps the audit trail within its limits: the oldest records are removed when they are old enough or the trail is too large.
// A record of the chain says so and is signed before anything is removed, so that what is left can be verified.

import { setImmediate as others } from 'node:timers/promises'
import { type SaidText, say, verbatim } from '../../shared/said.ts'
import { counted } from '../contract/counted.ts'
import type { Database } from '../database/database.ts'
import type { Checkpoint } from '../plan/artifacts.ts'
import type { AuditTrail } from './audit.ts'
import { ownEntry } from './audit-entry.ts'
import { leastKeptRecords, removalNote, trailItself } from './audit-verify.ts'

export interface AuditLimits {
  readonly days: number
  readonly megabytes: number
}

export interface AuditUsage {
  readonly records: number
  readonly bytes: number
  readonly limits: AuditLimits
  /** Why old records were not removed the last time, or null. */
  readonly fault: SaidText | null
}

export interface RetentionParts {
  readonly database: Database
  readonly audit: AuditTrail
  readonly limits: AuditLimits
  readonly checkpoints: () => Promise<readonly Checkpoint[]>
  /** Resolves when applyd was asked to sign what is there. */
  readonly sign: () => Promise<void>
  /** By which records become too old. */
  readonly now: () => Date
}

const hourMs = 3_600_000
const dayMs = 86_400_000
const megabyte = 1024 * 1024
/** Rows whose sizes are added up before others get their turn. */
const countedAtOnce = 2_000
/** Down to this share of the limit, so that it is not reached again at once. */
const target = 0.9

export class AuditRetention {
  readonly #parts: RetentionParts
  #usage: Omit<AuditUsage, 'records'>
  #timer: NodeJS.Timeout | null = null
  #running: Promise<void> | null = null

  constructor(parts: RetentionParts) {
    this.#parts = parts
    this.#usage = { bytes: 0, limits: parts.limits, fault: null }
  }

  /** The number of records now; the bytes are those of the last hour. */
  get usage(): AuditUsage {
    const { first, head } = this.#parts.audit
    return { ...this.#usage, records: first === 0 ? 0 : head.sequence - first + 1 }
  }

  start(): void {
    void this.run()
    this.#timer = setInterval(() => void this.run(), hourMs).unref()
  }

  /** Resolves when nothing is being removed any more. */
  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer)
    await this.#running
  }

  run(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  async #run(): Promise<void> {
    const { limits } = this.#parts
    let fault: SaidText | null = null
    try {
      await this.#remove()
    } catch (error) {
      fault = verbatim((error as Error).message)
    }
    this.#usage = { bytes: await this.#bytesBetween(0, Number.MAX_SAFE_INTEGER), limits, fault }
  }

  async #remove(): Promise<void> {
    const { audit, checkpoints, sign } = this.#parts
    // Never the newest one: applyd replaces it.
    const signed = (await checkpoints()).slice(0, -1)
    const places = signed.filter(({ sequence }) => sequence >= audit.first)
    const through = Math.max(this.#oldThrough(places), await this.#excessThrough(places))
    if (through === 0) return
    const fault = await audit.verify(await checkpoints())
    if (fault) throw new Error(say`Nothing was removed: record ${fault.sequence} of the audit trail is at fault.`)
    const { days, megabytes } = this.#parts.limits
    const message = `Records up to ${through} were removed: the limits are ${counted(days, 'day')} and ${megabytes} MB.`
    await audit.record([ownEntry(trailItself, 'ok', message, [removalNote(through)])])
    const { sequence } = audit.head
    await sign()
    const last = (await checkpoints()).at(-1)
    if (!last || last.sequence < sequence) throw new Error('Nothing was removed: applyd did not sign the removal.')
    // One signed stretch at a time: wherever this is interrupted, the trail begins after a checkpoint.
    for (const place of places.filter((one) => one.sequence <= through)) {
      this.#parts.database.prepare('DELETE FROM audit WHERE sequence <= ?').run(place.sequence)
      await others()
    }
  }

  /** The last record that may be removed, whatever its age or size. */
  get #last(): number {
    return this.#parts.audit.head.sequence - leastKeptRecords
  }

  #oldThrough(places: readonly Checkpoint[]): number {
    const before = this.#parts.now().getTime() - this.#parts.limits.days * dayMs
    const old = places.filter(({ sequence, time }) => sequence <= this.#last && Date.parse(time) <= before)
    return old.at(-1)?.sequence ?? 0
  }

  async #excessThrough(places: readonly Checkpoint[]): Promise<number> {
    const limit = this.#parts.limits.megabytes * megabyte
    const bytes = await this.#bytesBetween(0, Number.MAX_SAFE_INTEGER)
    if (bytes <= limit) return 0
    const possible = places.filter(({ sequence }) => sequence <= this.#last)
    let [removed, before] = [0, 0]
    for (const { sequence } of possible) {
      removed += await this.#bytesBetween(before, sequence)
      if (removed >= bytes - target * limit) return sequence
      before = sequence
    }
    return before
  }

  /** Of the records after one up to another. */
  async #bytesBetween(after: number, upTo: number): Promise<number> {
    let bytes = 0
    let last = after
    for (;;) {
      const row = this.#parts.database
        .prepare(
          `SELECT count(*) AS count, max(sequence) AS last, sum(size) AS bytes FROM (
             SELECT sequence, octet_length(record) AS size FROM audit
             WHERE sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ?
           )`,
        )
        .get(last, upTo, countedAtOnce)
      bytes += Number(row?.bytes ?? 0)
      if (Number(row?.count ?? 0) < countedAtOnce) return bytes
      last = Number(row?.last)
      await others()
    }
  }
}
