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
import type { Context, FailpointName } from '../applyd.ts'
import type { Intent } from '../executor.ts'
import type { TableTargets } from '../pieces.ts'
import type { LoadOptions, Ruleset } from '../ruleset.ts'
import type { Mark } from './journal.ts'
import { vetAhead, vetPieces } from './vet-pieces.ts'

/** What the executor knows and does. */
export interface AttemptParts {
  readonly intentPath: string
  /** Null when nothing can be tried: nothing is applied, it is not known what, or a revert is pending. */
  readonly applied: () => { readonly revision: number; readonly plan: Plan } | null
  /** The units that should run. */
  readonly units: () => readonly string[]
  readonly problemsOf: (fault: unknown) => readonly Problem[]
  readonly tryRevert: (name: FailpointName, work: () => unknown) => Promise<readonly Problem[]>
  readonly load: (targets: TableTargets, options?: LoadOptions) => Promise<void>
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

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: closures over one state that should be a class
export function createAttempts(context: Context, ruleset: Ruleset, parts: AttemptParts) {
  const { plane, kernel, log, failpoint, tables } = context
  const { intentPath } = parts
  let tried: Tried | null = null

  const isTried = (revision: number): boolean => tried?.plan.revision === revision

  /** `connection` is the one that must settle it. */
  async function attempt(plan: Plan, connection: object | null = null): Promise<Attempt> {
    await undoUnsettled()
    const applied = parts.applied()
    if (plane === 'none' || !applied || !isTablesOnly(applied.plan, plan)) return { status: 'mixed' }
    if (plan.revision < applied.revision)
      throw new Refusal(`Revision ${plan.revision} is older than the applied revision ${applied.revision}.`)
    const targets = targetsOf(plan)
    await vetAhead(ruleset.newPieces(targets))
    const problems = [...targets].flatMap(([table, pieces]) => vetTable(table, pieces))
    if (problems.length > 0) return { status: 'refused', problems }
    const outcome = targets.size === 0 ? { intent: null } : await tryTables(targets)
    if ('status' in outcome) return outcome
    tried = { plan, intent: outcome.intent, connection }
    return { status: 'applied', changed: [...targets.keys()].map((table) => `nft ${table}`) }
  }

  function targetsOf({ artifacts }: Plan): TableTargets {
    const wanted = new Map(artifacts.flatMap((one) => (one.kind === 'nft' ? [[one.name, one.pieces] as const] : [])))
    const all = tables.nft.tables.map((table) => [table, wanted.get(table) ?? []] as const)
    return new Map(all.filter(([table, pieces]) => !ruleset.isHeld(table, pieces)))
  }

  const vetTable = (table: string, pieces: readonly NftPiece[]): Problem[] =>
    vetPieces(ruleset.newPieces(new Map([[table, pieces]]))).map((message) => ({ field: table, message }))

  async function tryTables(targets: TableTargets): Promise<Attempt | { readonly intent: Intent }> {
    let intent: Intent = { id: randomUUID(), kernel, files: [], tables: [...targets.keys()], units: parts.units() }
    const onReady = (lost: Counts): void => {
      const counts = [...lost].map(([origin, { packets, bytes }]) => [origin, packets, bytes] as const)
      intent = { ...intent, isTablesOnly: true, counts }
      writeDurable(intentPath, JSON.stringify(intent), unforced)
      failpoint('attempt.intent')
    }
    try {
      const { problems, unchecked } = await ruleset.load(targets, { onReady })
      if (problems.length > 0 || unchecked !== null) {
        removeDurable(intentPath, unforced)
        return unchecked === null ? { status: 'refused', problems } : { status: 'mixed' }
      }
      failpoint('attempt.loaded')
      return { intent }
    } catch (fault) {
      log('error', 'A change could not be tried', { fault })
      return { status: 'refused', problems: await revert(intent, parts.problemsOf(fault)) }
    }
  }

  /** The commit point of applyd; gatewayd has committed the revision already, and does not wait for this. */
  async function settle(revision: number): Promise<null> {
    if (!tried || !isTried(revision)) throw new Refusal(`Revision ${revision} was not tried.`)
    const { plan, intent } = tried
    tried = null
    const mark: Mark = { id: intent?.id ?? randomUUID(), revision }
    const entry = ruleset.entryFor(mark)
    parts.onSettled(mark, plan)
    // Without a record of the change the intent stays: after a restart the change is undone, and gatewayd repeats it.
    if (!ruleset.settle(entry)) return null
    try {
      failpoint('settle.recorded')
      removeDurable(intentPath, unforced)
      failpoint('settle.done')
    } catch (fault) {
      log('warning', 'The intent of a settled change could not be removed', { fault, revision })
    }
    return null
  }

  async function undo(revision: number): Promise<Outcome> {
    if (!tried || !isTried(revision)) throw new Refusal(`Revision ${revision} was not tried.`)
    return undoTried(tried)
  }

  async function undoTried({ intent }: Tried): Promise<Outcome> {
    tried = null
    if (!intent) return { status: 'applied', changed: [] }
    const problems = await revert(intent, [])
    if (problems.length > 0) return { status: 'put_back', problems, restored: false }
    return { status: 'applied', changed: intent.tables.map((table) => `nft ${table}`) }
  }

  /** The one who tried it was to settle or undo it before anything else. */
  async function undoUnsettled(): Promise<void> {
    if (tried) await undoTried(tried)
  }

  /** gatewayd may have committed the change: then it applies its newest revision when it is connected again. */
  async function disconnected(connection: object): Promise<void> {
    if (tried?.connection === connection) await undoTried(tried)
  }

  /** Restores the settled tables; returns the first faults and those of the revert. */
  async function revert(intent: Intent, first: readonly Problem[]): Promise<readonly Problem[]> {
    const counts = (intent.counts ?? []).map(([origin, packets, bytes]) => [origin, { packets, bytes }] as const)
    const faults = [
      ...(await parts.tryRevert('undo.tables', async () =>
        parts.load(await ruleset.findRevertTargets(intent.tables, intent.kernel === kernel), { lost: new Map(counts) }),
      )),
    ]
    if (faults.length === 0)
      faults.push(...(await parts.tryRevert('undo.done', () => removeDurable(intentPath, unforced))))
    parts.onReverted(faults.length === 0 ? null : intent)
    return [...first, ...faults]
  }

  return { attempt, settle, undo, undoUnsettled, disconnected, revert }
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
