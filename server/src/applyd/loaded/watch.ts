// Whether the tables of the kernel still are what was loaded. The generation of the kernel says that nothing was touched
// since our own load; where it says otherwise, or cannot be read, the tables are listed, beside the work of the executor.

import type { NftPiece, TableObservation } from '../../core/plan/artifacts.ts'
import { countLines } from '../../core/plan/nft-piece.ts'
import type { NftSpec } from '../../engines/kit/tables.ts'
import { type Log, wordsOf } from '../../engines/kit/text.ts'
import type { NftKernel } from '../kernel/nft-kernel.ts'
import type { Listing } from '../nft-listing.ts'
import type { TableChange } from '../nft-script.ts'
import { hookOf, indexPieces, isLively, keyOf, shapeOf } from '../pieces.ts'
import type { Busy } from './busy.ts'
import type { Fingerprints } from './journal.ts'
import { largeListing, readListing } from './read-listing.ts'

/** A table of so many lines has a large listing. */
const manyLines = 2000
/** After a large listing the next one waits for this many times its duration, and no apply waits for it. */
const pausePerDuration = 20
/** How often an unwanted table is looked for where the generation is unknown; the first one is always looked for. */
const absencePauseMs = 4000
const spareFingerprints = 1000

export type TableState = 'absent' | 'intact' | 'altered'

interface Look {
  readonly state: TableState
  /** Of the kernel when this was so; null when it is unknown. */
  readonly generation: number | null
  /** Before this time only the list of chains is read. */
  readonly until: number
  /** Of the last listing; null before it. */
  readonly size: number | null
}

interface WatchParts {
  /** What is loaded. */
  readonly held: ReadonlyMap<string, readonly NftPiece[]>
  /** How many loads there were; odd while one is in progress. */
  readonly loads: () => number
  readonly busy: Busy
  readonly onAdopted: (found: Fingerprints) => void
  readonly log: Log
}

export class Watch {
  readonly #kernel: NftKernel
  readonly #spec: NftSpec
  readonly #parts: WatchParts
  readonly #looks = new Map<string, Look>()
  readonly #surveys = new Map<string, Promise<void>>()
  /** Tables with unknown content: a load may or may not have happened. */
  readonly unverified = new Set<string>()
  #fingerprints: Fingerprints = new Map()
  /** Tables that our own load is changing. */
  #changing: ReadonlySet<string> = new Set()
  /** Between these generations nothing but elements of live sets changed, and by us. */
  #own = { from: 0, to: 0 }

  constructor(kernel: NftKernel, spec: NftSpec, parts: WatchParts) {
    this.#kernel = kernel
    this.#spec = spec
    this.#parts = parts
  }

  /** What is known without asking the kernel. */
  stateOf(table: string): TableState {
    if (this.unverified.has(table)) return 'altered'
    return this.#looks.get(table)?.state ?? (this.#parts.held.has(table) ? 'intact' : 'absent')
  }

