// Random records and random questions for log stores: what a store answers is compared with the naive one. Words are few and
// times lie close together, around changes of clocks, so that most questions find something and ties are common.

import assert from 'node:assert/strict'
import type { Condition, SortItem } from '../../src/core/contract/table-query.ts'
import { columnsOf, type LogKindName, logKindNames } from '../../src/domain/logs/kinds.ts'
import type { NewRecord } from '../../src/domain/logs/record.ts'
import { showerOf } from '../../src/domain/logs/show.ts'
import type { Asker, BucketQuestion, LogStore, Question, SumQuestion } from '../../src/domain/logs/store.ts'
import type { Shown, View, ViewColumn } from '../../src/domain/logs/view.ts'
import type { Random } from '../security/random.ts'

/** Everything a view can be made of, beside the views of the product. */
export const questionViews: Readonly<Record<string, View>> = {
  everyForm: {
    kinds: ['firewall', 'system', 'authentication'],
    columns: {
      id: { from: 'id' },
      place: { from: 'place' },
      stamp: { from: 'stamp' },
      microseconds: { from: 'microseconds' },
      iso: { from: 'iso' },
      product: { from: 'constant', cell: 'Gate' },
      version: { from: 'constant', cell: 19 },
      severity: { from: 'column', column: 'priority', words: { 3: 'Error', 4: 'Warning' }, otherwise: 'Other' },
      action: { from: 'column', column: 'action', words: { drop: 'Blocked', accept: null } },
      port: { from: 'column', column: 'destination_port', words: { '-1': null } },
      // Not 0, which a sort cannot tell from the empty cell of a kind without the column.
      size: { from: 'column', column: 'length', words: { '-1': 7 } },
      login: { from: 'column', column: 'login' },
      unit: { from: 'column', column: 'unit' },
      text: { from: 'column', column: 'message' },
    },
  },
  spans: {
    kinds: ['authentication'],
    columns: {
      id: { from: 'id' },
      began: { from: 'column', column: 'started', words: { '-1': 0 }, as: 'stamp' },
      ended: { from: 'column', column: 'ended', words: { '-1': 0 }, as: 'stamp' },
      lasted: { from: 'span', since: 'started', until: 'ended' },
    },
    only: { column: 'journal', cells: ['Local', 'wan0', 'LAN'] },
  },
  blocked: {
    kinds: ['firewall'],
    columns: {
      id: { from: 'id' },
      source_ip: { from: 'column', column: 'source_ip' },
      port: { from: 'column', column: 'destination_port' },
    },
    only: { column: 'action', cells: ['drop', 'reject'] },
  },
}

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe'] as const
const brands = ['Portcullis', 'Größe "X"'] as const

const units = ['{brand}-nflog', 'sshd', 'Größe', 'unbound', "it's", ''] as const
const pieces = [
  'accept',
  'DROP',
  'tcp',
  'Signed in',
  'user Ада',
  'GRÖSSE',
  'straße',
  'ΣΊΣΥΦΟΣ',
  '日本',
  '😀 ok',
  '{brand} 1',
  '100%',
  'a_b',
  "it's",
  '"quoted"',
  'back\\slash',
  '`tick`',
  '-- ;',
  '=1+1',
  'İstanbul',
  '10.0.0.',
  'x'.repeat(300),
] as const

const words: Readonly<Record<string, readonly string[]>> = {
  table: ['FWD', 'INP', 'DNAT'],
  rule_id: ['1', '2', '17', ''],
  action: ['accept', 'drop', 'reject', ''],
  protocol: ['tcp', 'udp', 'icmp'],
  source_ip: ['10.0.0.1', '10.0.0.2', '10.0.0.12', '192.0.2.7'],
  destination_ip: ['203.0.113.5', '203.0.113.50'],
  login: ['ada', 'Ада', "o'neil", ''],
  categories: ['users.id.1;', 'users.id.12;extended.id.3;', 'extended.id.3;', ''],
  url: ['https://Example.com/Größe?a=1', 'http://10.0.0.1/', ''],
}
const otherWords = ['', 'Local', 'wan0', 'LAN', 'é'] as const

/** Around the changes of Berlin and New York, in Unix seconds. */
const moments = [
  Date.UTC(2026, 9, 25, 0, 59, 58) / 1000,
  Date.UTC(2026, 9, 25, 1, 0, 1) / 1000,
  Date.UTC(2026, 10, 1, 6, 0, 0) / 1000,
  Date.UTC(2026, 2, 29, 1, 0, 0) / 1000,
  Date.UTC(2026, 11, 31, 23, 59, 59) / 1000,
] as const

