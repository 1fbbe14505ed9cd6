// Reads the tables that `npm run bench` of any version prints, and compares those of two versions.

import { inColumns, inMarkdown, median } from '../table.ts'

/** One line of a table, as it was printed. */
export interface PrintedRow {
  readonly what: string
  readonly ours: string
  readonly raw: string
  readonly ratio: string
  readonly aim: string
  readonly verdict: string
}

/** The line below the heading says how wide each column is; what a set-up said before it is passed over. */
export function readTable(text: string): PrintedRow[] {
  const lines = text.split('\n')
  const at = lines.findIndex((line) => /^-{3,}( {2}-+)+ *$/.test(line))
  if (at < 0) return []
  const spans = [...(lines[at] ?? '').matchAll(/-+/g)].map(({ index, 0: dashes }) => [index, index + dashes.length])
  const rows: PrintedRow[] = []
  for (const line of lines.slice(at + 1)) {
    if (line.trim() === '') break
    // Nothing follows the last column, so it may be longer than its heading.
    const cells = spans.map(([from, to], column) =>
      line.slice(from, column === spans.length - 1 ? undefined : to).trim(),
    )
    const [what = '', ours = '', raw = '', ratio = '', aim = '', verdict = ''] = cells
    rows.push({ what, ours, raw, ratio, aim, verdict })
  }
  return rows
}

/** What a text begins with: `21.4 ms at 100`, `1,003 MB/s`, `248 kB (gzip)`. */
export interface Amount {
  readonly value: number
  readonly unit: string
}

export function readAmount(text: string): Amount | null {
  const [, digits = '', unit = ''] = /^(-?[\d,]+(?:\.\d+)?)\s*(%|[a-zA-Z]+(?:\/s)?|\/s)?/.exec(text) ?? []
  const value = Number(digits.replaceAll(',', ''))
  return digits === '' || !Number.isFinite(value) ? null : { value, unit }
}

/** What a row is compared with, without what was found: `10.7 ms at 100`, `238 plain Squid, 2,440 no proxy`. */
const otherOf = ({ raw }: PrintedRow): string =>
  raw.replaceAll(/(^|, )-?[\d,.]+\s*(?:(?:us|ms|s|MB|kB|%|\/s|MB\/s)(?=[\s,]|$))?/g, '$1').trim()

/** The same measurement in two runs. */
const keyOf = (row: PrintedRow): string => `${row.what.replaceAll(/\d+ in \d+ s/g, 'in a while')} | ${otherOf(row)}`

/** Of amounts a second and of shares more is better. */
const isMoreBetter = ({ what, aim }: PrintedRow, unit: string): boolean =>
  aim.startsWith('at least') || unit.endsWith('/s') || /\ba second\b/.test(what)

const sizes: ReadonlySet<string> = new Set(['MB', 'kB', 'GB', 'bytes'])

export interface ComparedRow {
  readonly what: string
  readonly before: string
  readonly now: string
  /** Now, as a multiple of before. */
  readonly ratio: number
  readonly aim: string
  /** What it became, beyond the noise. */
  readonly mark: '' | 'SLOWER' | 'LARGER' | 'faster' | 'smaller'
}

export interface Comparison {
  readonly rows: readonly ComparedRow[]
  readonly onlyBefore: readonly string[]
  readonly onlyNow: readonly string[]
}

/** Each argument has the tables of the runs of one version. */
export function compareRuns(
  before: readonly (readonly PrintedRow[])[],
  now: readonly (readonly PrintedRow[])[],
): Comparison {
  const [older, newer] = [collect(before), collect(now)]
  const rows = [...newer].flatMap(([key, own]) => {
    const theirs = older.get(key)
    const row = theirs === undefined ? null : compareRow(theirs, own)
    return row === null ? [] : [row]
  })
  const missingIn = (from: typeof older, other: typeof older): string[] =>
    [...from].filter(([key]) => !other.has(key)).map(([, [row]]) => nameOf(row))
  return { rows, onlyBefore: missingIn(older, newer), onlyNow: missingIn(newer, older) }
}

type Runs = readonly [PrintedRow, ...PrintedRow[]]

function collect(tables: readonly (readonly PrintedRow[])[]): Map<string, Runs> {
  const all = new Map<string, Runs>()
  for (const row of tables.flat()) {
    const known = all.get(keyOf(row))
    all.set(keyOf(row), known === undefined ? [row] : [...known, row])
  }
  return all
}

/** Two rows of one name differ in what they are compared with. */
const nameOf = (row: PrintedRow): string => {
  const other = otherOf(row)
  return other === '' ? row.what : `${row.what} (beside ${other})`
}

const middle = (values: readonly number[]): number =>
  values.length % 2 === 1 ? median(values) : (median(values) + median(values.map((value) => -value)) * -1) / 2

/** Runs of one version differ by so much: the largest as a multiple of the smallest. */
const spread = (values: readonly number[]): number => Math.max(...values) / Math.min(...values)

/** Smaller differences are not worth a word, whatever the noise. */
const leastDifference = 1.03

function compareRow(before: Runs, now: Runs): ComparedRow | null {
  const amounts = (runs: Runs): Amount[] => runs.map(({ ours }) => readAmount(ours)).filter((one) => one !== null)
  const [older, newer] = [amounts(before), amounts(now)]
  const unit = newer[0]?.unit ?? ''
  if (older.length === 0 || newer.length === 0 || older[0]?.unit !== unit) return null
  const values = [older.map(({ value }) => value), newer.map(({ value }) => value)] as const
  const [from, to] = [middle(values[0]), middle(values[1])]
  const noise = Math.max(spread(values[0]), spread(values[1]), leastDifference)
  const isMore = isMoreBetter(now[0], unit)
  const worse = isMore ? from / to : to / from
  const isSize = sizes.has(unit)
  const mark = worse > noise ? (isSize ? 'LARGER' : 'SLOWER') : 1 / worse > noise ? (isSize ? 'smaller' : 'faster') : ''
  const [last] = now.slice(-1)
  return {
    what: nameOf(now[0]),
    before: show(from, unit, before),
    now: show(to, unit, now),
    ratio: to / from,
    aim: now[0].aim === '' ? '' : `${now[0].aim}${last?.verdict ? `, ${last.verdict}` : ''}`,
    mark,
  }
}

/** With how it was beside the raw thing in the same runs, which the speed of the machine changes least. */
function show(value: number, unit: string, runs: Runs): string {
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0
  const ratios = runs.map(({ ratio }) => Number(ratio || Number.NaN)).filter(Number.isFinite)
  const beside = ratios.length === 0 ? '' : ` (${middle(ratios).toFixed(2)} x)`
  return `${value.toFixed(digits)} ${unit}`.trim() + beside
}

const heading = (revision: string): readonly string[] => ['measured', revision, 'this tree', 'ratio', 'aim', '']

/** As columns, or as a table of a document. */
export function printComparison(
  revision: string,
  { rows, onlyBefore, onlyNow }: Comparison,
  isMarkdown: boolean,
): string {
  const cells = rows.map(({ what, before, now, ratio, aim, mark }) => [what, before, now, ratio.toFixed(2), aim, mark])
  const table = isMarkdown ? inMarkdown(heading(revision), cells) : inColumns(heading(revision), cells)
  const only = (where: string, names: readonly string[]): string[] =>
    names.length === 0 ? [] : ['', `Only in ${where}:`, ...names.map((name) => `  ${name}`)]
  return [...table, ...only(revision, onlyBefore), ...only('this tree', onlyNow)].join('\n')
}
