// The nftables tables of the kernel: what they were loaded with, the change to what is wanted, and what their rules counted.
// Keeps its part of the record of what is applied; the executor decides when a state is committed and when it is restored.

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Hits, NftPiece, TableObservation } from '../core/plan/artifacts.ts'
import { linesOf, makePart, printTable } from '../core/plan/nft-piece.ts'
import { Refusal } from '../engines/kit/values.ts'
import type { Counts } from '../shared/netlink.ts'
import type { Context } from './applyd.ts'
import type { NftKernel, Verdict } from './kernel/kernel.ts'
import { createLive } from './live/live.ts'
import type { Busy } from './loaded/busy.ts'
import { createJournal, type Entry, type Loaded, type Mark } from './loaded/journal.ts'
import { createOrigins } from './loaded/origins.ts'
import { createWatch } from './loaded/watch.ts'
import { changeOf, composeScript, elementChangesOf, rewrittenChains, type TableChange } from './nft-script.ts'
import { areSame, originsOf, type TableTargets } from './pieces.ts'

/** How a load is made. */
export interface LoadOptions {
  /** Called right before the kernel is changed, with the counts of origins that have no rule afterwards. */
  readonly onReady?: (lost: Counts) => void
  /** Counts of origins that an earlier load left without a rule: rules that come back have them again. */
  readonly lost?: Counts
}

