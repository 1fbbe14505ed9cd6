// The blocks that are being filled, of all kinds: records wait in them until they are on the disk. A kind has more than one only
// while nothing can be stored.

import type { LogKindName } from '../../../domain/logs/kinds.ts'
import type { NewRecord } from '../../../domain/logs/record.ts'
import type { Batch } from './kept.ts'
import { OpenBlock, type OpenBlockSizes } from './open-block.ts'

export class OpenBlocks {
  readonly #sizes: OpenBlockSizes
  readonly #blocks = new Map<LogKindName, OpenBlock[]>()

  constructor(sizes: OpenBlockSizes) {
    this.#sizes = sizes
  }

  of(kind: LogKindName): readonly OpenBlock[] {
    return this.#blocks.get(kind) ?? []
  }

  add(record: NewRecord, place: number): void {
    this.#last(record.kind, 1).add(record, place)
  }

  /** Those that have something which is not on the disk, oldest first within a kind. */
  waiting(): OpenBlock[] {
    return [...this.#blocks.values()].flat().filter(({ stored, length }) => stored < length)
  }

  /** Nothing is added to it any more, so it can be stored as it stays. */
  isComplete(block: OpenBlock): boolean {
    return block.isFull || this.of(block.kind).at(-1) !== block
  }

  /** It is on the disk as a block. */
  remove(block: OpenBlock): void {
    this.#blocks.set(
      block.kind,
      this.of(block.kind).filter((one) => one !== block),
    )
  }

  /** Begins again with batches that are on the disk, and with what waits: records after a place, whose places are moved. */
  restart(
    kind: LogKindName,
    batches: readonly { readonly batch: Batch; readonly records: readonly (NewRecord & { place: number })[] }[],
    after: number,
    shift: number,
  ): void {
    const before = this.of(kind)
    this.#blocks.set(kind, [])
    for (const { batch, records } of batches) {
      const block = this.#last(kind, records.length)
      for (const record of records) block.add(record, record.place)
      block.batches.push(batch)
      block.stored = block.length
    }
    for (const block of before) {
      for (const record of block.records(block.firstAfter(after))) this.add(record, record.place + shift)
    }
  }

  #last(kind: LogKindName, records: number): OpenBlock {
    const own = this.#blocks.get(kind) ?? []
    const last = own.at(-1)
    if (last && last.length + records <= this.#sizes.block) return last
    const block = new OpenBlock(kind, this.#sizes)
    own.push(block)
    this.#blocks.set(kind, own)
    return block
  }
}
