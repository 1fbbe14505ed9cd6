// The configuration on disk: items, revisions and related state. Loads a verified snapshot and commits change
// sets; does not judge their content.

import { isDeepStrictEqual } from 'node:util'
import { type SaidText, say } from '../../shared/said.ts'
import { isUnavailable } from '../contract/error.ts'
import { type Database, NewerDataError, type Urgency } from '../database/database.ts'
import type { Seal } from '../model/reseal.ts'
import { type Item, type Slot, versionOf } from '../model/slots.ts'
import { createSlices } from '../workers/slices.ts'
import type { BackgroundRow } from './background.ts'
import { HistoryBase } from './base.ts'
import { applyChanges, type Snapshot } from './diff.ts'
import { Fold } from './fold.ts'
import { type FindBase, HistoryUpgrader, refuseNewer, type StoredChange, upgradeHistory } from './history.ts'
import { countHistory, endOfOldest, type HistorySize, sizeWithout, surplusOf } from './history-size.ts'
import { readBackground, readProbation, writeBackground, writeProbation } from './in-progress.ts'
import { bytesOf, type LongText, LongTexts } from './long-texts.ts'
import type { Change, ChangeSet, Probation, Revision, RevisionInfo, SplicedChange } from './revision.ts'
import {
  idText,
  itemChecksum,
  itemIdOf,
  noteVersions,
  type Outdated,
  placeOf,
  type RevisionRow,
  revisionHash,
  type SlotRow,
  upgradeRow,
  type Versions,
} from './rows.ts'
import { Sealer } from './sealer.ts'
import { spliceLists } from './splices.ts'
import { StagedTexts } from './staged-texts.ts'
import { readItem, StoredItems, type StoredRows } from './stored-items.ts'

export interface Commit {
  readonly revisions: readonly Revision[]
  readonly sequences: Readonly<Record<string, number>>
  /** Absent: leave it as it is. */
  readonly probation?: Probation | null
  /** All of them; absent: leave them as they are. */
  readonly background?: readonly BackgroundRow[]
}

export interface Loaded {
  readonly snapshot: Snapshot
  readonly slotRevisions: Record<string, number>
  readonly sequences: Record<string, number>
  readonly probation: Probation | null
  readonly background: readonly BackgroundRow[]
  /** The damage found and how it was repaired; shown as an alarm. */
  readonly damage: readonly SaidText[]
}

export class ConfigStore {
  readonly #database: Database
  readonly #slots: ReadonlyMap<string, Slot>
  readonly #base: HistoryBase
  readonly #texts: LongTexts
  readonly #items: StoredItems
  readonly #sealer: Sealer
  readonly #staged: StagedTexts
  #headHash: Uint8Array
  /** Null: to be counted again. */
  #size: HistorySize | null = null

