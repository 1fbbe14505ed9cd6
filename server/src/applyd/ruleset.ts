// The nftables tables of the kernel: what they were loaded with, the change to what is wanted, and what their rules counted.
// Keeps its part of the record of what is applied; the executor decides when a state is committed and when it is restored.

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Hits, NftPiece, TableObservation } from '../core/plan/artifacts.ts'
import { linesOf, makePart, printTable } from '../core/plan/nft-piece.ts'
import type { NftSpec } from '../engines/kit/tables.ts'
import { Refusal } from '../engines/kit/values.ts'
import { addCounts, type Counts } from '../shared/netlink.ts'
import type { Context } from './context.ts'
import type { NftKernel, Verdict } from './kernel/nft-kernel.ts'
import { Live } from './live/live.ts'
import type { Busy } from './loaded/busy.ts'
import { type Entry, type Fingerprints, Journal, type Loaded, type Mark } from './loaded/journal.ts'
import { createOrigins } from './loaded/origins.ts'
import { Watch } from './loaded/watch.ts'
import { changeOf, composeScript, elementChangesOf, rewrittenChains, type TableChange } from './nft-script.ts'
import { areSame, originsOf, type TableTargets } from './pieces.ts'

/** How a load is made. */
export interface LoadOptions {
  /** Called right before the kernel is changed, with the counts of origins that have no rule afterwards. */
  readonly onReady?: (lost: Counts) => void
  /** Counts of origins that an earlier load left without a rule: rules that come back have them again. */
  readonly lost?: Counts
}

export class Ruleset {
  readonly #context: Context
  readonly #nft: NftSpec
  readonly #kernel: NftKernel
  readonly #journal: Journal
  /** What the tables were loaded with last, and what they held at the last commit of the executor. */
  readonly #held = new Map<string, readonly NftPiece[]>()
  #settled: ReadonlyMap<string, readonly NftPiece[]> = new Map()
  readonly #origins = createOrigins(this.#held)
  /** Counts of removed rules of which others with the same origin remain. */
  #carried: Counts = new Map()
  #epoch: string = randomUUID()
  /** Odd while a load is in progress. */
  #loads = 0
  readonly #watch: Watch
  readonly live: Live
  readonly hits: () => Promise<Hits>

