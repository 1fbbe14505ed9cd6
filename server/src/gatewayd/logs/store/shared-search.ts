// A search through texts in two parts, so that two threads share it: one looks at places up to some place, the other one at those
// after it. Both leave out what came after the search began, so that they look at the same records together.

import type { Condition } from '../../../core/contract/table-query.ts'
import type { LogKindName } from '../../../domain/logs/kinds.ts'
import type { Block, BlockRange } from './block.ts'
import type { BlockTest, Selection } from './block-test.ts'
import { sizeOf } from './conditions.ts'

/** Only records after a place, up to another one. */
export interface PlaceRange {
  readonly after: number
  readonly upTo: number
}

/** Fewer records are not worth a second thread. */
const leastShared = 200_000

/** Whether texts are looked through, which takes longest. */
export function hasSearch(where: Condition): boolean {
  switch (where.kind) {
    case 'all':
    case 'any':
      return where.of.some(hasSearch)
    case 'not':
      return hasSearch(where.of)
    default:
      return where.kind === 'contains'
  }
}

/** Ranges with about as many records each. */
export function shareOf(blocks: readonly BlockRange[], upTo: number): readonly PlaceRange[] {
  const whole = { after: 0, upTo }
  const total = blocks.reduce((sum, { records }) => sum + records, 0)
  if (total < leastShared) return [whole]
  let before = 0
  for (const { records, last } of blocks.toSorted((a, b) => a.last - b.last)) {
    before += records
    if (before < total / 2) continue
    return last < upTo
      ? [
          { after: 0, upTo: last },
          { after: last, upTo },
        ]
      : [whole]
  }
  return [whole]
}

export function testWithin(test: BlockTest, { after, upTo }: PlaceRange): BlockTest {
  const isOutside = ({ first, last }: Block): boolean => last <= after || first > upTo
  const isInside = ({ first, last }: Block): boolean => first > after && last <= upTo
  const select = (block: Block): Selection => {
    if (isOutside(block)) return false
    const selected = test.select(block)
    if (selected === false || isInside(block)) return selected
    const found = selected === true ? new Uint8Array(block.records).fill(1) : selected
    for (let at = 0; at < found.length; at++) {
      const place = block.placeAt(at)
      if (place <= after || place > upTo) found[at] = 0
    }
    return found
  }
  const count = (block: Block): number => {
    if (isOutside(block)) return 0
    return isInside(block) ? test.count(block) : sizeOf(select(block), block)
  }
  return { select, count }
}

interface Page {
  readonly total: number
  readonly rows: { readonly kinds: readonly LogKindName[]; readonly places: Float64Array; readonly times: Float64Array }
}

/** The pages of parts, each from its first row on, as one. */
export function joinPages(pages: readonly Page[], offset: number, limit: number): Page {
  const rows = pages
    .flatMap(({ rows: { kinds, places, times } }) =>
      kinds.map((kind, at) => ({ kind, place: places[at] as number, time: times[at] as number })),
    )
    .sort((a, b) => b.time - a.time || b.place - a.place)
    .slice(offset, offset + limit)
  return {
    total: pages.reduce((sum, { total }) => sum + total, 0),
    rows: {
      kinds: rows.map(({ kind }) => kind),
      places: Float64Array.from(rows, ({ place }) => place),
      times: Float64Array.from(rows, ({ time }) => time),
    },
  }
}
