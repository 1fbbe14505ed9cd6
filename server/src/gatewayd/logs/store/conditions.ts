// A condition over the columns of a view as something that can be asked of a block: which of its records fulfil it. Cells that
// many records share are judged once.

import type { Cell, Condition } from '../../../core/contract/table-query.ts'
import { columnsOf, type StoredColumn } from '../../../domain/logs/kinds.ts'
import { clockOf, shownCell, stampOf } from '../../../domain/logs/show.ts'
import type { View, ViewColumn, ViewScope } from '../../../domain/logs/view.ts'
import { type Block, timeColumn } from './block.ts'
import type { BlockTest, Selection } from './block-test.ts'
import type { CellList } from './cell-list.ts'
import { cellReader } from './ordered.ts'
import { separator } from './texts.ts'
import type { Codes } from './words.ts'

interface Test {
  /** What it costs to ask, in order: 0 nothing, 1 numbers of a column, 2 texts. */
  readonly cost: (block: Block) => number
  /** Records that are not among the given ones need not be looked at. */
  readonly select: (block: Block, among: Uint8Array | null) => Selection
  /** How many; null when only selecting them says. */
  readonly count: (block: Block) => number | null
}

export function blockTest(where: Condition, view: View, scope: ViewScope): BlockTest {
  const { only } = view
  const whereTest = testOf(where, view, { ...scope, offsetAt: clockOf(scope) })
  const test = only ? allOf([storedTest(only.column, only.cells), whereTest]) : whereTest
  const select = (block: Block): Selection => test.select(block, null)
  return { select, count: (block) => test.count(block) ?? sizeOf(select(block), block) }
}

export function sizeOf(selection: Selection, { records }: { readonly records: number }): number {
  if (typeof selection === 'boolean') return selection ? records : 0
  let size = 0
  for (let at = 0; at < selection.length; at++) size += selection[at] as number
  return size
}

interface Scope extends ViewScope {
  readonly offsetAt: (seconds: number) => number
}

type Leaf = Exclude<Condition, { readonly kind: 'all' | 'any' | 'not' }>
type Holds = (cell: Cell) => boolean

function testOf(condition: Condition, view: View, scope: Scope): Test {
  switch (condition.kind) {
    case 'all':
      return allOf(condition.of.map((one) => testOf(one, view, scope)))
    case 'any':
      return anyOf(condition.of.map((one) => testOf(one, view, scope)))
    case 'not':
      return notOf(testOf(condition.of, view, scope))
    default: {
      const column = Object.hasOwn(view.columns, condition.column) ? view.columns[condition.column] : undefined
      return leafTest(condition, column ?? { from: 'constant', cell: '' }, scope)
    }
  }
}

function allOf(tests: readonly Test[]): Test {
  if (tests.length === 1) return tests[0] as Test
  return {
    cost: (block) => Math.max(0, ...tests.map((test) => test.cost(block))),
    count: (block) => (tests.length === 0 ? block.records : null),
    select: (block, among) => {
      let left: Selection = true
      for (const test of inOrder(tests, block)) {
        const one = test.select(block, left === true ? among : (left as Uint8Array))
        if (one === false) return false
        if (one === true) continue
        if (left === true) left = one
        else if (!keepBoth(left as Uint8Array, one)) return false
      }
      return left
    },
  }
}

function anyOf(tests: readonly Test[]): Test {
  if (tests.length === 1) return tests[0] as Test
  return {
    cost: (block) => Math.max(0, ...tests.map((test) => test.cost(block))),
    count: () => null,
    select: (block, among) => {
      let found: Selection = false
      for (const test of inOrder(tests, block)) {
        const one = test.select(block, among)
        if (one === true) return true
        if (one === false) continue
        if (found === false) found = one
        else addTo(found as Uint8Array, one)
      }
      return found
    },
  }
}

function notOf(test: Test): Test {
  return {
    cost: test.cost,
    count: (block) => {
      const count = test.count(block)
      return count === null ? null : block.records - count
    },
    select: (block, among) => {
      const one = test.select(block, among)
      if (typeof one === 'boolean') return !one
      for (let at = 0; at < one.length; at++) one[at] = (one[at] as number) ^ 1
      return one
    },
  }
}

const inOrder = (tests: readonly Test[], block: Block): readonly Test[] =>
  tests.length < 2 ? tests : tests.toSorted((a, b) => a.cost(block) - b.cost(block))