/** Columns that hold times. */
const seconds: ReadonlySet<string> = new Set(['started', 'ended'])

export function drawRecords(random: Random, count: number): NewRecord[] {
  return Array.from({ length: count }, () => drawRecord(random))
}

function drawRecord(random: Random): NewRecord {
  const kind = random.chance(0.5) ? random.pick(['firewall', 'web'] as const) : random.pick(logKindNames)
  const fields: Record<string, string | number> = {}
  for (const { name, form } of columnsOf(kind).slice(5)) {
    if (random.chance(0.3)) continue
    if (form !== 'number') fields[name] = random.pick(words[name] ?? otherWords)
    else fields[name] = seconds.has(name) ? drawSeconds(random) : random.pick([1, 22, 53, 443, 65_535])
  }
  return {
    kind,
    time: drawSeconds(random) * 1_000_000 + random.pick([0, 1, 999, 1_000, 500_000, 999_999]),
    priority: random.below(8),
    unit: random.pick(units),
    syslogId: random.pick(units),
    message: Array.from({ length: 1 + random.below(3) }, () => random.pick(pieces)).join(' '),
    fields,
  }
}

const drawSeconds = (random: Random): number => random.pick(moments) + random.below(5) + random.below(3) * 3_600

/** Over the columns of a view; what is compared with is most often something that is there. */
export function drawQuestion(random: Random, views: Readonly<Record<string, View>>): Question {
  const order = Array.from({ length: random.pick([0, 0, 1, 2]) })
  const view = random.pick(Object.keys(views))
  const columns = Object.keys(viewOf(views, view).columns)
  return {
    ...drawScope(random, views, view),
    order: order.map((): SortItem => ({ field: random.pick(columns), direction: random.pick(['asc', 'desc']) })),
    offset: random.pick([0, 0, 1, 7, 40, 100_000]),
    limit: random.pick([1, 5, 50, Number.MAX_SAFE_INTEGER]),
  }
}

export function drawBuckets(random: Random, views: Readonly<Record<string, View>>): BucketQuestion {
  const view = random.pick(Object.keys(views))
  const names = Object.entries(viewOf(views, view).columns)
  const few = names.filter(([, { from }]) => from === 'column' || from === 'constant').map(([name]) => name)
  const from = drawSeconds(random) - random.below(7_200)
  return {
    ...drawScope(random, views, view),
    from,
    until: from + random.pick([1, 3_600, 30 * 86_400]),
    width: random.pick([1, 60, 3_600, 86_400]),
    by: random.chance(0.3) ? null : random.pick(few),
  }
}

/** Sums of columns of numbers, by a column of texts: as a list where its cells are lists. */
export function drawSums(random: Random, views: Readonly<Record<string, View>>): SumQuestion {
  const view = random.pick(Object.keys(views))
  const { columns } = viewOf(views, view)
  const stored = Object.entries(columns).filter(([, { from }]) => from === 'column')
  const texts = stored.filter(([, column]) => isText(column, viewOf(views, view))).map(([name]) => name)
  const amounts = stored.filter(([, column]) => isSummed(column, viewOf(views, view))).map(([name]) => name)
  const sums = amounts.filter(() => random.chance(0.5))
  const from = drawSeconds(random) - random.below(7_200)
  const widths = Array.from({ length: 1 + random.below(4) }, () => random.pick([1, 60, 3_600, 30 * 86_400]))
  const by = random.chance(0.2) || texts.length === 0 ? null : random.pick(texts)
  return {
    ...drawScope(random, views, view),
    bounds: [0, ...widths].map((_, at, all) => from + all.slice(0, at + 1).reduce((sum, width) => sum + width, 0)),
    by,
    ends: by === 'categories' ? ';' : null,
    sums,
    order: random.pick(['records', ...sums]),
    limit: random.pick([1, 3, 1_000]),
  }
}

/** Numbers in every kind, and no words instead of them. */
const isSummed = (column: ViewColumn, { kinds }: View): boolean =>
  column.from === 'column' &&
  column.otherwise === undefined &&
  kinds.every((kind) => columnsOf(kind).some(({ name, form }) => name === column.column && form === 'number'))

const drawScope = (random: Random, views: Readonly<Record<string, View>>, view: string) => ({
  view,
  scope: { timeZone: random.pick(zones), brand: random.pick(brands), now: moments[4] },
  hidden: random.chance(0.7) ? [] : [random.pick<LogKindName>(logKindNames), 'administration' as const],
  where: drawCondition(random, viewOf(views, view), 2),
})