  /**
   * What the kernel holds, compared with what was loaded. Large tables are read in full only occasionally; who asks does not
   * wait for that where the table was seen as loaded before, and gets what its chains say until then.
   */
  async look(table: string): Promise<TableState> {
    if (this.unverified.has(table)) return (await this.#kernel.isPresent(table)) ? 'altered' : 'absent'
    if (await this.#isKnown(table)) return this.stateOf(table)
    const isSeen = (this.#looks.get(table)?.generation ?? null) !== null
    await (isSeen && this.#isLarge(table) ? this.#surveyBeside(table) : this.survey(table))
    return this.stateOf(table)
  }

  /** Reads what may have changed, before an apply that is to repair it. A large table is listed without waiting for it. */
  async refresh(): Promise<void> {
    await Promise.all(
      this.#spec.tables.map(async (table) => {
        if (this.unverified.has(table) || (await this.#isKnown(table))) return
        await (this.#isLarge(table) ? this.#surveyBeside(table) : this.survey(table))
      }),
    )
  }

  /** Concurrent calls share one listing. */
  survey(table: string): Promise<void> {
    const running = this.#surveys.get(table) ?? this.#surveyNow(table).finally(() => this.#surveys.delete(table))
    this.#surveys.set(table, running)
    return running
  }

  /** Lists a table without waiting for it; until the listing is read, its chains tell whether it is altered. */
  async #surveyBeside(table: string): Promise<void> {
    const began = this.#parts.loads()
    this.survey(table).catch((fault) => {
      this.#parts.log('warning', 'A table cannot be listed', { table, reason: wordsOf(fault) })
      const last = this.#looks.get(table)
      // Who asks next waits for it, and is told.
      if (last && this.#parts.loads() === began) this.#looks.set(table, { ...last, generation: null })
    })
    if (await this.#hasItsChains(table)) return
    const state = (await this.#kernel.isPresent(table)) ? 'altered' : 'absent'
    if (this.#parts.loads() !== began || began % 2 === 1) return
    this.#looks.set(table, { ...(this.#looks.get(table) ?? unknownLook), state, generation: null })
  }

  /** Before a load: until it ends, it is unknown what the tables hold. */
  beginLoad(changes: readonly TableChange[]): void {
    for (const { table } of changes) this.unverified.add(table)
    this.#changing = new Set(changes.map(({ table }) => table))
  }

  /** However it ended; what is still unverified then may or may not be loaded. */
  leaveLoad(): void {
    this.#changing = new Set()
  }

  /** The kernel refused the load, and is unchanged. */
  endRefusedLoad(changes: readonly TableChange[], before: ReadonlySet<string>): void {
    for (const { table } of changes) if (!before.has(table)) this.unverified.delete(table)
  }

  /** A load adds one to the generation; when it is another one, some other program made a change too. */
  endLoad(changes: readonly TableChange[], before: number | null, after: number | null): void {
    const next = before !== null && after === (before + 1) % 2 ** 32 ? after : null
    const changed = new Map(changes.map((change) => [change.table, change]))
    for (const table of this.#spec.tables) {
      const last = this.#looks.get(table)
      const change = changed.get(table)
      const isFollowed = last !== undefined && last.generation !== null && last.generation === before
      if (change) {
        const isAbsent = change.wanted.length === 0
        this.unverified.delete(table)
        this.#looks.set(table, {
          state: isAbsent ? 'absent' : 'intact',
          generation: isFollowed || !change.difference ? next : null,
          until: change.difference ? (last?.until ?? 0) : 0,
          size: change.difference ? (last?.size ?? null) : null,
        })
      } else if (last && last.generation !== null)
        this.#looks.set(table, { ...last, generation: isFollowed ? next : null })
    }
  }

  /** We changed elements that no listing is compared with: what is known about the tables still holds. */
  followElements(before: number, after: number | null): void {
    if (after !== before + 1) return
    this.#own = { from: this.#own.to === before ? this.#own.from : before, to: after }
    for (const [table, last] of this.#looks)
      if (last.generation === before) this.#looks.set(table, { ...last, generation: after })
  }

  /** The generation at which all tables were as loaded; null when that is not known. */
  generationOf(): number | null {
    const found = new Set([...this.#parts.held.keys()].map((table) => this.#looks.get(table)?.generation ?? null))
    const [generation = null] = found
    return found.size === 1 && [...this.#parts.held.keys()].every((table) => this.stateOf(table) === 'intact')
      ? generation
      : null
  }

  /** From the record of this kernel. */
  restore(generation: number | null, known: Fingerprints): void {
    this.#fingerprints = new Map(known)
    if (generation !== null)
      for (const table of this.#parts.held.keys()) this.#looks.set(table, { ...unknownLook, generation })
  }

  /** An apply that did not end may have changed these. */
  distrust(touched: readonly string[]): void {
    for (const table of touched) this.unverified.add(table)
  }

  forget(): void {
    this.#looks.clear()
    this.unverified.clear()
    this.#fingerprints = new Map()
  }

  /** `settled` is what the last commit left. A table that we are changing has its state before or after it: both are ours. */
  async observe(settled: ReadonlyMap<string, readonly NftPiece[]>): Promise<TableObservation[]> {
    const known = (): TableState[] => this.#spec.tables.map((table) => this.stateOf(table))
    const began = this.#parts.loads()
    const seen = await this.#parts.busy.unlessBusy(
      () => Promise.all(this.#spec.tables.map((table) => this.look(table))),
      known,
    )
    // What was read while a load ended is neither the state before it nor the one after it.
    const states = this.#parts.loads() === began ? seen : known()
    return this.#spec.tables.map((name, index) => {
      const wanted = this.#parts.held.has(name) || name === this.#spec.tables[0] ? 'intact' : 'absent'
      const isAsHeld = states[index] === wanted
      const isSettled = this.#parts.held.get(name) === settled.get(name)
      const isChanging = this.#changing.has(name) || (isAsHeld && !isSettled)
      const present = this.#changing.has(name) ? this.#parts.held.has(name) : states[index] !== 'absent'
      return { name, present, asLoaded: isAsHeld && isSettled && !isChanging, ...(isChanging ? { isChanging } : {}) }
    })
  }

  /** True when nothing was touched since the state was found, or it was found so recently that its chains are enough. */
  async #isKnown(table: string): Promise<boolean> {
    const last = this.#looks.get(table)
    if (!last) return false
    const generation = last.generation === null ? null : await this.#kernel.generation()
    const isUntouched = generation !== null && generation === last.generation
    // A chain of a device goes away with it, without another generation.
    if (isUntouched && !table.startsWith('netdev ')) return true
    if (!isUntouched && performance.now() >= last.until) return false
    if (last.state === 'absent' && !this.#parts.held.has(table)) return true
    const began = this.#parts.loads()
    return (await this.#hasItsChains(table)) || this.#parts.loads() !== began || began % 2 === 1
  }

  async #hasItsChains(table: string): Promise<boolean> {
    const chains = (this.#parts.held.get(table) ?? []).filter(({ kind }) => kind === 'chain')
    const expected = chains.map(({ name, head }) => `${name} ${hookOf(head)}`).toSorted()
    return (await this.#kernel.chains(table)).join() === expected.join()
  }

  #isLarge(table: string): boolean {
    const size = this.#looks.get(table)?.size
    if (size !== null && size !== undefined) return size > largeListing
    return (this.#parts.held.get(table) ?? []).reduce((sum, piece) => sum + countLines(piece), 0) > manyLines
  }

  /** Lists a table in full, compares it, and adopts the fingerprints of what was loaded since the last listing. */
  async #surveyNow(table: string): Promise<void> {
    const pieces = this.#parts.held.get(table)
    const began = this.#parts.loads()
    const start = performance.now()
    const generation = await this.#kernel.generation()
    const text = pieces ? await this.#kernel.list(table) : null
    const isThere = pieces ? text !== null : await this.#kernel.isPresent(table)
    const duration = performance.now() - start
    // A load happened during the listing, which may show neither the old state nor the new one.
    const isDropped = () => this.#parts.loads() !== began || began % 2 === 1 || this.#parts.held.get(table) !== pieces
    if (isDropped()) return
    const listing = pieces && text !== null ? await readListing({ text, lively: livelyOf(pieces) }) : null
    if (isDropped()) return
    const state = !isThere ? 'absent' : pieces && listing && this.#isAsLoaded(pieces, listing) ? 'intact' : 'altered'
    if (pieces && listing && state === 'intact') this.#adopt(pieces, listing)
    const isSpare = !isThere && !pieces && table !== this.#spec.tables[0]
    const pause = (text?.length ?? 0) > largeListing ? pausePerDuration * duration : isSpare ? absencePauseMs : 0
    const isFollowed = generation !== null && generation >= this.#own.from && generation < this.#own.to
    const current = isFollowed ? this.#own.to : generation
    this.#looks.set(table, { state, generation: current, until: start + pause, size: text?.length ?? null })
  }

  /** Every piece is present with the content it was loaded with, and nothing else is. */
  #isAsLoaded(pieces: readonly NftPiece[], listing: Listing): boolean {
    const isSame = (piece: NftPiece): boolean => {
      const seen = listing.pieces.get(keyOf(piece))
      const fingerprint = this.#fingerprints.get(piece.hash)
      if (fingerprint !== undefined) return seen?.fingerprint === fingerprint
      const shape = shapeOf(piece)
      return seen !== undefined && (shape === 'any' || seen.shape === shape)
    }
    return pieces.length === listing.pieces.size && listing.isPlain && pieces.every(isSame)
  }

  #adopt(pieces: readonly NftPiece[], listing: Listing): void {
    const found: Fingerprints = new Map()
    for (const piece of pieces) {
      const seen = listing.pieces.get(keyOf(piece))
      if (seen && !this.#fingerprints.has(piece.hash)) found.set(piece.hash, seen.fingerprint)
    }
    for (const [hash, fingerprint] of found) this.#fingerprints.set(hash, fingerprint)
    if (this.#fingerprints.size > 2 * pieces.length + spareFingerprints) this.#forgetSpareFingerprints()
    if (found.size > 0) this.#parts.onAdopted(found)
  }

  /** Those of pieces that were replaced are of use when a change is undone. */
  #forgetSpareFingerprints(): void {
    const hashes = new Set([...this.#parts.held.values()].flatMap((pieces) => pieces.map(({ hash }) => hash)))
    this.#fingerprints = new Map([...this.#fingerprints].filter(([hash]) => hashes.has(hash)))
  }
}

const unknownLook: Look = { state: 'intact', generation: null, until: 0, size: null }

const livelyOf = (pieces: readonly NftPiece[]): ReadonlySet<string> =>
  new Set([...indexPieces(pieces).values()].filter(isLively).map(({ name }) => name))