function keepBoth(left: Uint8Array, one: Uint8Array): boolean {
  let some = 0
  for (let at = 0; at < left.length; at++) {
    const both = (left[at] as number) & (one[at] as number)
    left[at] = both
    some |= both
  }
  return some === 1
}

function addTo(found: Uint8Array, one: Uint8Array): void {
  for (let at = 0; at < found.length; at++) found[at] = (found[at] as number) | (one[at] as number)
}

function leafTest(condition: Leaf, column: ViewColumn, scope: Scope): Test {
  const holds = holdsOf(condition)
  switch (column.from) {
    case 'constant':
      return constantTest(holds(column.cell))
    case 'stamp':
      return timeTest(condition, (time) => holds(stampOf(time, scope.offsetAt)), evenClock(scope.offsetAt), second)
    case 'iso':
      return timeTest(
        condition,
        (time) => holds(isoOf(time)),
        () => true,
        1_000,
      )
    case 'microseconds':
      return eachTest((block) => {
        const times = block.times()
        return (at) => holds(microsecondsOf(times[at] as number))
      })
    case 'id':
      return placeTest(condition, (block, place) => holds(`${block.kind}.${place}`))
    case 'place':
      return placeTest(condition, (_, place) => holds(String(place)))
    case 'column':
      return columnTest(condition, holds, column, scope)
    case 'span':
      return eachTest((block) => {
        const read = cellReader(block, column, scope, scope.offsetAt)
        return (at) => holds(read(at))
      })
  }
}

const comparisons = {
  '<': (cell: Cell, bound: Cell) => cell < bound,
  '<=': (cell: Cell, bound: Cell) => cell <= bound,
  '>': (cell: Cell, bound: Cell) => cell > bound,
  '>=': (cell: Cell, bound: Cell) => cell >= bound,
} as const

function holdsOf(condition: Leaf): Holds {
  switch (condition.kind) {
    case 'contains':
      return (cell) => {
        const text = String(cell).toLowerCase()
        return condition.texts.some((wanted) => text.includes(wanted))
      }
    case 'equals': {
      const cells = new Set(condition.cells)
      return (cell) => cells.has(cell)
    }
    case 'compare': {
      const compare = comparisons[condition.operator]
      return (cell) => compare(cell, condition.bound)
    }
  }
}

const constantTest = (isHeld: boolean): Test => ({
  cost: () => 0,
  select: () => isHeld,
  count: ({ records }) => (isHeld ? records : 0),
})

/** Judges each record. */
function eachTest(judge: (block: Block) => (at: number) => boolean): Test {
  return {
    cost: () => 1,
    count: () => null,
    select: (block, among) => {
      const holds = judge(block)
      const found = new Uint8Array(block.records)
      for (let at = 0; at < found.length; at++) if (!among || among[at] === 1) found[at] = holds(at) ? 1 : 0
      return found
    },
  }
}

const second = 1_000_000
const microsecondsOf = (time: number): number => time - Math.floor(time / second) * second
const isoOf = (time: number): string => new Date(Math.floor(time / 1_000)).toISOString()

/**
 * What is shown of a time rises with it, as long as the clock is not set back: where a comparison gives the same at both ends of
 * a block, it gives the same between them. Times that follow each other are most often shown the same.
 */
function timeTest(
  { kind }: Leaf,
  holds: (time: number) => boolean,
  isEven: (from: number, until: number) => boolean,
  unit: number,
): Test {
  const atOnce = (block: Block): boolean | null => {
    const [first, last] = [holds(block.oldest), holds(block.newest)]
    const isSame = Math.floor(block.oldest / unit) === Math.floor(block.newest / unit)
    if (isSame) return first
    if (kind !== 'compare' || first !== last || !isEven(block.oldest, block.newest)) return null
    return first
  }
  const each = eachTest((block) => {
    const times = block.times()
    let [lastUnit, lastHolds] = [Number.NaN, false]
    return (at) => {
      const time = times[at] as number
      const ownUnit = Math.floor(time / unit)
      if (ownUnit !== lastUnit) [lastUnit, lastHolds] = [ownUnit, holds(time)]
      return lastHolds
    }
  })
  return {
    cost: (block) => (atOnce(block) === null ? 1 : 0),
    count: (block) => {
      const all = atOnce(block)
      return all === null ? null : all ? block.records : 0
    },
    select: (block, among) => atOnce(block) ?? each.select(block, among),
  }
}

const quarterHour = 900 * second
/** A block of more than about a month is judged record by record. */
const mostQuarters = 3_000

