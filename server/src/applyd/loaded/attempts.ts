// Plans that change nothing but tables are tried before their revision is committed: one transaction of the kernel instead
// of a check and a load. Until it is settled the change can be undone, and it is undone when the one who tried it goes away.
// The caller must make only one call at a time, as for the executor.

import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Problem } from '../../core/contract/error.ts'
import type { Attempt, NftPiece, Outcome, Plan } from '../../core/plan/artifacts.ts'
import { Refusal } from '../../engines/kit/values.ts'
import { removeDurable, writeDurable } from '../../shared/files/durable.ts'
import type { Counts } from '../../shared/netlink.ts'
import { verbatim } from '../../shared/said.ts'
import type { Context, Intent } from '../context.ts'
import { problemsOf, throwIfFailed, tryRevert } from '../faults.ts'
import type { TableTargets } from '../pieces.ts'
import type { Ruleset } from '../ruleset.ts'
import type { Mark } from './journal.ts'
import { vetAhead, vetPieces } from './vet-pieces.ts'

/** What the executor knows and does. */
export interface AttemptParts {
  readonly intentPath: string
  /** Null when nothing can be tried: nothing is applied, it is not known what, or a revert is pending. */
  readonly applied: () => { readonly revision: number; readonly plan: Plan } | null
  /** The units that should run. */
  readonly units: () => readonly string[]
  readonly onSettled: (mark: Mark, plan: Plan) => void
  /** Null when the revert is complete. */
  readonly onReverted: (pending: Intent | null) => void
}

interface Tried {
  readonly plan: Plan
  /** Null when nothing had to be loaded. */
  readonly intent: Intent | null
  readonly connection: object | null
}

/** Carries the identity of the kernel, and is void after a reboot: it need not survive a power failure. */
const unforced = { mode: 0o600, isForced: false } as const

export class Attempts {
  readonly #context: Context
  readonly #ruleset: Ruleset
  readonly #parts: AttemptParts
  #tried: Tried | null = null

  constructor(context: Context, ruleset: Ruleset, parts: AttemptParts) {
    this.#context = context
    this.#ruleset = ruleset
    this.#parts = parts
  }

