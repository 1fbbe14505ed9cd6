// Rows newest first: by time, then by place. Blocks are looked at from the newest on, and only as far as the rows need.

import type { LogKindName } from '../../../logs/kinds.ts'
import type { Block } from './block.ts'
import type { BlockTest } from './conditions.ts'

/** A row by what orders it. */
export interface Position {
  readonly time: number
  readonly place: number
}

interface Row extends Position {
  readonly kind: LogKindName
}

export interface NewestQuestion {
  /** Only rows behind this one. */
  readonly after: Position | null
  readonly offset: number
  readonly limit: number
  /** Records with higher places came later and are left out. */
  readonly upTo: number
  /** Whether the total is asked for. */
  readonly isCounted: boolean
}

export interface NewestRows {
  readonly total: number
  readonly rows: { readonly kinds: readonly LogKindName[]; readonly places: Float64Array }
  readonly last: Position | null
}

const newestFirst = (a: Position, b: Position): number => b.time - a.time || b.place - a.place

export function findNewest(blocks: readonly Block[], test: BlockTest, question: NewestQuestion): NewestRows {
  const { after, upTo, limit, isCounted } = question
  const ordered = blocks
    .filter(({ first, oldest }) => first <= upTo && (!after || oldest <= after.time))
    .sort((a, b) => b.newest - a.newest)
  let toSkip = question.offset
  let total = 0
  let open: Row[] = []
  const rows: Row[] = []
  /** Nothing that is still to come is newer than the bound. */
  const settle = (bound: number): void => {
    const settled = open.filter(({ time }) => time > bound)
    if (settled.length === 0) return
    open = open.filter(({ time }) => time <= bound)
    if (settled.length <= toSkip) {
      toSkip -= settled.length
      return
    }
    settled.sort(newestFirst)
    for (const row of settled.slice(toSkip, toSkip + limit - rows.length)) rows.push(row)
    toSkip = 0
  }
  for (const block of ordered) {
    if (rows.length < limit) settle(block.newest)
    if (rows.length >= limit) {
      if (!isCounted) break
      total += test.count(block)
      continue
    }
    const own = rowsOf(block, test, after, upTo)
    total += own.length
    for (const row of own) open.push(row)
  }
  if (rows.length < limit) settle(-Infinity)
  return {
    total,
    rows: { kinds: rows.map(({ kind }) => kind), places: Float64Array.from(rows, ({ place }) => place) },
    last: rows.at(-1) ?? null,
  }
}

function rowsOf(block: Block, test: BlockTest, after: Position | null, upTo: number): Row[] {
  const selected = test.select(block)
  if (selected === false) return []
  const [times, places] = [block.times(), block.places()]
  const { kind } = block
  const rows: Row[] = []
  for (let at = 0; at < block.records; at++) {
    if (selected !== true && selected[at] !== 1) continue
    const [time, place] = [times[at] as number, places[at] as number]
    if (place > upTo) continue
    if (after && (time > after.time || (time === after.time && place >= after.place))) continue
    rows.push({ kind, time, place })
  }
  return rows
}
