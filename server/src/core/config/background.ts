// Areas whose changes are applied in the background: which of them are in progress or failed, what the plan holds for each
// until then, and when a failed one is retried. The engine applies; this file only keeps track of the results.

import { say } from '../../shared/said.ts'
import type { Config } from '../model/slots.ts'
import type { Artifact, Observation, UnitObservation } from '../plan/artifacts.ts'

/** What the status of an area reports. `applied`: nothing is in progress. */
export interface BackgroundState {
  readonly state: 'applied' | 'reloading' | 'failed'
  /** Why it failed, as reported by the engine or by applyd; '' otherwise. */
  readonly message: string
}

/** As it is stored: an area with nothing in progress has no row. */
export interface BackgroundRow {
  readonly area: string
  /** The last revision whose artifacts of this area were in force. */
  readonly good: number
  readonly state: 'reloading' | 'failed'
  readonly message: string
  /** How often it failed since it was last changed. */
  readonly failures: number
}

interface Pending extends BackgroundRow {
  readonly goodConfig: Config
  /** The configuration last sent to the machine; null: the last good one. */
  readonly sent: Config | null
  /** The current configuration has yet to be sent to the machine. */
  readonly isDue: boolean
  /** Elapsed seconds: when a failed one is retried, or one in progress counts as failed. */
  readonly deadline: number
}

/** Pauses before a failed area is retried: they double up to the last. */
const firstRetrySeconds = 30
const lastRetrySeconds = 3600
/** An engine that is neither active nor failed after this long has failed. */
const patienceSeconds = 900

const underWay: ReadonlySet<UnitObservation['state']> = new Set(['activating', 'deactivating', 'reloading', 'inactive'])

export type PendingAreas = ReadonlyMap<string, Pending>

export class BackgroundApplies {
  readonly #elapsed: () => number
  #pending: PendingAreas = new Map()

  /** `configAt` gives null for a revision that no longer exists; such a row is ignored. */
  constructor(elapsed: () => number, rows: readonly BackgroundRow[], configAt: (revision: number) => Config | null) {
    this.#elapsed = elapsed
    for (const row of rows) {
      const goodConfig = configAt(row.good)
      if (goodConfig) this.#put({ ...row, goodConfig, sent: null, isDue: row.state === 'reloading', deadline: 0 })
      if (goodConfig && row.state === 'failed') this.#put({ ...this.#get(row.area), deadline: this.#retryAt(row) })
    }
  }

  get isIdle(): boolean {
    return this.#pending.size === 0
  }

  /** True while the machine has to be asked for progress. */
  get isUnderWay(): boolean {
    return [...this.#pending.values()].some(({ state }) => state === 'reloading')
  }

  stateOf(area: string): BackgroundState {
    const { state = 'applied', message = '' } = this.#pending.get(area) ?? {}
    return { state, message }
  }

  get rows(): readonly BackgroundRow[] {
    return rowsOf(this.#pending)
  }

  get pending(): PendingAreas {
    return this.#pending
  }

  /** The configuration whose artifacts the plan holds for an area; null: the newest one. */
  heldConfig(area: string): Config | null {
    const pending = this.#pending.get(area)
    return pending ? (pending.sent ?? pending.goodConfig) : null
  }

  /** The pending areas after a change of these areas is committed on top of `before`. */
  changed(areas: readonly string[], before: { readonly revision: number; readonly config: Config }): PendingAreas {
    const next = new Map(this.#pending)
    for (const area of areas) {
      const known = this.#pending.get(area) ?? { good: before.revision, goodConfig: before.config, sent: null }
      const fresh = { area, state: 'reloading', message: '', failures: 0, isDue: true, deadline: 0 } as const
      next.set(area, { ...known, ...fresh })
    }
    return next
  }

  /** Follows what was committed. */
  set(pending: PendingAreas): void {
    this.#pending = pending
  }

  /** The next area to send to the machine: one at a time, so that a failure has one cause. */
  nextDue(): string | null {
    const now = this.#elapsed()
    const isDue = ({ isDue, state, deadline }: Pending): boolean => isDue || (state === 'failed' && now >= deadline)
    return [...this.#pending.values()].find(isDue)?.area ?? null
  }

  /** The machine has what `config` wants of the area; the engine is working on it. */
  sent(area: string, config: Config): void {
    const deadline = this.#elapsed() + patienceSeconds
    this.#put({ ...this.#get(area), sent: config, isDue: false, state: 'reloading', message: '', deadline })
  }

  failed(area: string, message: string): void {
    const known = this.#get(area)
    const failures = known.failures + 1
    const row = { ...known, state: 'failed' as const, message, failures, sent: null, isDue: false }
    this.#put({ ...row, deadline: this.#retryAt(row) })
  }

  /** Records which of the areas sent to the machine are done or failed, as it reports them. True when one failed. */
  observe(
    observation: Observation | null,
    artifactsOf: (area: string, config: Config) => readonly Artifact[],
  ): boolean {
    let hasFailed = false
    for (const { area, sent, isDue, deadline } of this.#pending.values()) {
      if (sent === null || isDue) continue
      const names = artifactsOf(area, sent).flatMap((artifact) => (artifact.kind === 'unit' ? [artifact.name] : []))
      const units = observation?.units.filter(({ name }) => names.includes(name)) ?? []
      const fault = units.find(({ state }) => state === 'failed')
      const isLate = this.#elapsed() >= deadline
      if (fault) this.failed(area, fault.message || say`${fault.name} failed.`)
      else if (!units.some(({ state }) => underWay.has(state))) this.#done(area)
      else if (isLate)
        this.failed(area, say`${names.join(', ')} did not become active in ${patienceSeconds / 60} minutes.`)
      hasFailed ||= fault !== undefined || (isLate && this.#pending.has(area))
    }
    return hasFailed
  }

  #done(area: string): void {
    this.#pending = new Map([...this.#pending].filter(([name]) => name !== area))
  }

  #retryAt({ failures }: Pick<BackgroundRow, 'failures'>): number {
    const pause = Math.min(firstRetrySeconds * 2 ** Math.max(0, failures - 1), lastRetrySeconds)
    return this.#elapsed() + pause
  }

  #get(area: string): Pending {
    const pending = this.#pending.get(area)
    if (!pending) throw new Error(`the area ${area} has nothing pending`)
    return pending
  }

  #put(pending: Pending): void {
    this.#pending = new Map(this.#pending).set(pending.area, pending)
  }
}

export const rowsOf = (pending: PendingAreas): BackgroundRow[] =>
  [...pending.values()].map(({ area, good, state, message, failures }) => ({ area, good, state, message, failures }))