  /** `connection` is the one that must settle it. */
  async attempt(plan: Plan, connection: object | null = null): Promise<Attempt> {
    await this.undoUnsettled()
    const applied = this.#parts.applied()
    if (this.#context.plane === 'none' || !applied || !isTablesOnly(applied.plan, plan)) return { status: 'mixed' }
    if (plan.revision < applied.revision)
      throw new Refusal(`Revision ${plan.revision} is older than the applied revision ${applied.revision}.`)
    const targets = this.#targetsOf(plan)
    await vetAhead(this.#ruleset.newPieces(targets))
    const problems = [...targets].flatMap(([table, pieces]) => this.#vetTable(table, pieces))
    if (problems.length > 0) return { status: 'refused', problems }
    const outcome = targets.size === 0 ? { intent: null } : await this.#tryTables(targets)
    if ('status' in outcome) return outcome
    this.#tried = { plan, intent: outcome.intent, connection }
    return { status: 'applied', changed: [...targets.keys()].map((table) => `nft ${table}`) }
  }

  /** The commit point of applyd; gatewayd has committed the revision already, and does not wait for this. */
  async settle(revision: number): Promise<null> {
    const { plan, intent } = this.#triedAt(revision)
    this.#tried = null
    const mark: Mark = { id: intent?.id ?? randomUUID(), revision }
    const entry = this.#ruleset.entryFor(mark)
    this.#parts.onSettled(mark, plan)
    // Without a record of the change the intent stays: after a restart the change is undone, and gatewayd repeats it.
    if (!this.#ruleset.settle(entry)) return null
    try {
      this.#context.failpoint('settle.recorded')
      removeDurable(this.#parts.intentPath, unforced)
      this.#context.failpoint('settle.done')
    } catch (fault) {
      this.#context.log('warning', 'The intent of a settled change could not be removed', { fault, revision })
    }
    return null
  }

  async undo(revision: number): Promise<Outcome> {
    return this.#undoTried(this.#triedAt(revision))
  }

  /** The one who tried it was to settle or undo it before anything else. */
  async undoUnsettled(): Promise<void> {
    if (this.#tried) await this.#undoTried(this.#tried)
  }

  /** gatewayd may have committed the change: then it applies its newest revision when it is connected again. */
  async disconnected(connection: object): Promise<void> {
    if (this.#tried?.connection === connection) await this.#undoTried(this.#tried)
  }

  /** Restores the settled tables; returns the first faults and those of the revert. */
  async revert(intent: Intent, first: readonly Problem[]): Promise<readonly Problem[]> {
    const removeIntent = (): void => removeDurable(this.#parts.intentPath, unforced)
    const faults = await tryRevert(this.#context, 'undo.tables', () => this.#restoreTables(intent))
    if (faults.length === 0) faults.push(...(await tryRevert(this.#context, 'undo.done', removeIntent)))
    this.#parts.onReverted(faults.length === 0 ? null : intent)
    return [...first, ...faults]
  }

  async #restoreTables({ tables, kernel, counts = [] }: Intent): Promise<void> {
    const lost = new Map(counts.map(([origin, packets, bytes]) => [origin, { packets, bytes }] as const))
    const targets = await this.#ruleset.findRevertTargets(tables, kernel === this.#context.kernel)
    if (targets.size > 0) throwIfFailed(await this.#ruleset.load(targets, { lost }))
  }

  #triedAt(revision: number): Tried {
    if (this.#tried?.plan.revision !== revision) throw new Refusal(`Revision ${revision} was not tried.`)
    return this.#tried
  }

  #targetsOf({ artifacts }: Plan): TableTargets {
    const wanted = new Map(artifacts.flatMap((one) => (one.kind === 'nft' ? [[one.name, one.pieces] as const] : [])))
    const all = this.#context.tables.nft.tables.map((table) => [table, wanted.get(table) ?? []] as const)
    return new Map(all.filter(([table, pieces]) => !this.#ruleset.isHeld(table, pieces)))
  }

  #vetTable(table: string, pieces: readonly NftPiece[]): Problem[] {
    return vetPieces(this.#ruleset.newPieces(new Map([[table, pieces]]))).map((message) => ({
      field: table,
      message: verbatim(message),
    }))
  }

  async #tryTables(targets: TableTargets): Promise<Attempt | { readonly intent: Intent }> {
    const { kernel, failpoint, log } = this.#context
    const { intentPath, units } = this.#parts
    let intent: Intent = { id: randomUUID(), kernel, files: [], tables: [...targets.keys()], units: units() }
    const onReady = (lost: Counts): void => {
      const counts = [...lost].map(([origin, { packets, bytes }]) => [origin, packets, bytes] as const)
      intent = { ...intent, isTablesOnly: true, counts }
      writeDurable(intentPath, JSON.stringify(intent), unforced)
      failpoint('attempt.intent')
    }
    try {
      const { problems, unchecked } = await this.#ruleset.load(targets, { onReady })
      if (problems.length > 0 || unchecked !== null) {
        removeDurable(intentPath, unforced)
        return unchecked === null ? { status: 'refused', problems } : { status: 'mixed' }
      }
      failpoint('attempt.loaded')
      return { intent }
    } catch (fault) {
      log('error', 'A change could not be tried', { fault })
      return { status: 'refused', problems: await this.revert(intent, problemsOf(fault)) }
    }
  }

  async #undoTried({ intent }: Tried): Promise<Outcome> {
    this.#tried = null
    if (!intent) return { status: 'applied', changed: [] }
    const problems = await this.revert(intent, [])
    if (problems.length > 0) return { status: 'put_back', problems, restored: false }
    return { status: 'applied', changed: intent.tables.map((table) => `nft ${table}`) }
  }
}

const nameOf = ({ kind, name }: Plan['artifacts'][number]): string => `${kind} ${name}`

/** Does the plan leave files, units and links as they were applied? What stays is mostly the same object. */
function isTablesOnly(before: Plan, after: Plan): boolean {
  const withoutTables = ({ artifacts }: Plan) => artifacts.filter(({ kind }) => kind !== 'nft')
  const known = new Map(withoutTables(before).map((artifact) => [nameOf(artifact), artifact]))
  const others = withoutTables(after)
  const isSame = (artifact: Plan['artifacts'][number]): boolean => {
    const old = known.get(nameOf(artifact))
    return old === artifact || isDeepStrictEqual(old, artifact)
  }
  return others.length === known.size && others.every(isSame)
}