  /** `seal` for what earlier releases stored in clear; without it, it is left so, for who shows masks alone. */
  constructor(database: Database, slots: readonly Slot[], seal: Seal | null = null) {
    this.#database = database
    this.#slots = new Map(slots.map((slot) => [slot.key, slot]))
    this.#sealer = new Sealer(this.#slots, seal)
    this.#texts = new LongTexts(database)
    this.#base = new HistoryBase(database, this.#slots, this.#texts)
    this.#items = new StoredItems(database, this.#texts)
    this.#staged = new StagedTexts(this.#texts, this.#items, (change) => this.#toStored(change))
    this.#headHash = this.#base.hash
    database.onRolledBack(() => this.#reloadHead())
  }

  load(): Loaded {
    const head = this.#database.prepare('SELECT revision, hash FROM revisions ORDER BY revision DESC LIMIT 1').get() as
      | { revision: number; hash: Uint8Array }
      | undefined
    this.#headHash = head?.hash ?? this.#base.hash
    const slots = this.#database.prepare<SlotRow>('SELECT slot, revision, version FROM slots').all()
    for (const { slot: key, version } of slots) this.#refuseNewer(key, version)
    const outdated: Outdated[] = []
    const fromItems = this.#snapshotFrom(this.#items.read(), head?.revision ?? 0, outdated)
    const damage: SaidText[] = []
    if (fromItems) this.#writeBack(outdated)
    const snapshot = fromItems ?? this.#rebuild(damage)
    return {
      snapshot,
      slotRevisions: Object.fromEntries(slots.map((row) => [row.slot, row.revision])),
      sequences: Object.fromEntries(
        this.#database
          .prepare<{ slot: string; last: number }>('SELECT slot, last FROM sequences')
          .all()
          .map((row) => [row.slot, row.last]),
      ),
      probation: readProbation(this.#database),
      background: readBackground(this.#database),
      damage,
    }
  }

  /** The newest configuration of this store's slots alone, as it is on the disk. Writes nothing. */
  readNewest(): Snapshot {
    const revision = this.newestRevision()
    const snapshot = this.#snapshotFrom(this.#items.read(this.#slots.keys()), revision)
    if (!snapshot) throw new Error('a stored item is damaged')
    return snapshot
  }

  #upgrade(history: HistoryUpgrader, stored: readonly StoredChange[]): ChangeSet {
    return this.#sealer.changes(history.upgrade(stored), stored)
  }

  #refuseNewer(key: string, version: number): void {
    const slot = this.#slots.get(key)
    if (slot) refuseNewer(slot, version)
  }

  /**
   * All or nothing; each row has its own version, so that this can be repeated safely. A full disk does not prevent the
   * gateway from starting: the values are upgraded again at the next start.
   */
  #writeBack(outdated: readonly Outdated[]): void {
    if (outdated.length === 0) return
    try {
      this.#database.transact(() => {
        for (const { row, value } of outdated) this.#putItem(row.slot, row.id, row.position, value)
      })
    } catch (error) {
      if (!isUnavailable(error)) throw error
    }
  }

  #emptySnapshot(): Snapshot {
    const config: Record<string, unknown> = {}
    const positions: Record<string, readonly number[]> = {}
    for (const slot of this.#slots.values()) {
      config[slot.key] = slot.initial
      if (slot.kind === 'list') positions[slot.key] = slot.initial.map((_, index) => index + 1)
    }
    return { revision: 0, config, positions }
  }

  /**
   * Null when the checksum of a row or of its splices does not match. Rows of slots this release does not know stay stored
   * and are skipped here; those of an older version are upgraded and added to `outdated`. Without that list nothing is going
   * to be written.
   */
  #snapshotFrom({ rows, chains }: StoredRows, revision: number, outdated?: Outdated[]): Snapshot | null {
    const empty = this.#emptySnapshot()
    const config: Record<string, unknown> = { ...empty.config }
    const positions: Record<string, readonly number[]> = { ...empty.positions }
    const lists = new Map<string, { items: unknown[]; positions: number[] }>()
    for (const row of rows) {
      if (!itemChecksum(row).equals(row.checksum)) return null
      const stored = readItem(row, chains, this.#texts)
      if (stored === undefined) return null
      const slot = this.#slots.get(row.slot)
      if (!slot) continue
      refuseNewer(slot, row.version)
      const value = this.#sealer.value(slot, row.version, itemIdOf(row.id), upgradeRow(slot, row, stored))
      if (row.version < versionOf(slot)) outdated?.push({ row, value })
      else if (outdated) this.#items.follow(row, chains, value)
      if (slot.kind === 'single') {
        config[slot.key] = value
        continue
      }
      const list = lists.get(slot.key) ?? { items: [], positions: [] }
      list.items.push(value)
      list.positions.push(row.position)
      lists.set(slot.key, list)
    }
    for (const { slot } of this.#database.prepare<{ slot: string }>('SELECT slot FROM slots').all()) {
      // A list that was ever changed is exactly what is stored, even if empty; others have their initial items.
      if (this.#slots.get(slot)?.kind === 'list' && !lists.has(slot)) lists.set(slot, { items: [], positions: [] })
    }
    for (const [key, list] of lists) {
      config[key] = list.items
      positions[key] = list.positions
    }
    return { revision, config, positions }
  }

  /** Replays the hash-linked history; stops before the first revision whose hash does not match. */
  #rebuild(damage: SaidText[]): Snapshot {
    const versions: Versions = new Map()
    const base = this.#base.read(this.#emptySnapshot(), versions)
    if (!base) {
      throw new Error(
        `Stored items and the base of the history (revision ${this.#base.revision}) are damaged. Restore a backup in a new state folder.`,
      )
    }
    let snapshot = base
    let hash = this.#base.hash
    const history = new HistoryUpgrader(this.#slots, this.#findBase)
    const rows = this.#database
      .prepare<RevisionRow>(
        'SELECT revision, time, author, address, reason, changes, hash FROM revisions ORDER BY revision',
      )
      .all()
    for (const row of rows) {
      const expected = revisionHash(hash, row, row.changes)
      if (!expected.equals(row.hash)) {
        damage.push(
          say`Revision ${row.revision} is damaged; the configuration of revision ${snapshot.revision} is in use.`,
        )
        break
      }
      try {
        const changes = this.#upgrade(history, this.#parse(row.changes))
        snapshot = applyChanges(snapshot, changes, row.revision)
        noteVersions(versions, changes)
      } catch (error) {
        if (error instanceof NewerDataError) throw error
        damage.push(say`Revision ${row.revision} cannot be replayed: ${(error as Error).message}.`)
        break
      }
      hash = row.hash
    }
    const isWhole = damage.length === 0
    if (isWhole) damage.push(say`Stored items were damaged and have been rebuilt from the revisions.`)
    const newest = rows.at(-1)?.revision ?? 0
    this.#database.transact(() => {
      this.#items.removeAll()
      this.#database
        .prepare('INSERT INTO damaged_revisions SELECT * FROM revisions WHERE revision > ?')
        .run(snapshot.revision)
      this.#database.prepare('DELETE FROM revisions WHERE revision > ?').run(snapshot.revision)
      for (const key of Object.keys(snapshot.config)) this.#putWholeSlot(key, snapshot, versions)
      if (isWhole) return
      // Numbers are never reused, and the machine must not refuse the older state as an outdated plan.
      const repair = {
        revision: newest + 1,
        time: new Date().toISOString(),
        author: 'system',
        address: '127.0.0.1',
        reason: `Recovered from damage: back to revision ${snapshot.revision}`,
        changes: [],
      }
      hash = this.#writeRevision(hash, repair)
      snapshot = { ...snapshot, revision: repair.revision }
    })
    this.#headHash = hash
    return snapshot
  }

  /** Also slots that this release does not know, in the version they have: another release may need them again. */
  #putWholeSlot(key: string, snapshot: Snapshot, versions: Versions): void {
    const value = snapshot.config[key]
    if (value === this.#slots.get(key)?.initial) return
    const versionAt = (id: string): number | undefined => versions.get(placeOf(key, id))
    if (!Array.isArray(value)) {
      this.#putItem(key, '', 0, value, versionAt(''))
      return
    }
    const positions = snapshot.positions[key] ?? []
    value.forEach((item: Item, index) => {
      const id = idText(item.id)
      this.#putItem(key, id, positions[index] ?? index + 1, item, versionAt(id))
    })
  }

  #putItem(slot: string, id: string, position: number, value: unknown, version = this.#versionOf(slot)): void {
    this.#items.put({ slot, id, position, version }, value)
  }

  /** Writes what is long of these revisions before their commit, with others in between; undefined when nothing is. */
  stage(revisions: readonly Revision[], urgency: Urgency): Promise<void> | undefined {
    return this.#staged.stage(revisions, urgency)
  }

  /** Whether something is stored that no revision and no item needs. */
  hasUnused(): boolean {
    return this.#texts.hasUnused()
  }

  /** Removes some of it. */
  removeUnused(): void {
    this.#texts.removeSome()
  }

  #versionOf(key: string): number {
    const slot = this.#slots.get(key)
    return slot ? versionOf(slot) : 1
  }

  /** Writes revisions in order, in the caller's transaction or a separate one. Durable when the transaction is. */
  commit(commit: Commit): void {
    const headHash = this.#database.transact(() => {
      let hash = this.#headHash
      for (const revision of commit.revisions) hash = this.#writeRevision(hash, revision)
      for (const [slot, last] of Object.entries(commit.sequences)) {
        this.#database
          .prepare(
            'INSERT INTO sequences (slot, last) VALUES (?, ?) ON CONFLICT (slot) DO UPDATE SET last = excluded.last',
          )
          .run(slot, last)
      }
      if (commit.probation !== undefined) writeProbation(this.#database, commit.probation)
      if (commit.background) writeBackground(this.#database, commit.background)
      return hash
    })
    this.#headHash = headHash
    if (commit.revisions.length > 0) this.#texts.giveUpOthers()
  }

  #writeRevision(parent: Uint8Array, revision: Revision): Uint8Array {
    const touched = new Set(revision.changes.map((change) => change.slot))
    for (const slot of touched) this.#putFirstItems(slot)
    for (const change of revision.changes) this.#writeChange(change, this.#staged.itemOf(revision, change))
    const long = this.#staged.changesOf(revision)
    const changes = long?.reference ?? JSON.stringify(revision.changes.map((change) => this.#toStored(change)))
    const hash = revisionHash(parent, revision, changes)
    if (this.#size) {
      const { revisions, bytes } = this.#size
      this.#size = { revisions: revisions + 1, bytes: bytes + bytesOf(changes) }
    }
    this.#database
      .prepare('INSERT INTO revisions (revision, time, author, address, reason, changes, hash) VALUES (?,?,?,?,?,?,?)')
      .run(revision.revision, revision.time, revision.author, revision.address, revision.reason, changes, hash)
    for (const slot of touched) {
      this.#database
        .prepare(
          `INSERT INTO slots (slot, revision, version) VALUES (?, ?, ?)
           ON CONFLICT (slot) DO UPDATE SET revision = excluded.revision, version = excluded.version`,
        )
        .run(slot, revision.revision, this.#versionOf(slot))
    }
    return hash
  }

  /** Initial values of a release are not in the history; their first change is stored whole, as a base for later ones. */
  #toStored(change: SplicedChange): StoredChange {
    const slot = this.#slots.get(change.slot)
    const initial = slot?.kind === 'list' ? slot.initial.find(({ id }) => id === change.id) : slot?.initial
    const stored = isDeepStrictEqual(change.before, initial) ? change : spliceLists(change)
    const version = this.#versionOf(change.slot)
    return version === 1 ? stored : { ...stored, version }
  }

  /** The first change of a list stores all of it, including the initial items that did not change. */
  #putFirstItems(key: string): void {
    const slot = this.#slots.get(key)
    if (slot?.kind !== 'list' || slot.initial.length === 0) return
    if (this.#database.prepare('SELECT slot FROM slots WHERE slot = ?').get(key)) return
    slot.initial.forEach((item, index) => {
      this.#putItem(key, idText(item.id), index + 1, item)
    })
  }

  #writeChange(change: Change, long: LongText | undefined): void {
    const { slot, after } = change
    const id = idText(change.id)
    if (after === null) this.#items.remove(slot, id)
    else if (long) this.#items.put({ slot, id, position: change.to ?? 0, version: this.#versionOf(slot) }, after, long)
    else if (!this.#items.splice(change)) this.#putItem(slot, id, change.to ?? 0, after)
  }

  /** After a rollback the chain continues from what is on disk. */
  #reloadHead(): void {
    const row = this.#database.prepare('SELECT hash FROM revisions ORDER BY revision DESC LIMIT 1').get() as
      | { hash: Uint8Array }
      | undefined
    this.#headHash = row?.hash ?? this.#base.hash
    this.#size = null
  }

  readonly #findBase: FindBase = (slot, id) => this.#base.find(slot, id)

  /** Revisions up to this one are no longer kept; 0: all are. */
  get removedUpTo(): number {
    return this.#base.revision
  }

  /** How many revisions are kept, and the bytes of their change sets. */
  get size(): HistorySize {
    this.#size ??= countHistory(this.#database)
    return this.#size
  }

  /** The newest revision to remove so that the history fits the limits, with `least` revisions kept; 0: it fits. */
  surplus(limits: HistorySize, least: number): number {
    return surplusOf(this.#database, this.size, limits, least)
  }

  /**
   * Makes the removal of the oldest revisions up to this one ready, `most` at a time but at least one, with others in between. A
   * damaged revision must stay as evidence, with all that follow it.
   */
  async foldOldest(upTo: number, most: HistorySize, slices = createSlices()): Promise<Fold> {
    const rows = this.#database
      .prepare<RevisionRow>(
        `SELECT revision, time, author, address, reason, changes, hash FROM revisions WHERE revision <= ?
         ORDER BY revision`,
      )
      .all(Math.min(upTo, endOfOldest(this.#database, most)))
    const fold = new Fold(this.#base, this.#slots, this.#texts)
    const history = new HistoryUpgrader(this.#slots, fold.find)
    await fold.add(rows, (stored) => this.#upgrade(history, stored), slices)
    return fold
  }

  /**
   * Removes revisions that were made ready; what they did stays in the base. Returns the last one removed, null when there is
   * none. In the transaction of the caller.
   */
  remove(fold: Fold): number | null {
    if (fold.revision === fold.from || fold.from !== this.#base.revision) return null
    this.#base.save(fold)
    this.#size &&= sizeWithout(this.#database, this.#size, fold.revision)
    this.#database.prepare('DELETE FROM revisions WHERE revision <= ?').run(fold.revision)
    this.#texts.noteUnused()
    return fold.revision
  }

  listRevisions(limit: number, offset: number): RevisionInfo[] {
    return this.#database
      .prepare<RevisionInfo>(
        'SELECT revision, time, author, address, reason FROM revisions ORDER BY revision DESC LIMIT ? OFFSET ?',
      )
      .all(limit, offset)
  }

  newestRevision(): number {
    const row = this.#database.prepare('SELECT max(revision) AS newest FROM revisions').get() as {
      newest: number | null
    }
    return row.newest ?? 0
  }

  /** Whether it is kept. Revision 0, the state before the first change, is as long as no revision was removed. */
  hasRevision(revision: number): boolean {
    if (revision === 0) return this.#database.prepare('SELECT revision FROM base').get() === undefined
    return this.#database.prepare('SELECT revision FROM revisions WHERE revision = ?').get(revision) !== undefined
  }

  /** Numbers of the revisions after one and up to another, oldest first. */
  revisionsBetween(after: number, upTo: number): number[] {
    return this.#database
      .prepare<{ revision: number }>(
        'SELECT revision FROM revisions WHERE revision > ? AND revision <= ? ORDER BY revision',
      )
      .all(after, upTo)
      .map(({ revision }) => revision)
  }

  /** findRevision() of a long one, read with others in between. */
  async loadRevision(revision: number, slices: () => Promise<void> | undefined): Promise<Revision | null> {
    const row = this.#database.prepare('SELECT changes FROM revisions WHERE revision = ?').get(revision)
    if (typeof row?.changes === 'string') await this.#texts.load(row.changes, slices)
    await slices()
    try {
      return this.findRevision(revision)
    } finally {
      this.#texts.unload()
    }
  }

  findRevision(revision: number): Revision | null {
    const row = this.#database
      .prepare<RevisionRow>('SELECT revision, time, author, address, reason, changes FROM revisions WHERE revision = ?')
      .get(revision)
    if (!row) return null
    const [changes = []] = this.#upgradeHistory([row.changes], revision)
    return { ...row, changes }
  }

  /** Change sets after `revision`, newest first: what must be undone to return to it. */
  changesSince(revision: number): ChangeSet[] {
    const rows = this.#database
      .prepare<{ revision: number; changes: string }>(
        'SELECT revision, changes FROM revisions WHERE revision > ? ORDER BY revision',
      )
      .all(revision)
    const texts = rows.map(({ changes }) => changes)
    return this.#upgradeHistory(texts, rows.at(-1)?.revision ?? 0).toReversed()
  }

  /** `texts` are the change sets of the last revisions up to `newest`, oldest first. */
  #upgradeHistory(texts: readonly string[], newest: number): ChangeSet[] {
    const database = this.#database
    const parse = (text: string): StoredChange[] => this.#parse(text)
    const all = function* () {
      const statement = database.prepare('SELECT changes FROM revisions WHERE revision <= ? ORDER BY revision')
      for (const { changes } of statement.iterate(newest) as Iterable<{ changes: string }>) yield parse(changes)
    }
    const stored = texts.map(parse)
    return upgradeHistory(this.#slots, stored, all, this.#findBase).map((changes, at) =>
      this.#sealer.changes(changes, stored[at] ?? []),
    )
  }

  #parse(stored: string): StoredChange[] {
    const text = this.#texts.read(stored)
    if (text === null) throw new Error('a part of the change set is damaged or missing')
    return JSON.parse(text) as StoredChange[]
  }
}
