// Rows in another order than newest first: the first ones of it, without holding all. Rows that are equal in it are newest first.

import type { Cell, SortItem } from '../../../core/contract/table-query.ts'
import { columnsOf, type StoredColumn } from '../../../domain/logs/kinds.ts'
import { clockOf, shownCell, stampOf } from '../../../domain/logs/show.ts'
import { spanOf, type View, type ViewColumn, type ViewScope } from '../../../domain/logs/view.ts'
import { type Block, timeColumn } from './block.ts'
import type { BlockTest } from './block-test.ts'
import type { NewestRows } from './newest.ts'

interface Row {
  readonly cells: readonly Cell[]
  readonly kind: Block['kind']
  readonly time: number
  readonly place: number
}

/** Rows beyond those that are wanted before they are cut: a part of them, and some when they are few. */
const spareShare = 2
const leastSpare = 1_000

export function findOrdered(
  blocks: readonly Block[],
  test: BlockTest,
  view: View,
  scope: ViewScope,
  order: readonly SortItem[],
  offset: number,
  limit: number,
): NewestRows {
  const wanted = offset + limit
  const mostRows = wanted + Math.max(leastSpare, Math.floor(wanted / spareShare))
  const compareCells = cellComparison(order)
  const compare = (a: Row, b: Row): number =>
    compareCells(a.cells, (index) => b.cells[index] as Cell) || b.time - a.time || b.place - a.place
  const offsetAt = clockOf(scope)
  let rows: Row[] = []
  /** The last one that is wanted so far. */
  let bound: Row | null = null
  let total = 0
  const cut = (): void => {
    rows.sort(compare)
    rows = rows.slice(0, wanted)
    bound = rows.length === wanted ? (rows.at(-1) ?? null) : null
  }
  // Newest first, so that of equal rows most are left out at once.
  for (const block of blocks.toSorted((a, b) => b.newest - a.newest)) {
    const selected = test.select(block)
    if (selected === false) continue
    const [times, places] = [block.times(), block.places()]
    const readers = order.map(({ field }) =>
      cellReader(block, Object.hasOwn(view.columns, field) ? view.columns[field] : undefined, scope, offsetAt),
    )
    for (let at = 0; at < block.records; at++) {
      if (selected !== true && selected[at] !== 1) continue
      total++
      const [time, place] = [times[at] as number, places[at] as number]
      const last = bound as Row | null
      if (last) {
        const ordered = -compareCells(last.cells, (index) => (readers[index] as CellReader)(at))
        if (ordered > 0 || (ordered === 0 && (time < last.time || (time === last.time && place < last.place)))) continue
      }
      rows.push({ cells: readers.map((read) => read(at)), kind: block.kind, time, place })
      if (rows.length >= mostRows) cut()
    }
  }
  cut()
  const page = rows.slice(offset)
  return {
    total,
    rows: {
      kinds: page.map(({ kind }) => kind),
      places: Float64Array.from(page, ({ place }) => place),
      times: Float64Array.from(page, ({ time }) => time),
    },
    last: null,
  }
}

/** The same order as `comparison` of rows (core/contract/table-query.ts); the second row is read as far as it is needed. */
function cellComparison(
  order: readonly SortItem[],
): (cells: readonly Cell[], cellOf: (index: number) => Cell) => number {
  const signs = order.map(({ direction }) => direction === 'asc')
  return (cells, cellOf) => {
    for (let index = 0; index < signs.length; index++) {
      const one = cells[index] as Cell
      const other = cellOf(index)
      if (one === other) continue
      return one < other === signs[index] ? -1 : 1
    }
    return 0
  }
}

export type CellReader = (at: number) => Cell

export function cellReader(
  block: Block,
  column: ViewColumn | undefined,
  scope: ViewScope,
  offsetAt: (seconds: number) => number,
): CellReader {
  const { kind } = block
  switch (column?.from) {
    case undefined:
      return () => ''
    case 'constant':
      return () => column.cell
    case 'stamp': {
      const times = block.times()
      return (at) => stampOf(times[at] as number, offsetAt)
    }
    case 'iso': {
      // Shown times of a length have the order of the times themselves.
      const times = block.times()
      return (at) => Math.floor((times[at] as number) / 1_000)
    }
    case 'microseconds': {
      const times = block.times()
      return (at) => {
        const time = times[at] as number
        return time - Math.floor(time / 1_000_000) * 1_000_000
      }
    }
    case 'id': {
      const places = block.places()
      return (at) => `${kind}.${places[at]}`
    }
    case 'place': {
      const places = block.places()
      return (at) => String(places[at])
    }
    case 'column':
      return storedReader(block, column, scope)
    case 'span': {
      const [since, until] = [column.since, column.until].map((name) =>
        storedReader(block, { from: 'column', column: name }, scope),
      ) as [CellReader, CellReader]
      return (at) => spanOf(Number(since(at)), Number(until(at)), scope)
    }
  }
}

function storedReader(block: Block, column: Extract<ViewColumn, { from: 'column' }>, scope: ViewScope): CellReader {
  const shown = (cell: Cell): Cell => shownCell(column, cell, scope) ?? ''
  if (column.column === timeColumn) {
    const times = block.times()
    return (at) => shown(times[at] as number)
  }
  const stored = storedColumn(block, column.column)
  if (stored.form === 'text') return (at) => shown(block.textAt(stored, at))
  const { entries, codes } = block.words(stored)
  const cells = entries.map(shown)
  return codes ? (at) => cells[codes[at] as number] as Cell : () => cells[0] as Cell
}

/** A column that the kind does not have is empty. */
export const storedColumn = ({ kind }: Block, name: string): StoredColumn =>
  columnsOf(kind).find((one) => one.name === name) ?? { name, form: 'word' }
