// Live sets: elements that come and go without a plan. Changes take turns with loads, so that a reload of a table takes every
// element along; only the traffic of these milliseconds can add one in the meantime, and then does so again with its next packet.

import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { LiveChange, LiveElement, LiveOutcome, LiveReading, NftPiece } from '../../core/plan/artifacts.ts'
import { deviceForm } from '../../engines/kit/tables.ts'
import { type Log, wordsOf } from '../../engines/kit/text.ts'
import { Refusal } from '../../engines/kit/values.ts'
import {
  countElements,
  type KeyPart,
  keyPartsOf,
  type LiveChanged,
  type LiveSetChange,
  type PackedElements,
  packElements,
  printElement,
  unpackElement,
  unpackElements,
} from '../kernel/live-elements.ts'
import type { NftKernel } from '../kernel/nft-kernel.ts'
import type { Watch } from '../loaded/watch.ts'
import type { TableChange } from '../nft-script.ts'
import { indexPieces, isLively } from '../pieces.ts'
import { liveKeyOf } from './requests.ts'

/** The parts of a key, in the order of the kernel. */
const partsOf = {
  host: ['ipv4_addr'],
  pair: ['ipv4_addr', 'ether_addr'],
  seen: ['ipv4_addr', 'ether_addr', 'ifname'],
} as const

/** So many elements are made into objects before others get a turn. */
const elementsAtOnce = 2000
const staleAttempts = 3

interface LiveParts {
  readonly kernel: NftKernel
  /** Live sets are of this table. */
  readonly table: string
  readonly watch: Pick<Watch, 'followElements'>
  readonly held: ReadonlyMap<string, readonly NftPiece[]>
  readonly isOff: boolean
  readonly log: Log
}

/** `changes` with the elements of the kernel, and whether elements of a set that stays cannot be among them. */
export interface CarriedChanges {
  readonly changes: readonly TableChange[]
  readonly isLossy: boolean
}

export class Live {
  readonly #parts: LiveParts
  #epoch: string = randomUUID()
  #last: Promise<unknown> = Promise.resolve()

  constructor(parts: LiveParts) {
    this.#parts = parts
  }

  /** Loads and changes, one at a time, in the order of arrival. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => {})
    return turn
  }

  /** Elements were lost, or may have been. */
  renewEpoch(): void {
    this.#epoch = randomUUID()
  }

