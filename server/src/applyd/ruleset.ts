// The nftables tables of the kernel: what they were loaded with, whether they still hold it, the change to what is
// wanted, and what their rules counted. Keeps its part of the record of what is applied; when a state counts, and when
// to go back to it, the executor decides.

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Hits, NftPiece, TableObservation } from '../plan/artifacts.ts'
import { hashPiece, printTable } from '../plan/nft-piece.ts'
import type { Context } from './applyd.ts'
import { readJson, writeDurable } from './durable.ts'
import { isPresent, list, runScript, type Verdict } from './nft.ts'
import { addCounts, type Counts, type Listing, listChains, parseListing } from './nft-listing.ts'
import { changeOf, composeScript, rewrittenChains, type TableChange } from './nft-script.ts'
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

/** What is kept in the record of what is applied. Bodies stand in a file of their own but for the `fresh` ones. */
export interface RulesetRecord {
  readonly epoch: string
  /** kind, name, head, hash, fingerprint, and the shape as long as there is no fingerprint. */
  readonly tables: Readonly<Record<string, readonly (readonly [NftPiece['kind'], ...string[]])[]>>
  readonly fresh: readonly NftPiece[]
  readonly carried: readonly (readonly [origin: string, packets: number, bytes: number])[]
}

/** More new bodies than this are not carried along in the record. */
const freshLimit = 64 * 1024
const writeBodiesMs = 2000
/** A listing of this length takes so long that the next one has to wait for twenty times its duration. */
const largeListing = 500_000
const pausePerDuration = 20
/** A table that is not ours to have is looked for this often; the first one always. */
const absencePauseMs = 4000
/** More chains than this are quicker read with their whole table. */
const chainsAtOnce = 8

type Standing = 'absent' | 'intact' | 'altered'
interface Look {
  readonly standing: Standing
  /** Before this time only the list of chains is looked at. */
  readonly until: number
}

export type Ruleset = ReturnType<typeof createRuleset>

