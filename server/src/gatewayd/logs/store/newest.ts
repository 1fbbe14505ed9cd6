// Rows newest first: by time, then by place. Blocks are looked at from the newest on, and only as far as the rows need.

import type { LogKindName } from '../../../domain/logs/kinds.ts'
import type { Block } from './block.ts'
import type { BlockTest } from './block-test.ts'

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
  readonly rows: { readonly kinds: readonly LogKindName[]; readonly places: Float64Array; readonly times: Float64Array }
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
  for (const [index, block] of ordered.entries()) {
    if (rows.length < limit) settle(block.newest)
    if (rows.length >= limit) {
      if (!isCounted) break
      total += test.count(block)
      continue
    }
    const isWhole = !after && block.last <= upTo
    if (isWhole && toSkip > 0 && open.length === 0 && block.oldest > (ordered[index + 1]?.newest ?? -Infinity)) {
      // All of its rows come before those of the rest.
      const count = test.count(block)
      if (count <= toSkip) {
        toSkip -= count
        total += count
        continue
      }
    }
    const own = rowsOf(block, test, question, toSkip + limit - rows.length)
    total += own.total
    for (const row of own.rows) open.push(row)
  }
  if (rows.length < limit) settle(-Infinity)
  return {
    total,
    rows: {
      kinds: rows.map(({ kind }) => kind),
      places: Float64Array.from(rows, ({ place }) => place),
      times: Float64Array.from(rows, ({ time }) => time),
    },
    last: rows.at(-1) ?? null,
  }
}

/** Of its rows those that can be among the first ones. */
function rowsOf(
  block: Block,
  test: BlockTest,
  { after, upTo, isCounted }: NewestQuestion,
  most: number,
): { readonly total: number; readonly rows: readonly Row[] } {
  const selected = test.select(block)
  if (selected === false) return { total: 0, rows: [] }
  const times = block.times()
  const { kind, records } = block
  const isRising = isSorted(times)
  const rows: Row[] = []
  let total = 0
  for (let at = records - 1; at >= 0; at--) {
    if (selected !== true && selected[at] !== 1) continue
    const [time, place] = [times[at] as number, block.placeAt(at)]
    if (place > upTo) continue
    if (after && (time > after.time || (time === after.time && place >= after.place))) continue
    total++
    if (!isRising || rows.length < most) rows.push({ kind, time, place })
    else if (!isCounted) break
  }
  return { total, rows }
}

function isSorted(times: Float64Array): boolean {
  for (let at = 1; at < times.length; at++) if ((times[at] as number) < (times[at - 1] as number)) return false
  return true
}