function viewOf(views: Readonly<Record<string, View>>, name: string): View {
  const view = views[name]
  if (!view) throw new Error(`There is no view ${name}.`)
  return view
}

function drawCondition(random: Random, view: View, depth: number): Condition {
  const many = (): Condition[] => Array.from({ length: random.below(3) }, () => drawCondition(random, view, depth - 1))
  if (depth > 0 && random.chance(0.5)) {
    const kind = random.pick(['all', 'any', 'not'] as const)
    return kind === 'not' ? { kind, of: drawCondition(random, view, depth - 1) } : { kind, of: many() }
  }
  const [column, made] = random.pick(Object.entries(view.columns))
  const shown = drawShown(random, view)[column] ?? ''
  // A number is compared with numbers, a text with texts, as the endpoints see to it.
  const cell = isText(made, view) ? String(shown) : Number(shown)
  const part = (text: string): string => {
    const from = random.below(text.length + 1)
    return text.slice(from, from + 1 + random.below(6)).toWellFormed()
  }
  switch (random.pick(['contains', 'equals', 'compare'] as const)) {
    case 'contains': {
      const texts = [part(String(cell)), ...(random.chance(0.3) ? [random.pick(['', 'DROP', "'", '%', 'ß'])] : [])]
      return { kind: 'contains', column, texts: texts.map((text) => text.toLowerCase()) }
    }
    case 'equals': {
      const other = drawShown(random, view)[column] ?? ''
      return { kind: 'equals', column, cells: [cell, typeof cell === 'string' ? String(other) : Number(other)] }
    }
    case 'compare':
      return { kind: 'compare', column, operator: random.pick(['<', '<=', '>', '>='] as const), bound: cell }
  }
}

function drawShown(random: Random, view: View): Shown {
  const show = showerOf(view, { timeZone: random.pick(zones), brand: random.pick(brands) })
  return show({ ...drawRecord(random), kind: random.pick(view.kinds), place: 1 + random.below(300) })
}

/** Whether the cells of a column are texts. */
function isText(column: ViewColumn, view: View): boolean {
  switch (column.from) {
    case 'stamp':
    case 'microseconds':
    case 'span':
      return false
    case 'iso':
    case 'id':
    case 'place':
      return true
    case 'constant':
      return typeof column.cell === 'string'
    case 'column': {
      if (column.otherwise !== undefined) return typeof column.otherwise === 'string'
      const stored = view.kinds.flatMap(columnsOf).find(({ name }) => name === column.column)
      return stored?.form !== 'number'
    }
  }
}

export const patientAsker: Asker = { owner: 'test', signal: new AbortController().signal }

/** Everything a store says to a question: rows there are, JSON and CSV. */
export async function answerOf(store: LogStore, question: Question, columns: readonly string[]) {
  const json = await store.find(question, patientAsker)
  const csv = await store.find(question, patientAsker)
  const [rows, lines] = [await gather(json.texts(null)), await gather(csv.texts(columns))]
  return {
    total: json.total,
    json: rows.texts.join(','),
    rows: rows.rows,
    csv: lines.texts.join(''),
    lines: lines.rows,
  }
}

async function gather(pieces: AsyncIterable<{ readonly bytes: Uint8Array; readonly rows: number }>) {
  const texts: string[] = []
  let rows = 0
  for await (const piece of pieces) {
    texts.push(new TextDecoder().decode(piece.bytes))
    rows += piece.rows
  }
  return { texts, rows }
}

/** Draws questions and fails with the first one that the stores do not answer alike. */
export async function compareStores(random: Random, { store, naive, views, questions }: ComparedStores): Promise<void> {
  for (let at = 0; at < questions; at++) {
    const question = drawQuestion(random, views)
    const columns = Object.keys(viewOf(views, question.view).columns)
    assert.deepEqual(
      await answerOf(store, question, columns),
      await answerOf(naive, question, columns),
      JSON.stringify(question),
    )
    const buckets = drawBuckets(random, views)
    assert.deepEqual(
      await store.buckets(buckets, patientAsker),
      await naive.buckets(buckets, patientAsker),
      JSON.stringify(buckets),
    )
    const sums = drawSums(random, views)
    assert.deepEqual(await store.sums(sums, patientAsker), await naive.sums(sums, patientAsker), JSON.stringify(sums))
  }
}

export interface ComparedStores {
  readonly store: LogStore
  readonly naive: LogStore
  readonly views: Readonly<Record<string, View>>
  readonly questions: number
}
