// The nftables tables of the kernel: what they were loaded with, whether they still hold it, the change to what is
// wanted, and what their rules counted. Keeps its part of the record of what is applied; the executor decides when a
// state is committed and when it is restored.

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { readJson, writeDurable } from '../files/durable.ts'
import type { Hits, NftPiece, TableObservation } from '../plan/artifacts.ts'
import { isGenuine, linesOf, makePart, printTable } from '../plan/nft-piece.ts'
import type { Context } from './applyd.ts'
import type { NftKernel, Verdict } from './kernel/kernel.ts'
import { type Counts, type Listing, parseListing } from './nft-listing.ts'
import { changeOf, composeScript, elementChangesOf, rewrittenChains, type TableChange } from './nft-script.ts'
import {
  type HeldPiece,
  type HeldTable,
  hold,
  hookOf,
  isLively,
  keyOf,
  originsOf,
  type TableTargets,
} from './pieces.ts'
import { Refusal } from './requests.ts'

/** What is kept in the record of what is applied. Bodies are in a separate file, except for the `fresh` ones. */
export interface RulesetRecord {
  readonly epoch: string
  /** kind, name, head, hash, fingerprint, and the shape as long as there is no fingerprint. */
  readonly tables: Readonly<Record<string, readonly (readonly [NftPiece['kind'], ...string[]])[]>>
  readonly fresh: readonly NftPiece[]
  readonly carried: readonly (readonly [origin: string, packets: number, bytes: number])[]
}

/** More new bodies than this are not kept in the record. */
const freshLimit = 64 * 1024
const writeBodiesMs = 2000
/** A listing of this length is slow: the next one waits for twenty times its duration. */
const largeListing = 500_000
const pausePerDuration = 20
/** How often an unwanted table is looked for; the first one is always looked for. */
const absencePauseMs = 4000

type TableState = 'absent' | 'intact' | 'altered'
interface Look {
  readonly state: TableState
  /** Before this time only the list of chains is read. */
  readonly until: number
}

export type Ruleset = ReturnType<typeof createRuleset>