  change(changes: readonly LiveChange[]): Promise<LiveOutcome> {
    if (!this.#isLoaded()) return Promise.resolve({ epoch: this.#epoch, missing: changes.map(({ set }) => set) })
    return this.inTurn(async () => {
      const wanted = changes.map(packChange)
      const { outcome, missing, full } = await this.#changeOnce(wanted)
      if (outcome !== 'full') return { epoch: this.#epoch, missing }
      // To add what is removed needs room: what is there is looked up instead.
      const again = await this.#changeOnce(await this.#exactly(wanted, new Set(full)))
      if (again.outcome === 'full') throw new Refusal(`The live set ${again.full.join(', ')} is full.`)
      return { epoch: this.#epoch, missing: again.missing }
    })
  }

  async read(sets: readonly string[]): Promise<LiveReading> {
    const asked = new Map(sets.map((set) => [set, partsOf[liveKeyOf(set) ?? 'host']] as const))
    const began = this.#epoch
    const found = this.#isLoaded() ? await this.#readSets(asked) : new Map()
    const read: Record<string, LiveElement[]> = {}
    for (const [set, elements] of found) read[set] = await toElements(elements)
    // What was read before a loss is not of the new epoch.
    return { epoch: began, sets: read }
  }

  /** Does the loaded table have one of these sets? */
  declares(sets: readonly string[]): boolean {
    const pieces = this.#parts.isOff ? undefined : this.#parts.held.get(this.#parts.table)
    return pieces !== undefined && sets.some((set) => indexPieces(pieces).has(`set ${set}`))
  }

  /** Before a load: tables that are loaded in full get the elements of their live sets, in the same transaction. */
  async carry(changes: readonly TableChange[]): Promise<CarriedChanges> {
    const full = changes.find((one) => one.table === this.#parts.table && !one.difference && one.wanted.length > 0)
    if (!full || this.#parts.isOff) return { changes, isLossy: false }
    const { kept, isLossy } = await this.withElements(full.wanted)
    return { changes: changes.map((one) => (one === full ? { ...one, wanted: kept } : one)), isLossy }
  }

  /** The pieces with the elements that the kernel has in live sets of the same head. */
  async withElements(wanted: readonly NftPiece[]) {
    const before = this.#parts.held.get(this.#parts.table)
    const old = before && indexPieces(before)
    const isSame = (piece: NftPiece): boolean => !old || old.get(`set ${piece.name}`)?.head === piece.head
    const counting = countingSets(wanted)
    const isCarried = (piece: NftPiece): boolean => isLively(piece) && !counting.has(piece.name)
    const lively = wanted.filter((piece) => piece.kind === 'set' && isCarried(piece) && keyPartsOf(piece.head))
    const sets = new Map<string, readonly KeyPart[]>()
    for (const piece of lively.filter(isSame)) {
      const parts = keyPartsOf(piece.head)
      if (parts) sets.set(piece.name, parts)
    }
    let found: ReadonlyMap<string, PackedElements> = new Map()
    try {
      if (sets.size > 0) found = await this.#readSets(sets)
    } catch (fault) {
      this.#parts.log('error', 'The elements of live sets cannot be read and are lost', { reason: wordsOf(fault) })
    }
    const isLossy = lively.some(({ name }) => (!old || old.has(`set ${name}`)) && !found.has(name))
    const kept = wanted.map((piece) => {
      const elements = piece.kind === 'set' ? found.get(piece.name) : undefined
      const lines = elements ? printAll(elements, /\btimeout\b/.test(piece.head)) : []
      return lines.length > 0 ? { ...piece, parts: [{ lines, hash: '' }] } : piece
    })
    return { kept, isLossy }
  }

  epoch = (): string => this.#epoch

  readonly #isLoaded = (): boolean => !this.#parts.isOff && this.#parts.held.has(this.#parts.table)

  #readSets(sets: ReadonlyMap<string, readonly KeyPart[]>): Promise<ReadonlyMap<string, PackedElements>> {
    return this.#parts.kernel.readLive(this.#parts.table, sets)
  }

  /** The generation says that nothing else was changed, so that no table is listed because of our own change. */
  async #changeOnce(changes: readonly LiveSetChange[]): Promise<LiveChanged> {
    const { kernel, table, watch } = this.#parts
    for (let attempt = 1; ; attempt += 1) {
      const before = await kernel.generation()
      const changed = await kernel.changeLive(table, changes, attempt === staleAttempts ? null : before)
      if (changed.outcome === 'stale') continue
      if (changed.outcome === 'changed' && before !== null) watch.followElements(before, await kernel.generation())
      return changed
    }
  }

  async #exactly(changes: readonly LiveSetChange[], full: ReadonlySet<string>): Promise<LiveSetChange[]> {
    const concerned = changes.filter(({ set }) => full.has(set))
    const present = await this.#readSets(new Map(concerned.map(({ set, add }) => [set, add.parts])))
    return changes.map((one) => {
      const elements = full.has(one.set) ? present.get(one.set) : undefined
      if (!elements) return one
      const keys = new Set(unpackElements(elements).map(({ key }) => key.join()))
      const touched = [...unpackElements(one.remove), ...unpackElements(one.add)]
      const there = touched.filter(({ key }) => keys.has(key.join()))
      return { ...one, remove: packElements(one.remove.parts, there), isExact: true }
    })
  }
}

/** Of a key that is named twice the last one counts, and what is added wins over what is removed. */
function packChange({ set, add, remove }: LiveChange): LiveSetChange {
  const parts = partsOf[liveKeyOf(set) ?? 'host']
  const keyOf = ({ address, mac, device }: LiveElement) => [address, mac ?? '', device ?? ''].slice(0, parts.length)
  const added = new Map(add.map((element) => [keyOf(element).join(), element]))
  const removed = new Map(remove.map((element) => [keyOf(element).join(), element]))
  for (const key of added.keys()) removed.delete(key)
  const pack = (elements: Iterable<LiveElement>): PackedElements =>
    packElements(
      parts,
      [...elements].map((element) => ({
        key: keyOf(element),
        timeoutMs: element.seconds === null ? null : element.seconds * 1000,
        leftMs: null,
      })),
    )
  return { set, add: pack(added.values()), remove: pack(removed.values()), isExact: false }
}

async function toElements(packed: PackedElements): Promise<LiveElement[]> {
  const elements: LiveElement[] = []
  for (let at = 0; at < countElements(packed); at += 1) {
    if (at > 0 && at % elementsAtOnce === 0) await setImmediate()
    const { key, leftMs } = unpackElement(packed, at)
    const [address = '', mac = null, device = null] = key
    // There is no device of ours with another name.
    if (device !== null && !deviceForm.test(device)) continue
    elements.push({ address, mac, device, seconds: leftMs === null ? null : Math.ceil(leftMs / 1000) })
  }
  return elements
}

/** A set without times takes no element with one, which would refuse the whole load. */
function printAll(elements: PackedElements, hasTimes: boolean): string[] {
  const values = unpackElements(elements).filter(({ timeoutMs }) => hasTimes || timeoutMs === null)
  return values.flatMap((value) => printElement(elements.parts, value) ?? [])
}

/**
 * Sets whose elements carry a state that only rules give them, such as a rate: an element without it matches always. Nothing can restore
 * that state, so these elements are never written.
 */
const countingSets = (pieces: readonly NftPiece[]): ReadonlySet<string> =>
  new Set(
    pieces
      .filter(({ kind }) => kind === 'chain')
      .flatMap(({ parts }) =>
        parts.flatMap(({ lines }) => lines.flatMap((line) => line.match(countingForm)?.[1] ?? [])),
      ),
  )
const countingForm = /\b(?:add|update) @(\w+) \{[^}]*\b(?:limit rate|ct count|quota|counter)\b/