  constructor(context: Context, bare: NftKernel, busy: Busy) {
    this.#context = context
    this.#nft = context.tables.nft
    this.#kernel = busy.watched(bare)
    const { log } = context
    this.#journal = new Journal(join(context.directory, 'rules.jsonl'), context.kernel, log)
    const loaded = { held: this.#held, loads: () => this.#loads }
    const onAdopted = (found: Fingerprints): void => this.#journal.addFingerprints(found)
    this.#watch = new Watch(this.#kernel, this.#nft, { ...loaded, busy, onAdopted, log })
    const shared = { kernel: this.#kernel, watch: this.#watch, held: this.#held, log }
    this.live = new Live({ ...shared, table: this.#nft.tables[0], isOff: context.plane === 'none' })
    this.hits = busy.lastSeen<Hits>(
      () => this.#readHits(),
      () => ({ epoch: this.#epoch, counts: [] }),
    )
  }

  /** Restores the record of this kernel. `committed` is in the record of the executor, and may be missing in our own. */
  restore(committed: Entry | null): Mark | null {
    const found = this.#journal.read(committed)
    if (!found) return null
    for (const [table, pieces] of found.state.tables) this.#held.set(table, pieces)
    this.#settled = new Map(this.#held)
    this.#carried = new Map(found.state.carried)
    this.#epoch = found.state.epoch
    this.#watch.restore(found.state.generation, found.fingerprints)
    return { id: found.id, revision: found.revision }
  }

  /** Whether the kernel has every table that was loaded. */
  async isThere(): Promise<boolean> {
    const present = await Promise.all([...this.#held.keys()].map((table) => this.#kernel.isPresent(table)))
    return present.every((isOne) => isOne)
  }

  /** Forgets everything that was loaded earlier. */
  forget(): void {
    this.#held.clear()
    this.#settled = new Map()
    this.#carried = new Map()
    this.#epoch = randomUUID()
    this.#origins.forget()
    this.#watch.forget()
    this.#journal.forget()
  }

  /** Without a ruleset no traffic may pass. */
  async loadFailClosedRules(): Promise<Verdict> {
    const [first] = this.#nft.tables
    return (await this.#kernel.isPresent(first)) ? { problems: [], unchecked: null } : this.load(new Map([[first, []]]))
  }

  /** Was the table loaded with these pieces? They are then the ones that the next plan is compared with. */
  isHeld(table: string, wanted: readonly NftPiece[]): boolean {
    const pieces = this.#held.get(table) ?? []
    if (!areSame(pieces, wanted)) return false
    if (pieces === wanted || wanted.length === 0) return true
    this.#held.set(table, wanted)
    if (this.#settled.get(table) === pieces) this.#settled = new Map([...this.#settled, [table, wanted]])
    return true
  }

  /** As far as it is known: the kernel is asked by `refresh`, which is not in the way of anything. */
  async isCurrent(table: string, wanted: readonly NftPiece[]): Promise<boolean> {
    if (!this.isHeld(table, wanted)) return false
    if (this.#context.plane === 'none') return true
    const state = this.#watch.stateOf(table)
    if (wanted.length > 0) return state === 'intact'
    return state === 'absent' && (table !== this.#nft.tables[0] || (await this.#kernel.isPresent(this.#nft.boot)))
  }

  async refresh(): Promise<void> {
    if (this.#context.plane !== 'none') await this.#watch.refresh()
  }

  /** The pieces that the kernel does not have yet. */
  newPieces(targets: TableTargets): readonly NftPiece[] {
    return this.#changesFor(targets, false).flatMap(({ wanted, difference }) =>
      difference ? [...difference.added, ...difference.changed.map(([, piece]) => piece)] : wanted,
    )
  }

  check(targets: TableTargets): Promise<Verdict> {
    return this.#attempt(targets, (changes) => this.#kernel.check(composeScript(this.#nft, changes, new Map())))
  }

  /** One transaction; when it is refused the kernel is unchanged. */
  load(targets: TableTargets, options: LoadOptions = {}): Promise<Verdict> {
    return this.live.inTurn(() => this.#attempt(targets, (changes) => this.#loadChanges(changes, options)))
  }

  async observe(): Promise<TableObservation[]> {
    if (this.#context.plane === 'none')
      return this.#nft.tables.map((name) => ({ name, present: false, asLoaded: false }))
    return this.#watch.observe(this.#settled)
  }

  /** What changed since the last commit, for the record. */
  entryFor = (mark: Mark): Entry => this.#journal.entryFor(mark, this.#loaded())

  /** What is loaded is committed. False when that could not be stored. */
  settle(entry: Entry): boolean {
    this.#settled = new Map(this.#held)
    return this.#journal.add(entry, this.#loaded())
  }

  /** What has to be loaded to restore the last commit; `isSameKernel` false: nothing is restored. */
  async findRevertTargets(names: readonly string[], isSameKernel: boolean): Promise<TableTargets> {
    const targets = new Map<string, readonly NftPiece[]>()
    for (const table of names) {
      const wanted = isSameKernel ? (this.#settled.get(table) ?? []) : []
      if (!(await this.isCurrent(table, wanted))) targets.set(table, wanted)
    }
    return targets
  }

  /** Loads again what the kernel does not have any more; returns the number of tables. */
  async putBack(): Promise<number> {
    await this.refresh()
    const targets = new Map<string, readonly NftPiece[]>()
    for (const table of this.#nft.tables) {
      const wanted = this.#held.get(table) ?? []
      if (!(await this.isCurrent(table, wanted))) targets.set(table, wanted)
    }
    const { problems, unchecked } = targets.size > 0 ? await this.load(targets) : { problems: [], unchecked: null }
    if (problems.length > 0 || unchecked !== null) throw new Error(problems[0]?.message ?? unchecked ?? '')
    return targets.size
  }

  /** The first table as a separate script, without the rules of these origins, and with the elements of live sets. */
  async show(leftOut: readonly string[]): Promise<string> {
    const [table] = this.#nft.tables
    const pieces = this.#held.get(table)
    if (!pieces) throw new Refusal('The content of the loaded rules is not known. Apply the configuration again.')
    const { kept } = await this.live.withElements(pieces)
    return printTable(
      table,
      kept.map((piece) => withoutRulesOf(leftOut, piece)),
    )
  }

  close = (): void => this.#journal.close()

  version = (): number => this.#loads

  distrust = (touched: readonly string[]): void => this.#watch.distrust(touched)

  #changesFor(targets: TableTargets, isFullReload: boolean): TableChange[] {
    return [...targets].map(([table, wanted]) => {
      const isSound = !isFullReload && this.#watch.stateOf(table) === 'intact'
      return changeOf(table, isSound ? (this.#held.get(table) ?? null) : null, wanted)
    })
  }

  /** Some refusals mean that the kernel does not hold what the change is based on; then the tables are loaded in full. */
  async #attempt(targets: TableTargets, work: (changes: TableChange[]) => Promise<Verdict>): Promise<Verdict> {
    const changes = this.#changesFor(targets, false)
    const verdict = await work(changes)
    const deltas = changes.filter((change) => change.difference)
    const isSuspect = verdict.problems.some(({ message }) => /No such file|exists|busy/i.test(message))
    if (!isSuspect || deltas.length === 0 || this.#context.plane === 'none') return verdict
    for (const { table } of deltas) await this.#watch.survey(table)
    const isSound = deltas.every(({ table }) => this.#watch.stateOf(table) === 'intact')
    return isSound ? verdict : work(this.#changesFor(targets, true))
  }

  async #loadChanges(changes: readonly TableChange[], { onReady, lost }: LoadOptions): Promise<Verdict> {
    const { counts, isFirst } = await this.#readCounts(changes)
    for (const [origin, count] of lost ?? []) if (!counts.has(origin)) counts.set(origin, count)
    const elements = elementChangesOf(changes)
    const { changes: filled, isLossy } = await this.live.carry(changes)
    const script = elements ? [] : composeScript(this.#nft, filled, counts)
    const left = elements ? [] : [...counts].filter(([, { packets }]) => packets > 0)
    const remaining = this.#origins.remainingAfter(
      changes,
      left.map(([origin]) => origin),
    )
    onReady?.(new Map(left.filter(([origin]) => !remaining.has(origin))))
    const before = await this.#kernel.generation()
    const known = this.#watch.generationOf()
    this.#loads += 1
    const unverified = new Set(this.#watch.unverified)
    this.#watch.beginLoad(changes)
    try {
      const changed = elements ? await this.#kernel.changeElements(elements, known) : 'stale'
      const verdict =
        changed === 'stale'
          ? await this.#kernel.load(elements ? composeScript(this.#nft, changes, new Map()) : script)
          : changed
      if (verdict.problems.length > 0 || verdict.unchecked !== null) {
        this.#watch.endRefusedLoad(changes, unverified)
        return verdict
      }
      this.#origins.follow(changes)
      for (const { table, wanted } of changes) {
        if (wanted.length === 0) this.#held.delete(table)
        else this.#held.set(table, wanted)
      }
      this.#watch.endLoad(changes, before, await this.#kernel.generation())
      if (isFirst) this.#epoch = randomUUID()
      if (isLossy) this.live.renewEpoch()
      if (!elements) this.#carried = new Map(left.filter(([origin]) => remaining.has(origin)))
      this.#context.failpoint('nft.loaded')
      return verdict
    } catch (fault) {
      this.live.renewEpoch()
      throw fault
    } finally {
      this.#watch.leaveLoad()
      this.#loads += 1
    }
  }

  /** The counts of the rules that are removed. `isFirst`: the main table, without which nothing passes, was missing. */
  async #readCounts(changes: readonly TableChange[]): Promise<{ counts: Counts; isFirst: boolean }> {
    const counts: Counts = new Map(this.#carried)
    let isFirst = false
    for (const change of changes) {
      const { table } = change
      const chains = rewrittenChains(change)
      // The counts of an unknown load belong to another epoch.
      const found = this.#held.has(table) && chains?.length !== 0 ? await this.#kernel.counts(table, chains) : null
      addCounts(counts, found)
      if (table === this.#nft.tables[0] && !change.difference && found === null) isFirst = true
    }
    return { counts, isFirst }
  }

  async #readHits(): Promise<Hits> {
    const counts: Counts = new Map(this.#carried)
    const loaded = this.#context.plane === 'none' ? [] : [...this.#held.keys()]
    for (const found of await Promise.all(loaded.map((table) => this.#kernel.counts(table, null))))
      addCounts(counts, found)
    return { epoch: this.#epoch, counts: [...counts].map(([origin, count]) => ({ origin, ...count })) }
  }

  #loaded(): Loaded {
    const generation = this.#watch.generationOf()
    return { epoch: this.#epoch, generation, carried: this.#carried, tables: new Map(this.#held) }
  }
}

function withoutRulesOf(left: readonly string[], piece: NftPiece): NftPiece {
  const isLeft = originsOf(piece).map((origin) => left.includes(origin))
  return isLeft.includes(true)
    ? { ...piece, parts: [makePart(linesOf(piece).filter((_, index) => !isLeft[index]))] }
    : piece
}