export function createRuleset({ plane, directory, tables: { nft }, log, failpoint }: Context, kernel: NftKernel) {
  const bodiesPath = join(directory, 'bodies.json')
  /** What the tables were loaded with last, and what they held at the last commit of the executor. */
  const held = new Map<string, HeldTable>()
  let settled: ReadonlyMap<string, HeldTable> = new Map()
  /** Tables with unknown content: a load may or may not have happened. */
  const unverified = new Set<string>()
  const looks = new Map<string, Look>()
  const surveys = new Map<string, Promise<string | null>>()
  /** Counts of removed rules of which others with the same origin remain. */
  let carried: Counts = new Map()
  let epoch: string = randomUUID()
  /** Odd while a load is in progress. */
  let loads = 0
  let kept = new Set<string>()
  let bodiesTimer: NodeJS.Timeout | undefined

  /** Restores a record of this kernel. `touched` names the tables that an unfinished apply may have changed. */
  function restore(record: RulesetRecord, touched: readonly string[]): void {
    const stored = readJson<readonly NftPiece[]>(bodiesPath, log) ?? []
    const bodies = new Map([...stored, ...record.fresh].map((piece) => [piece.hash, piece]))
    const bodyOf = (hash: string): NftPiece | null => {
      const body = bodies.get(hash)
      // Earlier releases kept no parts.
      return body?.parts && isGenuine(body) ? body : null
    }
    kept = new Set(stored.map(({ hash }) => hash))
    for (const [table, pieces] of Object.entries(record.tables)) {
      const revived = pieces.map(([kind, name = '', head = '', hash = '', fingerprint = '', shape = '']): HeldPiece => {
        return { kind, name, head, hash, body: bodyOf(hash), shape, fingerprint: fingerprint || null }
      })
      held.set(table, new Map(revived.map((piece) => [keyOf(piece), piece])))
    }
    settled = new Map(held)
    carried = new Map(record.carried.map(([origin, packets, bytes]) => [origin, { packets, bytes }]))
    epoch = record.epoch
    for (const table of touched) unverified.add(table)
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
  }

  /** Without a ruleset no traffic may pass. */
  async function loadFailClosedRules(): Promise<Verdict> {
    const [first] = nft.tables
    return (await kernel.isPresent(first)) ? { problems: [], unchecked: null } : load(new Map([[first, []]]))
  }

  async function isCurrent(table: string, wanted: readonly NftPiece[]): Promise<boolean> {
    const pieces = held.get(table)
    if ((pieces?.size ?? 0) !== wanted.length) return false
    if (!wanted.every((piece) => pieces?.get(keyOf(piece))?.hash === piece.hash)) return false
    takeBodies(table, wanted)
    if (plane === 'none') return true
    const state = await look(table)
    if (wanted.length > 0) return state === 'intact'
    return state === 'absent' && (table !== nft.tables[0] || (await kernel.isPresent(nft.boot)))
  }

  /** A plan has the bodies that were not found after a restart. */
  function takeBodies(table: string, wanted: readonly NftPiece[]): void {
    const pieces = held.get(table)
    if (!pieces || [...pieces.values()].every(({ body }) => body)) return
    const bodies = new Map(wanted.map((piece) => [piece.hash, piece]))
    held.set(
      table,
      new Map(
        [...pieces].map(([key, piece]) => [key, { ...piece, body: piece.body ?? bodies.get(piece.hash) ?? null }]),
      ),
    )
    if (settled.get(table) === pieces) settled = new Map([...settled, [table, held.get(table) ?? pieces]])
  }

  /** What the kernel holds, compared with what was loaded. Large tables are read in full only occasionally. */
  async function look(table: string): Promise<TableState> {
    if (unverified.has(table)) return (await kernel.isPresent(table)) ? 'altered' : 'absent'
    const last = looks.get(table)
    if (last && performance.now() < last.until) {
      if (last.state === 'absent' && !held.has(table)) return 'absent'
      const began = loads
      const seen = await kernel.chains(table)
      const chains = [...(held.get(table)?.values() ?? [])].filter(({ kind }) => kind === 'chain')
      const expected = chains.map(({ name, head }) => `${name} ${hookOf(head)}`).toSorted()
      if (seen.join() === expected.join() || loads !== began || loads % 2 === 1) return last.state
    }
    await survey(table)
    return looks.get(table)?.state ?? 'intact'
  }

  /** Concurrent calls share one listing. */
  function survey(table: string): Promise<string | null> {
    const running = surveys.get(table) ?? surveyNow(table).finally(() => surveys.delete(table))
    surveys.set(table, running)
    return running
  }

  /** Lists a table in full, compares it, and adopts the fingerprints of what was loaded since the last listing. */
  async function surveyNow(table: string): Promise<string | null> {
    const pieces: HeldTable = held.get(table) ?? new Map()
    const began = loads
    const start = performance.now()
    const text = await kernel.list(table)
    const duration = performance.now() - start
    const lively = new Set([...pieces.values()].filter(isLively).map(({ name }) => name))
    const listing = text === null ? null : parseListing(text, lively)
    // A load happened during the listing, which may show neither the old state nor the new one.
    if (loads !== began || loads % 2 === 1 || (held.get(table) ?? pieces) !== pieces) return text
    const state = listing === null ? 'absent' : isAsLoaded(pieces, listing) ? 'intact' : 'altered'
    if (listing && state === 'intact') adopt(table, pieces, listing)
    const isSpare = text === null && pieces.size === 0 && table !== nft.tables[0]
    const pause = (text?.length ?? 0) > largeListing ? pausePerDuration * duration : isSpare ? absencePauseMs : 0
    looks.set(table, { state, until: start + pause })
    return text
  }

  function adopt(table: string, pieces: HeldTable, listing: Listing): void {
    if ([...pieces.values()].every(({ fingerprint }) => fingerprint !== null)) return
    const seen = (key: string): string | null => listing.pieces.get(key)?.fingerprint ?? null
    const known = new Map([...pieces].map(([key, piece]) => [key, { ...piece, fingerprint: seen(key) }]))
    held.set(table, known)
    if (settled.get(table) === pieces) settled = new Map([...settled, [table, known]])
  }

  const changesFor = (targets: TableTargets, isFullReload: boolean): TableChange[] =>
    [...targets].map(([table, wanted]) => {
      const isSound = !isFullReload && !unverified.has(table) && (looks.get(table)?.state ?? 'intact') === 'intact'
      takeBodies(table, wanted)
      return changeOf(table, isSound ? (held.get(table) ?? null) : null, wanted)
    })

  const check = (targets: TableTargets): Promise<Verdict> =>
    attempt(targets, (changes) => kernel.check(composeScript(nft, changes, new Map())))

  /** One transaction; when it is refused the kernel is unchanged. */
  const load = (targets: TableTargets): Promise<Verdict> => attempt(targets, loadChanges)

  /** Some refusals mean that the kernel does not hold what the change is based on; then the tables are loaded in full. */
  async function attempt(targets: TableTargets, work: (changes: TableChange[]) => Promise<Verdict>): Promise<Verdict> {
    const changes = changesFor(targets, false)
    const verdict = await work(changes)
    const deltas = changes.filter((change) => change.held)
    const isSuspect = verdict.problems.some(({ message }) => /No such file|exists|busy/i.test(message))
    if (!isSuspect || deltas.length === 0 || plane === 'none') return verdict
    for (const { table } of deltas) await survey(table)
    const isSound = deltas.every(({ table }) => looks.get(table)?.state === 'intact')
    return isSound ? verdict : work(changesFor(targets, true))
  }

  async function loadChanges(changes: readonly TableChange[]): Promise<Verdict> {
    const { counts, isFirst } = await readCounts(changes)
    const elements = elementChangesOf(changes)
    loads += 1
    for (const { table } of changes) unverified.add(table)
    try {
      const outcome = elements ? await kernel.changeElements(elements, null) : 'stale'
      const verdict = outcome === 'stale' ? await kernel.load(composeScript(nft, changes, counts)) : outcome
      for (const { table } of changes) unverified.delete(table)
      if (verdict.problems.length > 0 || verdict.unchecked !== null) return verdict
      for (const change of changes) take(change)
      if (isFirst) epoch = randomUUID()
      const origins = new Set([...held.values()].flatMap((pieces) => [...pieces.values()].flatMap(originsOfHeld)))
      carried = new Map([...counts].filter(([origin, { packets }]) => packets > 0 && origins.has(origin)))
      failpoint('nft.loaded')
      return verdict
    } finally {
      loads += 1
    }
  }

  function take({ table, wanted, held: before }: TableChange): void {
    const pieces = wanted.map((piece): [string, HeldPiece] => {
      const old = before?.get(keyOf(piece))
      return [keyOf(piece), old?.hash === piece.hash ? old : hold(piece)]
    })
    if (wanted.length === 0) held.delete(table)
    else held.set(table, new Map(pieces))
    const state = wanted.length === 0 ? 'absent' : 'intact'
    looks.set(table, { state, until: state === 'intact' ? (looks.get(table)?.until ?? 0) : 0 })
  }

  /** The counts of the rules that are removed. `isFirst`: the main table, without which nothing passes, was missing. */
  async function readCounts(changes: readonly TableChange[]): Promise<{ counts: Counts; isFirst: boolean }> {
    const counts: Counts = new Map(carried)
    let isFirst = false
    for (const change of changes) {
      const { table } = change
      const chains = change.held ? rewrittenChains(change) : null
      // The counts of an unknown load belong to another epoch.
      const found = held.has(table) && chains?.length !== 0 ? await kernel.counts(table, chains) : null
      addTo(counts, found)
      if (table === nft.tables[0] && !change.held && found === null) isFirst = true
    }
    return { counts, isFirst }
  }

  async function observe(): Promise<TableObservation[]> {
    if (plane === 'none') return nft.tables.map((name) => ({ name, present: false, asLoaded: false }))
    const states = await Promise.all(nft.tables.map(look))
    return nft.tables.map((name, index) => {
      const asLoaded = states[index] === 'intact' && held.get(name) === settled.get(name)
      return { name, present: states[index] !== 'absent', asLoaded }
    })
  }

  async function hits(): Promise<Hits> {
    const counts: Counts = new Map(carried)
    const tables = plane === 'none' ? [] : [...held.keys()]
    for (const found of await Promise.all(tables.map((table) => kernel.counts(table, null)))) addTo(counts, found)
    return { epoch, counts: [...counts].map(([origin, count]) => ({ origin, ...count })) }
  }

  /** For the record. Bodies that are not in `fresh` are on disk when this returns. */
  function remember(): RulesetRecord {
    const bodiesOf = (tables: ReadonlyMap<string, HeldTable>) =>
      [...tables.values()].flatMap((pieces) => [...pieces.values()].flatMap(({ body }) => body ?? []))
    const write = () => {
      // The record on disk may still be the old one, so the bodies of both are kept.
      const bodies = new Map([...bodiesOf(settled), ...bodiesOf(held)].map((piece) => [piece.hash, piece]))
      writeDurable(bodiesPath, JSON.stringify([...bodies.values()]))
      kept = new Set(bodies.keys())
    }
    const listFresh = () => bodiesOf(held).filter(({ hash }) => !kept.has(hash))
    if (JSON.stringify(listFresh()).length > freshLimit) write()
    clearTimeout(bodiesTimer)
    bodiesTimer = setTimeout(() => {
      try {
        if (listFresh().length > 0) write()
      } catch (fault) {
        log('warning', 'The copy of the loaded rules cannot be written', { fault })
      }
    }, writeBodiesMs).unref()
    const tupleOf = ({ kind, name, head, hash, fingerprint, shape }: HeldPiece) =>
      [kind, name, head, hash, fingerprint ?? '', fingerprint === null ? shape : ''] as const
    const tables = Object.fromEntries([...held].map(([table, pieces]) => [table, [...pieces.values()].map(tupleOf)]))
    const counts = [...carried].map(([origin, { packets, bytes }]) => [origin, packets, bytes] as const)
    return { epoch, tables, fresh: listFresh(), carried: counts }
  }

  /** Called when the record is written: what is loaded is committed. */
  const settle = (): void => {
    settled = new Map(held)
  }

  /** What has to be loaded to restore the last commit; `isSameKernel` false: nothing is restored. */
  async function findRevertTargets(names: readonly string[], isSameKernel: boolean): Promise<TableTargets> {
    const targets = new Map<string, readonly NftPiece[]>()
    for (const table of names) {
      const pieces = isSameKernel ? [...(settled.get(table)?.values() ?? [])] : []
      const bodies = pieces.flatMap(({ body }) => body ?? [])
      if (bodies.length < pieces.length)
        log('error', 'The previous rules are not available; fail-closed rules are loaded', { table })
      const wanted = bodies.length < pieces.length ? [] : bodies
      if (!(await isCurrent(table, wanted))) targets.set(table, wanted)
    }
    return targets
  }

  /** The first table as a separate script, without the rules of one origin. */
  function show(leftOut: string): string {
    const [table] = nft.tables
    const pieces = [...(held.get(table)?.values() ?? [])]
    const bodies = pieces.flatMap(({ body }) => body ?? [])
    if (bodies.length === 0 || bodies.length < pieces.length)
      throw new Refusal('The content of the loaded rules is not known. Apply the configuration again.')
    return printTable(
      table,
      bodies.map((body) => withoutRulesOf(leftOut, body)),
    )
  }

  const close = (): void => clearTimeout(bodiesTimer)

  const version = (): number => loads

  return {
    restore,
    isThere,
    forget,
    loadFailClosedRules,
    version,
    isCurrent,
    check,
    load,
    observe,
    hits,
    remember,
    settle,
    findRevertTargets,
    show,
    close,
  }
}

function withoutRulesOf(origin: string, piece: NftPiece): NftPiece {
  const origins = originsOf(piece)
  return origins.includes(origin)
    ? { ...piece, parts: [makePart(linesOf(piece).filter((_, index) => origins[index] !== origin))] }
    : piece
}

function addTo(counts: Counts, more: Counts | null): void {
  for (const [origin, { packets, bytes }] of more ?? []) {
    const before = counts.get(origin)
    counts.set(origin, { packets: (before?.packets ?? 0) + packets, bytes: (before?.bytes ?? 0) + bytes })
  }
}

const originsOfHeld = ({ body }: HeldPiece): readonly string[] => (body ? originsOf(body) : [])

/** Every piece is present with the content it was loaded with, and nothing else is. */
function isAsLoaded(pieces: HeldTable, listing: Listing): boolean {
  const isSame = ([key, { fingerprint, shape }]: [string, HeldPiece]): boolean => {
    const seen = listing.pieces.get(key)
    if (fingerprint !== null) return seen?.fingerprint === fingerprint
    return seen !== undefined && (shape === 'any' || seen.shape === shape)
  }
  const isComplete = pieces.size > 0 && pieces.size === listing.pieces.size
  return isComplete && listing.isPlain && [...pieces].every(isSame)
}
