// Sums over the records of blocks: by stretches of time and by the values of a column. Values that many records share are
// looked up once for each block, and only so many different values are held at a time.

import type { Cell } from '../../../core/contract/table-query.ts'
import { clockOf } from '../../../domain/logs/show.ts'
import type { SumQuestion, SumRow, Sums } from '../../../domain/logs/store.ts'
import type { View } from '../../../domain/logs/view.ts'
import type { Block } from './block.ts'
import type { BlockTest } from './block-test.ts'
import { type CellReader, cellReader } from './ordered.ts'

/** Different values of all stretches together. With more, the half with the least is left out. */
const mostValues = 200_000

const second = 1_000_000

interface Sum {
  records: number
  readonly sums: Float64Array
}

type Asked = Pick<SumQuestion, 'scope' | 'bounds' | 'by' | 'ends' | 'sums' | 'order' | 'limit'>

export function sumBlocks(
  blocks: readonly Block[],
  test: BlockTest,
  view: View,
  asked: Asked,
  most: number = mostValues,
): Sums {
  const { bounds, by, ends, sums, scope } = asked
  const [first, last] = [(bounds[0] ?? 0) * second, (bounds.at(-1) ?? 0) * second]
  const stretches: Map<string, Sum>[] = bounds.slice(1).map(() => new Map())
  const sizeOf = sizeIn(asked)
  const offsetAt = clockOf(scope)
  const readerOf = (block: Block, name: string): CellReader =>
    cellReader(block, Object.hasOwn(view.columns, name) ? view.columns[name] : undefined, scope, offsetAt)
  let held = 0
  let isComplete = true
  for (const block of blocks) {
    if (block.newest < first || block.oldest >= last) continue
    const selected = test.select(block)
    if (selected === false) continue
    const times = block.times()
    const valuesAt = valueReader(by === null ? () => '' : readerOf(block, by), ends)
    const readers = sums.map((name) => readerOf(block, name))
    for (let at = 0; at < block.records; at++) {
      if (selected !== true && selected[at] !== 1) continue
      const time = times[at] as number
      if (time < first || time >= last) continue
      const stretch = stretches[stretchAt(bounds, time / second)] as Map<string, Sum>
      for (const value of valuesAt(at)) {
        let sum = stretch.get(value)
        if (!sum) {
          sum = { records: 0, sums: new Float64Array(sums.length) }
          stretch.set(value, sum)
          held++
        }
        sum.records++
        for (let index = 0; index < readers.length; index++)
          sum.sums[index] = (sum.sums[index] as number) + (Number((readers[index] as CellReader)(at)) || 0)
      }
      if (held > most) {
        held = dropSmallest(stretches, sizeOf, most / 2)
        isComplete = false
      }
    }
  }
  return { rows: stretches.flatMap((stretch, at) => largestOf(stretch, at, sizeOf, asked.limit)), isComplete }
}

/** The index of the stretch that a time, in seconds, belongs to. */
function stretchAt(bounds: readonly number[], time: number): number {
  let [low, high] = [0, bounds.length - 1]
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if (time >= (bounds[middle] as number)) low = middle
    else high = middle
  }
  return low
}

/** The values that a record is summed for. Lists are taken apart once for each different cell. */
function valueReader(read: CellReader, ends: string | null): (at: number) => readonly string[] {
  const known = new Map<Cell, readonly string[]>()
  return (at) => {
    const cell = read(at)
    const found = known.get(cell)
    if (found) return found
    const text = String(cell)
    const values = ends === null || text === '' ? [text] : [...new Set(text.split(ends).slice(0, -1))]
    known.set(cell, values)
    return values
  }
}

function sizeIn({ order, sums }: Asked): (sum: Sum) => number {
  const index = sums.indexOf(order)
  return index < 0 ? ({ records }) => records : ({ sums: own }) => own[index] ?? 0
}

/** How many are left. */
function dropSmallest(stretches: readonly Map<string, Sum>[], sizeOf: (sum: Sum) => number, kept: number): number {
  const sizes = Float64Array.from(
    stretches.flatMap((stretch) => [...stretch.values()]),
    sizeOf,
  ).sort()
  const least = sizes[Math.max(0, sizes.length - kept)] ?? 0
  let left = 0
  for (const stretch of stretches)
    for (const [value, sum] of stretch) {
      if (sizeOf(sum) > least || (sizeOf(sum) === least && left < kept)) left++
      else stretch.delete(value)
    }
  return left
}

function largestOf(
  stretch: ReadonlyMap<string, Sum>,
  at: number,
  sizeOf: (sum: Sum) => number,
  limit: number,
): readonly SumRow[] {
  return [...stretch]
    .sort(([a, one], [b, other]) => sizeOf(other) - sizeOf(one) || (a < b ? -1 : 1))
    .slice(0, limit)
    .map(([value, { records, sums }]) => ({ at, value, records, sums: [...sums] }))
}
