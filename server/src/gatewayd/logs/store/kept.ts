// What the writer of the log knows of its file: blocks and batches of each kind, which of them are joined, and which go first when
// there is no room.

import { type LogKindName, logKinds } from '../../../domain/logs/kinds.ts'
import type { KindState } from '../../../domain/logs/store.ts'
import type { BlockRow } from './packed-block.ts'

export interface Batch {
  readonly id: number
  readonly records: number
  readonly oldest: number
  readonly newest: number
  readonly bytes: number
}

export interface Kept {
  readonly blocks: BlockRow[]
  readonly batches: Batch[]
}

export class DamagedFileError extends Error {}

/** SQLite: the file is malformed, or is not a database. */
const damageCodes: ReadonlySet<number> = new Set([11, 26])

export function isDamage(error: unknown): boolean {
  if (error instanceof DamagedFileError) return true
  const code = (error as { errcode?: number }).errcode
  return code !== undefined && damageCodes.has(code & 0xff)
}

const bytesOf = ({ blocks, batches }: Kept): number =>
  blocks.reduce((sum, { bytes }) => sum + bytes, 0) + batches.reduce((sum, { bytes }) => sum + bytes, 0)

export function replace<T>(list: T[], isKept: (one: T) => boolean): void {
  list.splice(0, list.length, ...list.filter(isKept))
}

/** Blocks that follow each other, are each at most half of a whole one, and fill one together or have a whole one after them. */
export function joinable(blocks: readonly BlockRow[], size: number): readonly BlockRow[] {
  let run: BlockRow[] = []
  let sum = 0
  for (const block of blocks) {
    const isSmall = block.records <= size / 2
    if (!isSmall || sum + block.records > size) {
      if (run.length > 1) return run
      run = []
      sum = 0
    }
    if (!isSmall) continue
    run.push(block)
    sum += block.records
  }
  return sum === size ? run : []
}

/** The kind that takes most beyond its part of the room. */
export function mostAboveShare(kinds: ReadonlyMap<LogKindName, Kept>, maxBytes: number): LogKindName | null {
  const above = [...kinds]
    .map(([kind, kept]) => ({ kind, kept, bytes: bytesOf(kept) - (maxBytes * logKinds[kind].share) / 100 }))
    .filter(({ kept }) => kept.blocks.length + kept.batches.length > 0)
    .sort((a, b) => b.bytes - a.bytes)
  return above[0]?.kind ?? null
}

export function stateOf(kind: LogKindName, kept: Kept): KindState {
  const all = [...kept.blocks, ...kept.batches]
  const oldest = all.reduce((least, one) => Math.min(least, one.oldest), Infinity)
  return {
    kind,
    records: all.reduce((sum, { records }) => sum + records, 0),
    bytes: bytesOf(kept),
    oldest: all.length > 0 ? Math.floor(oldest / 1_000_000) : null,
  }
}