export type Ruleset = ReturnType<typeof createRuleset>

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: closures over one state that should be a class
export function createRuleset(context: Context, bare: NftKernel, busy: Busy) {
  const { plane, tables, log, failpoint } = context
  const { nft } = tables
  const kernel = busy.watched(bare)
  const journal = createJournal(join(context.directory, 'rules.jsonl'), context.kernel, log)
  /** What the tables were loaded with last, and what they held at the last commit of the executor. */
  const held = new Map<string, readonly NftPiece[]>()
  let settled: ReadonlyMap<string, readonly NftPiece[]> = new Map()
  const origins = createOrigins(held)
  /** Counts of removed rules of which others with the same origin remain. */
  let carried: Counts = new Map()
  let epoch: string = randomUUID()
  /** Odd while a load is in progress. */
  let loads = 0
  const watch = createWatch(
    kernel,
    nft,
    { held, loads: () => loads },
    { busy, onAdopted: journal.addFingerprints, log },
  )
  const live = createLive({ kernel, table: nft.tables[0], watch, held, isOff: plane === 'none', log })

  /** Restores the record of this kernel. `committed` is in the record of the executor, and may be missing in our own. */
  function restore(committed: Entry | null): Mark | null {
    const found = journal.read(committed)
    if (!found) return null
    for (const [table, pieces] of found.state.tables) held.set(table, pieces)
    settled = new Map(held)
    carried = new Map(found.state.carried)
    epoch = found.state.epoch
    watch.restore(found.state.generation, found.fingerprints)
    return { id: found.id, revision: found.revision }
  }

  /** Whether the kernel has every table that was loaded. */
  async function isThere(): Promise<boolean> {
    const present = await Promise.all([...held.keys()].map((table) => kernel.isPresent(table)))
    return present.every((isOne) => isOne)
  }

  /** Forgets everything that was loaded earlier. */
  function forget(): void {
    held.clear()
    settled = new Map()
    carried = new Map()
    epoch = randomUUID()
    origins.forget()
    watch.forget()
    journal.forget()
  }

  /** Without a ruleset no traffic may pass. */
  async function loadFailClosedRules(): Promise<Verdict> {
    const [first] = nft.tables
    return (await kernel.isPresent(first)) ? { problems: [], unchecked: null } : load(new Map([[first, []]]))
  }

  /** Was the table loaded with these pieces? They are then the ones that the next plan is compared with. */
  function isHeld(table: string, wanted: readonly NftPiece[]): boolean {
    const pieces = held.get(table) ?? []
    if (!areSame(pieces, wanted)) return false
    if (pieces === wanted || wanted.length === 0) return true
    held.set(table, wanted)
    if (settled.get(table) === pieces) settled = new Map([...settled, [table, wanted]])
    return true
  }

  /** As far as it is known: the kernel is asked by `refresh`, which is not in the way of anything. */
  async function isCurrent(table: string, wanted: readonly NftPiece[]): Promise<boolean> {
    if (!isHeld(table, wanted)) return false
    if (plane === 'none') return true
    const state = watch.stateOf(table)
    if (wanted.length > 0) return state === 'intact'
    return state === 'absent' && (table !== nft.tables[0] || (await kernel.isPresent(nft.boot)))
  }

  const refresh = async (): Promise<void> => {
    if (plane !== 'none') await watch.refresh()
  }

  const changesFor = (targets: TableTargets, isFullReload: boolean): TableChange[] =>
    [...targets].map(([table, wanted]) => {
      const isSound = !isFullReload && watch.stateOf(table) === 'intact'
      return changeOf(table, isSound ? (held.get(table) ?? null) : null, wanted)
    })

  /** The pieces that the kernel does not have yet. */
  const newPieces = (targets: TableTargets): readonly NftPiece[] =>
    changesFor(targets, false).flatMap(({ wanted, difference }) =>
      difference ? [...difference.added, ...difference.changed.map(([, piece]) => piece)] : wanted,
    )

  const check = (targets: TableTargets): Promise<Verdict> =>
    attempt(targets, (changes) => kernel.check(composeScript(nft, changes, new Map())))

  /** One transaction; when it is refused the kernel is unchanged. */
  const load = (targets: TableTargets, options: LoadOptions = {}): Promise<Verdict> =>
    live.inTurn(() => attempt(targets, (changes) => loadChanges(changes, options)))

  /** Some refusals mean that the kernel does not hold what the change is based on; then the tables are loaded in full. */
  async function attempt(targets: TableTargets, work: (changes: TableChange[]) => Promise<Verdict>): Promise<Verdict> {
    const changes = changesFor(targets, false)
    const verdict = await work(changes)
    const deltas = changes.filter((change) => change.difference)
    const isSuspect = verdict.problems.some(({ message }) => /No such file|exists|busy/i.test(message))
    if (!isSuspect || deltas.length === 0 || plane === 'none') return verdict
    for (const { table } of deltas) await watch.survey(table)
    const isSound = deltas.every(({ table }) => watch.stateOf(table) === 'intact')
    return isSound ? verdict : work(changesFor(targets, true))
  }

  async function loadChanges(changes: readonly TableChange[], { onReady, lost }: LoadOptions): Promise<Verdict> {
    const { counts, isFirst } = await readCounts(changes)
    for (const [origin, count] of lost ?? []) if (!counts.has(origin)) counts.set(origin, count)
    const elements = elementChangesOf(changes)
    const { changes: filled, isLossy } = await live.carry(changes)
    const script = elements ? [] : composeScript(nft, filled, counts)
    const left = elements ? [] : [...counts].filter(([, { packets }]) => packets > 0)
    const remaining = origins.remainingAfter(
      changes,
      left.map(([origin]) => origin),
    )
    onReady?.(new Map(left.filter(([origin]) => !remaining.has(origin))))
    const before = await kernel.generation()
    const known = watch.generationOf()
    loads += 1
    const unverified = new Set(watch.unverified)
    watch.beginLoad(changes)
    try {
      const changed = elements ? await kernel.changeElements(elements, known) : 'stale'
      const verdict =
        changed === 'stale' ? await kernel.load(elements ? composeScript(nft, changes, new Map()) : script) : changed
      if (verdict.problems.length > 0 || verdict.unchecked !== null) {
        watch.endRefusedLoad(changes, unverified)
        return verdict
      }
      origins.follow(changes)
      for (const { table, wanted } of changes) {
        if (wanted.length === 0) held.delete(table)
        else held.set(table, wanted)
      }
      watch.endLoad(changes, before, await kernel.generation())
      if (isFirst) epoch = randomUUID()
      if (isLossy) live.renewEpoch()
      if (!elements) carried = new Map(left.filter(([origin]) => remaining.has(origin)))
      failpoint('nft.loaded')
      return verdict
    } catch (fault) {
      live.renewEpoch()
      throw fault
    } finally {
      watch.leaveLoad()
      loads += 1
    }
  }

  /** The counts of the rules that are removed. `isFirst`: the main table, without which nothing passes, was missing. */
  async function readCounts(changes: readonly TableChange[]): Promise<{ counts: Counts; isFirst: boolean }> {
    const counts: Counts = new Map(carried)
    let isFirst = false
    for (const change of changes) {
      const { table } = change
      const chains = rewrittenChains(change)
      // The counts of an unknown load belong to another epoch.
      const found = held.has(table) && chains?.length !== 0 ? await kernel.counts(table, chains) : null
      addTo(counts, found)
      if (table === nft.tables[0] && !change.difference && found === null) isFirst = true
    }
    return { counts, isFirst }
  }

  async function observe(): Promise<TableObservation[]> {
    if (plane === 'none') return nft.tables.map((name) => ({ name, present: false, asLoaded: false }))
    return watch.observe(settled)
  }

  const hits = busy.lastSeen<Hits>(readHits, () => ({ epoch, counts: [] }))

  async function readHits(): Promise<Hits> {
    const counts: Counts = new Map(carried)
    const loaded = plane === 'none' ? [] : [...held.keys()]
    for (const found of await Promise.all(loaded.map((table) => kernel.counts(table, null)))) addTo(counts, found)
    return { epoch, counts: [...counts].map(([origin, count]) => ({ origin, ...count })) }
  }

  const loaded = (): Loaded => ({ epoch, generation: watch.generationOf(), carried, tables: new Map(held) })

  /** What changed since the last commit, for the record. */
  const entryFor = (mark: Mark): Entry => journal.entryFor(mark, loaded())

  /** What is loaded is committed. False when that could not be stored. */
  function settle(entry: Entry): boolean {
    settled = new Map(held)
    return journal.add(entry, loaded())
  }

  /** What has to be loaded to restore the last commit; `isSameKernel` false: nothing is restored. */
  async function findRevertTargets(names: readonly string[], isSameKernel: boolean): Promise<TableTargets> {
    const targets = new Map<string, readonly NftPiece[]>()
    for (const table of names) {
      const wanted = isSameKernel ? (settled.get(table) ?? []) : []
      if (!(await isCurrent(table, wanted))) targets.set(table, wanted)
    }
    return targets
  }

  /** Loads again what the kernel does not have any more; returns the number of tables. */
  async function putBack(): Promise<number> {
    await refresh()
    const targets = new Map<string, readonly NftPiece[]>()
    for (const table of nft.tables) {
      const wanted = held.get(table) ?? []
      if (!(await isCurrent(table, wanted))) targets.set(table, wanted)
    }
    const { problems, unchecked } = targets.size > 0 ? await load(targets) : { problems: [], unchecked: null }
    if (problems.length > 0 || unchecked !== null) throw new Error(problems[0]?.message ?? unchecked ?? '')
    return targets.size
  }

  /** The first table as a separate script, without the rules of these origins, and with the elements of live sets. */
  async function show(leftOut: readonly string[]): Promise<string> {
    const [table] = nft.tables
    const pieces = held.get(table)
    if (!pieces) throw new Refusal('The content of the loaded rules is not known. Apply the configuration again.')
    const { kept } = await live.withElements(pieces)
    return printTable(
      table,
      kept.map((piece) => withoutRulesOf(leftOut, piece)),
    )
  }

  const close = (): void => journal.close()

  const version = (): number => loads

  return {
    restore,
    isThere,
    forget,
    loadFailClosedRules,
    version,
    isHeld,
    isCurrent,
    refresh,
    newPieces,
    check,
    load,
    distrust: watch.distrust,
    observe,
    hits,
    entryFor,
    settle,
    findRevertTargets,
    putBack,
    show,
    close,
    live,
  }
}

function withoutRulesOf(left: readonly string[], piece: NftPiece): NftPiece {
  const isLeft = originsOf(piece).map((origin) => left.includes(origin))
  return isLeft.includes(true)
    ? { ...piece, parts: [makePart(linesOf(piece).filter((_, index) => !isLeft[index]))] }
    : piece
}

function addTo(counts: Counts, more: Counts | null): void {
  for (const [origin, { packets, bytes }] of more ?? []) {
    const before = counts.get(origin)
    counts.set(origin, { packets: (before?.packets ?? 0) + packets, bytes: (before?.bytes ?? 0) + bytes })
  }
}