/** Whether a zone has one offset all the time between two times; zones change only at quarters of an hour. */
function evenClock(offsetAt: (seconds: number) => number): (from: number, until: number) => boolean {
  return (from, until) => {
    if (until - from > mostQuarters * quarterHour) return false
    const offset = offsetAt(Math.floor(from / second))
    for (let time = from; time < until; time += quarterHour) {
      if (offsetAt(Math.floor(time / second)) !== offset) return false
    }
    return offsetAt(Math.floor(until / second)) === offset
  }
}

function placeTest(condition: Leaf, holds: (block: Block, place: number) => boolean): Test {
  const each = eachTest((block) => {
    const places = block.places()
    return (at) => holds(block, places[at] as number)
  })
  if (condition.kind !== 'equals') return each
  const wanted = condition.cells.map((cell) => Number(String(cell).split('.').at(-1)))
  const isOutside = (block: Block): boolean => !wanted.some((place) => place >= block.first && place <= block.last)
  return {
    cost: (block) => (isOutside(block) ? 0 : 1),
    count: (block) => (isOutside(block) ? 0 : null),
    select: (block, among) => (isOutside(block) ? false : each.select(block, among)),
  }
}

/** Of a stored cell as it is. */
function storedTest(name: string, cells: readonly Cell[]): Test {
  const wanted = new Set(cells)
  return byForm(
    name,
    (cell) => wanted.has(cell),
    (column) => {
      if (column.form === 'text') return textEach(column, (text) => wanted.has(text))
      return wordsTest(column, { holds: (cell) => wanted.has(cell), cells, needles: null })
    },
  )
}

type ShownColumn = Extract<ViewColumn, { from: 'column' }>

function columnTest(condition: Leaf, holds: Holds, column: ShownColumn, scope: Scope): Test {
  const holdsStored = (cell: Cell): boolean => holds(shownCell(column, cell, scope) ?? '')
  return byForm(column.column, holdsStored, (stored) => {
    const isShownAsIs = !column.words && column.otherwise === undefined && !column.as
    if (stored.form !== 'text') {
      const needles = isShownAsIs && condition.kind === 'contains' ? bytesOf(condition.texts) : null
      return wordsTest(stored, { holds: holdsStored, cells: storedCells(condition, column, scope), needles })
    }
    const needles = isShownAsIs ? needlesOf(condition) : null
    return needles ? textTest(stored, needles, condition, holdsStored) : textEach(stored, holdsStored)
  })
}

/** Kinds may have the column in different forms, or not at all. */
function byForm(name: string, holds: Holds, make: (column: StoredColumn) => Test): Test {
  // The time is stored for itself.
  if (name === timeColumn) {
    return eachTest((block) => {
      const times = block.times()
      return (at) => holds(times[at] as number)
    })
  }
  const tests = new Map<string, Test>()
  const testFor = ({ kind }: Block): Test => {
    const known = tests.get(kind)
    if (known) return known
    const column = columnsOf(kind).find((one) => one.name === name)
    const test = make(column ?? { name, form: 'word' })
    tests.set(kind, test)
    return test
  }
  return {
    cost: (block) => testFor(block).cost(block),
    count: (block) => testFor(block).count(block),
    select: (block, among) => testFor(block).select(block, among),
  }
}

/** Which entries of a column are meant. */
interface Held {
  readonly marks: Uint8Array
  readonly count: number
}

interface WordsQuestion {
  readonly holds: Holds
  /** The only stored cells that can fulfil it; null when that is not known. */
  readonly cells: readonly Cell[] | null
  /** It holds where the stored cell contains one of these, unless the mark of the brand is in it; null: not known. */
  readonly needles: readonly Buffer[] | null
}

function wordsTest(column: StoredColumn, { holds, cells, needles }: WordsQuestion): Test {
  const stored = cells?.map((cell) => (column.form === 'number' ? Number(cell) : String(cell)))
  const wanted = stored ? [...new Set(stored)].filter(holds) : null
  const isRuledOut = (block: Block): boolean => wanted !== null && !block.mayHave(column, wanted)
  const judge = (block: Block): boolean | Held => {
    if (wanted?.length === 0 || isRuledOut(block)) return false
    const list = block.list(column)
    if (list.length === 1) return wanted ? wanted.includes(list.at(0)) : holds(list.at(0))
    const codes = wanted?.map((cell) => list.indexOf(cell)).filter((code) => code >= 0)
    if (codes?.length === 0) return false
    const marks = codes ? markCodes(list, codes) : ((needles && list.containing(needles)) ?? markHeld(list, holds))
    const count = codes?.length ?? sizeOf(marks, { records: list.length })
    return count === 0 ? false : count === list.length ? true : { marks, count }
  }
  return {
    cost: () => 0,
    count: (block) => {
      const held = judge(block)
      if (typeof held === 'boolean') return held ? block.records : 0
      const counts = block.counts(column)
      if (!counts) return null
      let sum = 0
      for (let at = 0; at < held.marks.length; at++) if (held.marks[at] === 1) sum += counts[at] as number
      return sum
    },
    select: (block) => {
      const held = judge(block)
      if (typeof held === 'boolean') return held
      const codes = block.codes(column)
      if (!codes) return held.marks[0] === 1
      return held.count === 1 ? findCode(codes, held.marks.indexOf(1)) : findCodes(codes, held.marks)
    },
  }
}

