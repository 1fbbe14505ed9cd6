// Whether the tables of the kernel still are what was loaded. The generation of the kernel says that nothing was touched
// since our own load; where it says otherwise, or cannot be read, the tables are listed, beside the work of the executor.

import type { NftPiece, TableObservation } from '../../core/plan/artifacts.ts'
import { countLines } from '../../core/plan/nft-piece.ts'
import type { NftSpec } from '../../engines/kit/tables.ts'
import { type Log, wordsOf } from '../../engines/kit/text.ts'
import type { NftKernel } from '../kernel/kernel.ts'
import { type Listing, parseListing } from '../nft-listing.ts'
import type { TableChange } from '../nft-script.ts'
import { hookOf, indexPieces, isLively, keyOf, shapeOf } from '../pieces.ts'
import type { Busy } from './busy.ts'
import type { Fingerprints } from './journal.ts'

/** A listing of this length is slow: the next one waits for twenty times its duration, and no apply waits for it. */
const largeListing = 500_000
const manyLines = 2000
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

/** What is loaded, and how many loads there were; odd while one is in progress. */
export interface LoadedSource {
  readonly held: ReadonlyMap<string, readonly NftPiece[]>
  readonly loads: () => number
}

interface WatchParts {
  readonly busy: Busy
  readonly onAdopted: (found: Fingerprints) => void
  readonly log: Log
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: closures over one state that should be a class
export function createWatch(
  kernel: NftKernel,
  spec: NftSpec,
  { held, loads }: LoadedSource,
  { busy, onAdopted, log }: WatchParts,
) {
  const looks = new Map<string, Look>()
  const surveys = new Map<string, Promise<void>>()
  /** Tables with unknown content: a load may or may not have happened. */
  const unverified = new Set<string>()
  let fingerprints: Fingerprints = new Map()
  /** Tables that our own load is changing. */
  let changing: ReadonlySet<string> = new Set()
  /** Between these generations nothing but elements of live sets changed, and by us. */
  let own = { from: 0, to: 0 }

  /** What is known without asking the kernel. */
  function stateOf(table: string): TableState {
    if (unverified.has(table)) return 'altered'
    return looks.get(table)?.state ?? (held.has(table) ? 'intact' : 'absent')
  }

  /** What the kernel holds, compared with what was loaded. Large tables are read in full only occasionally. */
  async function look(table: string): Promise<TableState> {
    if (unverified.has(table)) return (await kernel.isPresent(table)) ? 'altered' : 'absent'
    if (!(await isKnown(table))) await survey(table)
    return stateOf(table)
  }

  /** Reads what may have changed, before an apply that is to repair it. A large table is listed without waiting for it. */
  async function refresh(): Promise<void> {
    await Promise.all(
      spec.tables.map(async (table) => {
        if (unverified.has(table) || (await isKnown(table))) return
        const listing = survey(table)
        if (!isLarge(table)) return listing
        listing.catch((fault) => log('warning', 'A table cannot be listed', { table, reason: wordsOf(fault) }))
        const began = loads()
        if ((await hasItsChains(table)) || loads() !== began || began % 2 === 1) return
        looks.set(table, { ...(looks.get(table) ?? unknownLook), state: 'altered', generation: null })
      }),
    )
  }

  /** True when nothing was touched since the state was found, or it was found so recently that its chains are enough. */
  async function isKnown(table: string): Promise<boolean> {
    const last = looks.get(table)
    if (!last) return false
    const generation = last.generation === null ? null : await kernel.generation()
    const isUntouched = generation !== null && generation === last.generation
    // A chain of a device goes away with it, without another generation.
    if (isUntouched && !table.startsWith('netdev ')) return true
    if (!isUntouched && performance.now() >= last.until) return false
    if (last.state === 'absent' && !held.has(table)) return true
    const began = loads()
    return (await hasItsChains(table)) || loads() !== began || began % 2 === 1
  }

  async function hasItsChains(table: string): Promise<boolean> {
    const chains = (held.get(table) ?? []).filter(({ kind }) => kind === 'chain')
    const expected = chains.map(({ name, head }) => `${name} ${hookOf(head)}`).toSorted()
    return (await kernel.chains(table)).join() === expected.join()
  }

  function isLarge(table: string): boolean {
    const size = looks.get(table)?.size
    if (size !== null && size !== undefined) return size > largeListing
    return (held.get(table) ?? []).reduce((sum, piece) => sum + countLines(piece), 0) > manyLines
  }

  /** Concurrent calls share one listing. */
  function survey(table: string): Promise<void> {
    const running = surveys.get(table) ?? surveyNow(table).finally(() => surveys.delete(table))
    surveys.set(table, running)
    return running
  }

  /** Lists a table in full, compares it, and adopts the fingerprints of what was loaded since the last listing. */
  async function surveyNow(table: string): Promise<void> {
    const pieces = held.get(table)
    const began = loads()
    const start = performance.now()
    const generation = await kernel.generation()
    const text = pieces ? await kernel.list(table) : null
    const isThere = pieces ? text !== null : await kernel.isPresent(table)
    const duration = performance.now() - start
    // A load happened during the listing, which may show neither the old state nor the new one.
    const isDropped = () => loads() !== began || began % 2 === 1 || held.get(table) !== pieces
    if (isDropped()) return
    const listing = pieces && text !== null ? parseListing(text, livelyOf(pieces)) : null
    const state = !isThere ? 'absent' : pieces && listing && isAsLoaded(pieces, listing) ? 'intact' : 'altered'
    if (pieces && listing && state === 'intact') adopt(pieces, listing)
    const isSpare = !isThere && !pieces && table !== spec.tables[0]
    const pause = (text?.length ?? 0) > largeListing ? pausePerDuration * duration : isSpare ? absencePauseMs : 0
    const isFollowed = generation !== null && generation >= own.from && generation < own.to
    const current = isFollowed ? own.to : generation
    looks.set(table, { state, generation: current, until: start + pause, size: text?.length ?? null })
  }

  /** Every piece is present with the content it was loaded with, and nothing else is. */
  function isAsLoaded(pieces: readonly NftPiece[], listing: Listing): boolean {
    const isSame = (piece: NftPiece): boolean => {
      const seen = listing.pieces.get(keyOf(piece))
      const fingerprint = fingerprints.get(piece.hash)
      if (fingerprint !== undefined) return seen?.fingerprint === fingerprint
      const shape = shapeOf(piece)
      return seen !== undefined && (shape === 'any' || seen.shape === shape)
    }
    return pieces.length === listing.pieces.size && listing.isPlain && pieces.every(isSame)
  }

  function adopt(pieces: readonly NftPiece[], listing: Listing): void {
    const found: Fingerprints = new Map()
    for (const piece of pieces) {
      const seen = listing.pieces.get(keyOf(piece))
      if (seen && !fingerprints.has(piece.hash)) found.set(piece.hash, seen.fingerprint)
    }
    for (const [hash, fingerprint] of found) fingerprints.set(hash, fingerprint)
    if (fingerprints.size > 2 * pieces.length + spareFingerprints) forgetSpareFingerprints()
    if (found.size > 0) onAdopted(found)
  }

  /** Those of pieces that were replaced are of use when a change is undone. */
  function forgetSpareFingerprints(): void {
    const hashes = new Set([...held.values()].flatMap((pieces) => pieces.map(({ hash }) => hash)))
    fingerprints = new Map([...fingerprints].filter(([hash]) => hashes.has(hash)))
  }

  /** Before a load: until it ends, it is unknown what the tables hold. */
  function beginLoad(changes: readonly TableChange[]): void {
    for (const { table } of changes) unverified.add(table)
    changing = new Set(changes.map(({ table }) => table))
  }

  /** However it ended; what is still unverified then may or may not be loaded. */
  function leaveLoad(): void {
    changing = new Set()
  }

  /** The kernel refused the load, and is unchanged. */
  function endRefusedLoad(changes: readonly TableChange[], before: ReadonlySet<string>): void {
    for (const { table } of changes) if (!before.has(table)) unverified.delete(table)
  }

  /** A load adds one to the generation; when it is another one, some other program made a change too. */
  function endLoad(changes: readonly TableChange[], before: number | null, after: number | null): void {
    const next = before !== null && after === (before + 1) % 2 ** 32 ? after : null
    const changed = new Map(changes.map((change) => [change.table, change]))
    for (const table of spec.tables) {
      const last = looks.get(table)
      const change = changed.get(table)
      const isFollowed = last !== undefined && last.generation !== null && last.generation === before
      if (change) {
        const isAbsent = change.wanted.length === 0
        unverified.delete(table)
        looks.set(table, {
          state: isAbsent ? 'absent' : 'intact',
          generation: isFollowed || !change.difference ? next : null,
          until: change.difference ? (last?.until ?? 0) : 0,
          size: change.difference ? (last?.size ?? null) : null,
        })
      } else if (last && last.generation !== null) looks.set(table, { ...last, generation: isFollowed ? next : null })
    }
  }

  /** We changed elements that no listing is compared with: what is known about the tables still holds. */
  function followElements(before: number, after: number | null): void {
    if (after !== before + 1) return
    own = { from: own.to === before ? own.from : before, to: after }
    for (const [table, last] of looks) if (last.generation === before) looks.set(table, { ...last, generation: after })
  }

  /** The generation at which all tables were as loaded; null when that is not known. */
  function generationOf(): number | null {
    const found = new Set([...held.keys()].map((table) => looks.get(table)?.generation ?? null))
    const [generation = null] = found
    return found.size === 1 && [...held.keys()].every((table) => stateOf(table) === 'intact') ? generation : null
  }

  /** From the record of this kernel. */
  function restore(generation: number | null, known: Fingerprints): void {
    fingerprints = new Map(known)
    if (generation !== null) for (const table of held.keys()) looks.set(table, { ...unknownLook, generation })
  }

  /** An apply that did not end may have changed these. */
  function distrust(touched: readonly string[]): void {
    for (const table of touched) unverified.add(table)
  }

  function forget(): void {
    looks.clear()
    unverified.clear()
    fingerprints = new Map()
  }

  /** `settled` is what the last commit left. A table that we are changing has its state before or after it: both are ours. */
  async function observe(settled: ReadonlyMap<string, readonly NftPiece[]>): Promise<TableObservation[]> {
    const known = (): TableState[] => spec.tables.map(stateOf)
    const began = loads()
    const seen = await busy.unlessBusy(() => Promise.all(spec.tables.map(look)), known)
    // What was read while a load ended is neither the state before it nor the one after it.
    const states = loads() === began ? seen : known()
    return spec.tables.map((name, index) => {
      const wanted = held.has(name) || name === spec.tables[0] ? 'intact' : 'absent'
      const isAsHeld = states[index] === wanted
      const isSettled = held.get(name) === settled.get(name)
      const isChanging = changing.has(name) || (isAsHeld && !isSettled)
      const present = changing.has(name) ? held.has(name) : states[index] !== 'absent'
      return { name, present, asLoaded: isAsHeld && isSettled && !isChanging, ...(isChanging ? { isChanging } : {}) }
    })
  }

  return {
    stateOf,
    look,
    observe,
    leaveLoad,
    refresh,
    survey,
    unverified,
    beginLoad,
    endRefusedLoad,
    endLoad,
    followElements,
    generationOf,
    restore,
    distrust,
    forget,
  }
}

const unknownLook: Look = { state: 'intact', generation: null, until: 0, size: null }

const livelyOf = (pieces: readonly NftPiece[]): ReadonlySet<string> =>
  new Set([...indexPieces(pieces).values()].filter(isLively).map(({ name }) => name))
