// What the machine should hold and what is known of it: makes plans, applies the newest revision and tracks the areas that
// are applied in the background. The engine decides when to apply and what is committed.

import { isDeepStrictEqual } from 'node:util'
import { say, verbatim } from '../../shared/said.ts'
import { GatewayError } from '../contract/error.ts'
import type { Artifact, Outcome, Plan } from '../plan/artifacts.ts'
import { allOf, changedAreas, type Rendered } from '../plan/planner.ts'
import { type BackgroundApplies, type BackgroundRow, rowsOf } from './background.ts'
import type { ApplyState, EngineParts } from './change.ts'
import type { Snapshot } from './diff.ts'

type Parts = Pick<EngineParts, 'applier' | 'planner' | 'facts' | 'store'>

export class MachineFollower {
  readonly #parts: Parts
  readonly background: BackgroundApplies
  /** What the areas render for the head revision; for pending background areas the plan holds something else. */
  rendered: Rendered
  applied: ApplyState = { outcome: null, error: null }
  /** The background areas as stored on disk. */
  #storedRows: readonly BackgroundRow[]

  constructor(parts: Parts, head: Snapshot, rows: readonly BackgroundRow[], background: BackgroundApplies) {
    this.#parts = parts
    this.background = background
    this.#storedRows = rows
    this.rendered = parts.planner.renderParts(head.config, parts.facts())
  }

  /** Follows a commit: what is wanted now, and the state of the background areas. */
  commit(rendered: Rendered, pending: BackgroundApplies['pending']): void {
    this.rendered = rendered
    if (pending === this.background.pending) return
    this.#storedRows = rowsOf(pending)
    this.background.set(pending)
  }

  noteError(error: unknown): void {
    this.applied = { outcome: this.applied.outcome, error: verbatim((error as Error).message) }
  }

  /** Pending background areas keep what was last sent to the machine, except for those named here. */
  planOf(revision: number, rendered: Rendered, areas: readonly string[] = []): Plan {
    const background = [...rendered.background].map(([area, artifacts]) => {
      const held = areas.includes(area) ? null : this.background.heldConfig(area)
      return [area, held ? this.#artifactsOf(area, held) : artifacts] as const
    })
    return { revision, artifacts: allOf({ ...rendered, background: new Map(background) }) }
  }

  /** With everything new that a change brings. */
  planToCheck(revision: number, rendered: Rendered): Plan {
    return this.planOf(revision, rendered, changedAreas(this.rendered, rendered))
  }

  /** Brings the machine to the head revision, which may advance while this runs. */
  async follow(head: () => Snapshot): Promise<void> {
    this.rendered = this.#parts.planner.renderParts(head().config, this.#parts.facts())
    while (await this.#applyOnce(head()));
    this.#storeBackground()
  }

  /**
   * Applies the plan with at most one background area that was not sent yet, and checks the state of those already sent.
   * True when it must run once more: another area waits, or one failed and its previous artifacts are restored. Every step
   * takes an area from waiting to sent or from sent to failed, so this ends.
   */
  async #applyOnce({ revision, config }: Snapshot): Promise<boolean> {
    const { background } = this
    const area = background.nextDue()
    const outcome = await this.#applyWith(area, this.planOf(revision, this.rendered, area === null ? [] : [area]))
    if (outcome === null) return true
    this.applied = { outcome, error: null }
    if (outcome.status === 'put_back') return false
    if (area !== null) background.sent(area, config)
    if (!background.isUnderWay) return false
    const observation = outcome.status === 'applied' ? await this.#parts.applier.observe() : null
    const hasFailed = background.observe(observation, (name, sent) => this.#artifactsOf(name, sent))
    return hasFailed || background.nextDue() !== null
  }

  /** Null when the area failed, whose artifacts are the only new ones in the plan; the machine is unchanged then. */
  async #applyWith(area: string | null, plan: Plan): Promise<Outcome | null> {
    try {
      const outcome = await this.#parts.applier.apply(plan)
      if (area === null || outcome.status !== 'put_back') return outcome
      this.background.failed(area, outcome.problems[0]?.message ?? say`The change failed on the machine.`)
    } catch (error) {
      // A service that does not answer says nothing about the area; one that refuses the plan does.
      if (area === null || !(error instanceof GatewayError) || error.code !== 'not_applied') throw error
      this.background.failed(area, error.message)
    }
    return null
  }

  #storeBackground(): void {
    const { rows } = this.background
    if (isDeepStrictEqual(rows, this.#storedRows)) return
    this.#parts.store.commit({ revisions: [], sequences: {}, background: rows })
    this.#storedRows = rows
  }

  #artifactsOf(area: string, config: Snapshot['config']): readonly Artifact[] {
    return this.#parts.planner.renderArea(area, config, this.#parts.facts())
  }
}