function markCodes({ length }: CellList, codes: readonly number[]): Uint8Array {
  const marks = new Uint8Array(length)
  for (const code of codes) marks[code] = 1
  return marks
}

function markHeld(list: CellList, holds: Holds): Uint8Array {
  const marks = new Uint8Array(list.length)
  for (const [index, cell] of list.all().entries()) if (holds(cell)) marks[index] = 1
  return marks
}

/** More of them are found faster one by one. */
const fewHits = 64

function findCode(codes: Codes, code: number): Uint8Array {
  const found = new Uint8Array(codes.length)
  let at = codes.indexOf(code)
  for (let hits = 0; at >= 0 && hits < fewHits; hits++) {
    found[at] = 1
    at = codes.indexOf(code, at + 1)
  }
  if (at >= 0) for (; at < found.length; at++) if (codes[at] === code) found[at] = 1
  return found
}

function findCodes(codes: Codes, marks: Uint8Array): Uint8Array {
  const found = new Uint8Array(codes.length)
  for (let at = 0; at < found.length; at++) found[at] = marks[codes[at] as number] as number
  return found
}

/** Stored cells among which are all that are shown as a cell that is asked for; null when they cannot be listed. */
function storedCells(condition: Leaf, { words, otherwise, as }: ShownColumn, { brand }: Scope): readonly Cell[] | null {
  if (condition.kind !== 'equals' || as) return null
  const wanted = new Set(condition.cells)
  if (otherwise !== undefined && wanted.has(otherwise)) return null
  const fromWords = Object.entries(words ?? {}).flatMap(([stored, shown]) => (wanted.has(shown ?? '') ? [stored] : []))
  const asIs = otherwise === undefined ? condition.cells.flatMap((cell) => [cell, ...branded(cell, brand)]) : []
  return [...fromWords, ...asIs]
}

/** Stored texts that are shown as this one, with the mark of the brand at each place where its name is. */
function branded(cell: Cell, brand: string): string[] {
  if (typeof cell !== 'string') return []
  const texts: string[] = []
  const isEverywhere = brand === ''
  for (let at = cell.indexOf(brand); at >= 0; at = cell.indexOf(brand, at + 1)) {
    texts.push(`${cell.slice(0, at)}{brand}${cell.slice(at + brand.length)}`)
    if (isEverywhere && at >= cell.length) break
  }
  return texts
}

/** Texts one of which every text that holds contains, in lower case; null: it must be asked of each. */
function needlesOf(condition: Leaf): readonly string[] | null {
  if (condition.kind === 'contains') return condition.texts
  if (condition.kind !== 'equals') return null
  return condition.cells.flatMap((cell) => (typeof cell === 'string' ? [cell.toLowerCase()] : []))
}

/** What has a separator in it is in no text. */
const bytesOf = (needles: readonly string[]): Buffer[] =>
  needles.filter((needle) => !needle.includes(separator)).map((needle) => Buffer.from(needle))

function textTest(column: StoredColumn, needles: readonly string[], condition: Leaf, holds: Holds): Test {
  const search = {
    needles: bytesOf(needles),
    holds,
  }
  return {
    cost: () => 2,
    count: () => null,
    select: (block, among) => {
      const found = block.search(column, search, among)
      if (condition.kind === 'contains') return found
      for (let at = found.indexOf(1); at >= 0; at = found.indexOf(1, at + 1)) {
        if (!holds(block.textAt(column, at))) found[at] = 0
      }
      return found
    },
  }
}

function textEach(column: StoredColumn, holds: Holds): Test {
  return {
    cost: () => 2,
    count: () => null,
    select: (block) => {
      const found = new Uint8Array(block.records)
      let at = 0
      for (const text of block.texts(column)) found[at++] = holds(text) ? 1 : 0
      return found
    },
  }
}