export function createRuleset({ plane, directory, tables: { nft }, log, failpoint }: Context) {
  const bodiesPath = join(directory, 'bodies.json')
  /** What the tables were loaded with last, and what they held when the executor last said that it counts. */
  const held = new Map<string, HeldTable>()
  let settled: ReadonlyMap<string, HeldTable> = new Map()
  /** Tables of which nobody knows what they hold: a load may or may not have happened. */
  const doubtful = new Set<string>()
  const looks = new Map<string, Look>()
  const surveys = new Map<string, Promise<string | null>>()
  /** What rules counted whose lines went away while others of the same origin stay. */
  let carried: Counts = new Map()
  let epoch: string = randomUUID()
  /** Odd while a load is under way. */
  let loads = 0
  let kept = new Set<string>()
  let bodiesTimer: NodeJS.Timeout | undefined

  /** Takes up a record of this kernel. `touched` names the tables that an unfinished apply may have changed. */
  function restore(record: RulesetRecord, touched: readonly string[]): void {
    const stored = readJson<readonly NftPiece[]>(bodiesPath, log) ?? []
    const bodies = new Map([...stored, ...record.fresh].map((piece) => [piece.hash, piece]))
    const bodyOf = (hash: string): NftPiece | null => {
      const body = bodies.get(hash)
      return body && hashPiece(body) === hash ? body : null
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
    for (const table of touched) doubtful.add(table)
  }

  /** Whether the kernel has every table that was loaded. */
  async function isThere(): Promise<boolean> {
    const present = await Promise.all([...held.keys()].map((table) => isPresent(nft, table)))
    return present.every((isOne) => isOne)
  }

  /** Nothing that was loaded earlier counts any more. */
  function forget(): void {
    held.clear()
    settled = new Map()
    carried = new Map()
    epoch = randomUUID()
  }

  /** Without a ruleset nothing may pass. */
  async function closeTheWay(): Promise<Verdict> {
    const [first] = nft.tables
    return (await isPresent(nft, first)) ? { problems: [], unchecked: null } : load(new Map([[first, []]]))
  }

  async function isCurrent(table: string, wanted: readonly NftPiece[]): Promise<boolean> {
    const pieces = held.get(table)
    if ((pieces?.size ?? 0) !== wanted.length) return false
    if (!wanted.every((piece) => pieces?.get(keyOf(piece))?.hash === piece.hash)) return false
    takeBodies(table, wanted)
    if (plane === 'none') return true
    const standing = await look(table)
    if (wanted.length > 0) return standing === 'intact'
    return standing === 'absent' && (table !== nft.tables[0] || (await isPresent(nft, nft.boot)))
  }

  /** A plan brings the bodies that a restart did not find. */
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

  /** What the kernel holds, compared with what was loaded. Large tables are read in full only now and then. */
  async function look(table: string): Promise<Standing> {
    if (doubtful.has(table)) return (await isPresent(nft, table)) ? 'altered' : 'absent'
    const last = looks.get(table)
    if (last && performance.now() < last.until) {
      if (last.standing === 'absent' && !held.has(table)) return 'absent'
      const began = loads
      const seen = listChains(await list(nft, 'chains'), table)
      const chains = [...(held.get(table)?.values() ?? [])].filter(({ kind }) => kind === 'chain')
      const expected = chains.map(({ name, head }) => `${name} ${hookOf(head)}`).toSorted()
      if (seen.join() === expected.join() || loads !== began || loads % 2 === 1) return last.standing
    }
    await survey(table)
    return looks.get(table)?.standing ?? 'intact'
  }

  /** Whoever asks while a listing is under way shares it. */
  function survey(table: string): Promise<string | null> {
    const running = surveys.get(table) ?? surveyNow(table).finally(() => surveys.delete(table))
    surveys.set(table, running)
    return running
  }

  /** Lists a table in full, judges it, and adopts the fingerprints of what was loaded since the last listing. */
  async function surveyNow(table: string): Promise<string | null> {
    const pieces: HeldTable = held.get(table) ?? new Map()
    const began = loads
    const start = performance.now()
    const text = await list(nft, 'table', ...table.split(' '))
    const duration = performance.now() - start
    const lively = new Set([...pieces.values()].filter(isLively).map(({ name }) => name))
    const listing = text === null ? null : parseListing(text, lively)
    // A load came in between: this listing may show neither the old state nor the new one.
    if (loads !== began || loads % 2 === 1 || (held.get(table) ?? pieces) !== pieces) return text
    const standing = listing === null ? 'absent' : isAsLoaded(pieces, listing) ? 'intact' : 'altered'
    if (listing && standing === 'intact') adopt(table, pieces, listing)
    const isSpare = text === null && pieces.size === 0 && table !== nft.tables[0]
    const pause = (text?.length ?? 0) > largeListing ? pausePerDuration * duration : isSpare ? absencePauseMs : 0
    looks.set(table, { standing, until: start + pause })
    return text
  }

  function adopt(table: string, pieces: HeldTable, listing: Listing): void {
    if ([...pieces.values()].every(({ fingerprint }) => fingerprint !== null)) return
    const seen = (key: string): string | null => listing.pieces.get(key)?.fingerprint ?? null
    const known = new Map([...pieces].map(([key, piece]) => [key, { ...piece, fingerprint: seen(key) }]))
    held.set(table, known)
    if (settled.get(table) === pieces) settled = new Map([...settled, [table, known]])
  }

  const changesFor = (targets: TableTargets, isAnew: boolean): TableChange[] =>
    [...targets].map(([table, wanted]) => {
      const isSound = !isAnew && !doubtful.has(table) && (looks.get(table)?.standing ?? 'intact') === 'intact'
      takeBodies(table, wanted)
      return changeOf(table, isSound ? (held.get(table) ?? null) : null, wanted)
    })

  const check = (targets: TableTargets): Promise<Verdict> =>
    attempt(targets, (changes) => runScript(nft, composeScript(nft, changes, new Map()), true))

  /** One transaction; when it is refused the kernel stays as it was. */
  const load = (targets: TableTargets): Promise<Verdict> => attempt(targets, loadChanges)

  /** Such a refusal may mean that the kernel does not hold what the change starts from; then everything is made anew. */
  async function attempt(targets: TableTargets, work: (changes: TableChange[]) => Promise<Verdict>): Promise<Verdict> {
    const changes = changesFor(targets, false)
    const verdict = await work(changes)
    const deltas = changes.filter((change) => change.held)
    const isSuspect = verdict.problems.some(({ message }) => /No such file|exists|busy/i.test(message))
    if (!isSuspect || deltas.length === 0 || plane === 'none') return verdict
    for (const { table } of deltas) await survey(table)
    const isSound = deltas.every(({ table }) => looks.get(table)?.standing === 'intact')
    return isSound ? verdict : work(changesFor(targets, true))
  }

  async function loadChanges(changes: readonly TableChange[]): Promise<Verdict> {
    const { counts, isFirst } = await readCounts(changes)
    const script = composeScript(nft, changes, counts)
    loads += 1
    for (const { table } of changes) doubtful.add(table)
    try {
      const verdict = await runScript(nft, script, false)
      for (const { table } of changes) doubtful.delete(table)
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
    const standing = wanted.length === 0 ? 'absent' : 'intact'
    looks.set(table, { standing, until: standing === 'intact' ? (looks.get(table)?.until ?? 0) : 0 })
  }

  /** What the rules that go away have counted. `isFirst`: the table without which nothing passes was not there. */
  async function readCounts(changes: readonly TableChange[]): Promise<{ counts: Counts; isFirst: boolean }> {
    const counts: Counts = new Map(carried)
    let isFirst = false
    for (const change of changes) {
      const { table } = change
      const chains = rewrittenChains(change)
      const isWhole = !change.held || chains.length > chainsAtOnce
      // What an unknown load counted belongs to another epoch.
      const isKnown = held.has(table)
      const listings = isWhole
        ? [isKnown ? await list(nft, 'table', ...table.split(' ')) : null]
        : await Promise.all(chains.map((chain) => list(nft, 'chain', ...table.split(' '), chain)))
      const rewritten = change.held ? new Set(chains) : null
      for (const text of listings) addCounts(counts, text, rewritten)
      if (table === nft.tables[0] && !change.held && listings.every((text) => text === null)) isFirst = true
    }
    return { counts, isFirst }
  }

  async function observe(): Promise<TableObservation[]> {
    if (plane === 'none') return nft.tables.map((name) => ({ name, present: false, asLoaded: false }))
    const standings = await Promise.all(nft.tables.map(look))
    return nft.tables.map((name, index) => {
      const asLoaded = standings[index] === 'intact' && held.get(name) === settled.get(name)
      return { name, present: standings[index] !== 'absent', asLoaded }
    })
  }

  async function hits(): Promise<Hits> {
    const counts: Counts = new Map(carried)
    const listings = plane === 'none' ? [] : await Promise.all([...held.keys()].map(survey))
    for (const text of listings) addCounts(counts, text, null)
    return { epoch, counts: [...counts].map(([origin, count]) => ({ origin, ...count })) }
  }

  /** For the record. What it leaves out of `fresh` is on the disk when this returns. */
  function remember(): RulesetRecord {
    const bodiesOf = (tables: ReadonlyMap<string, HeldTable>) =>
      [...tables.values()].flatMap((pieces) => [...pieces.values()].flatMap(({ body }) => body ?? []))
    const write = () => {
      // The record on the disk may still be the old one, so the bodies of both are kept.
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

  /** What is loaded now counts: the record is written. */
  const settle = (): void => {
    settled = new Map(held)
  }

  /** What has to be loaded to go back to what last counted; `isSameKernel` false: to nothing. */
  async function findWayBack(names: readonly string[], isSameKernel: boolean): Promise<TableTargets> {
    const targets = new Map<string, readonly NftPiece[]>()
    for (const table of names) {
      const pieces = isSameKernel ? [...(settled.get(table)?.values() ?? [])] : []
      const bodies = pieces.flatMap(({ body }) => body ?? [])
      if (bodies.length < pieces.length)
        log('error', 'The old rules are not known any more; the way is closed', { table })
      const wanted = bodies.length < pieces.length ? [] : bodies
      if (!(await isCurrent(table, wanted))) targets.set(table, wanted)
    }
    return targets
  }

  /** The first table as a script of its own, without the rules of one origin. */
  function show(leftOut: string): string {
    const [table] = nft.tables
    const pieces = [...(held.get(table)?.values() ?? [])]
    const bodies = pieces.flatMap(({ body }) => body ?? [])
    if (bodies.length === 0 || bodies.length < pieces.length)
      throw new Refusal('The rules that are loaded are not known yet; apply them once more.')
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
    closeTheWay,
    version,
    isCurrent,
    check,
    load,
    observe,
    hits,
    remember,
    settle,
    findWayBack,
    show,
    close,
  }
}

function withoutRulesOf(origin: string, piece: NftPiece): NftPiece {
  const origins = originsOf(piece)
  return origins.includes(origin)
    ? { ...piece, lines: piece.lines.filter((_, index) => origins[index] !== origin) }
    : piece
}

const originsOfHeld = ({ body }: HeldPiece): readonly string[] => (body ? originsOf(body) : [])

/** Every piece is there with the content of its load, and nothing else is. */
function isAsLoaded(pieces: HeldTable, listing: Listing): boolean {
  const isSame = ([key, { fingerprint, shape }]: [string, HeldPiece]): boolean => {
    const seen = listing.pieces.get(key)
    if (fingerprint !== null) return seen?.fingerprint === fingerprint
    return seen !== undefined && (shape === 'any' || seen.shape === shape)
  }
  const isComplete = pieces.size > 0 && pieces.size === listing.pieces.size
  return isComplete && listing.isPlain && [...pieces].every(isSame)
}
