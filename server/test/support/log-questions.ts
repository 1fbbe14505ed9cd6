// Random records of the log and random questions about them, and the comparison of two stores by their answers.

import assert from 'node:assert/strict'
import type { Cell, Condition, SortItem } from '../../src/core/contract/table-query.ts'
import { columnsOf, logKindNames } from '../../src/domain/logs/kinds.ts'
import type { KeptRecord, NewRecord } from '../../src/domain/logs/record.ts'
import { storedCell } from '../../src/domain/logs/show.ts'
import type { BucketQuestion, LogStore, Question } from '../../src/domain/logs/store.ts'
import type { View } from '../../src/domain/logs/view.ts'
import { logViews } from '../../src/gatewayd/logs/log-views.ts'

/** Views of the product, and one with everything that a view can say. */
export const testViews: Readonly<Record<string, View>> = {
  ...logViews,
  everything: {
    kinds: ['firewall', 'system', 'administration'],
    only: { column: 'priority', cells: [3, 4, 6] },
    columns: {
      id: { from: 'id' },
      place: { from: 'place' },
      iso: { from: 'iso' },
      stamp: { from: 'stamp' },
      raw_time: { from: 'column', column: 'time' },
      zone: { from: 'constant', cell: 'LAN' },
      priority: { from: 'column', column: 'priority', words: { 3: 'error', 4: 'warning', 6: 'info' } },
      action: { from: 'column', column: 'action', words: { drop: 'denied' }, otherwise: 'other' },
      user: { from: 'column', column: 'src_user_login', words: { '': null } },
      message: { from: 'column', column: 'message', words: { '': 'nothing' } },
      unit: { from: 'column', column: 'unit' },
      who: { from: 'column', column: 'who' },
    },
  },
}

const zones = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kolkata']
/** Around both changes of the clock in Berlin. */
const moments = [1_774_746_000, 1_792_890_000, 1_790_000_000]
const units = ['unbound', 'nflog', '{brand}', 'the {brand} daemon', 'СЛУЖБА', '']
const pieces = ['drop', 'Accept', 'ΟΔΟΣ', 'Привет', 'İstanbul', '{brand}', '{Brand}', '10.0.0.7', '😀', 'tail', 'x', '']
const words = ['drop', 'accept', 'lan', 'wan', '{brand}', 'Ärger', '7', '']

export class LogMaker {
  readonly #random: () => number
  #time = (moments[0] as number) * 1_000_000

  constructor(random: () => number) {
    this.#random = random
  }

  get time(): number {
    return this.#time
  }

  int(count: number): number {
    return Math.floor(this.#random() * count)
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(list.length)] as T
  }

  records(count: number): NewRecord[] {
    return Array.from({ length: count }, () => this.#record())
  }

  #record(): NewRecord {
    if (this.int(200) === 0) this.#time = this.pick(moments) * 1_000_000
    this.#time += this.int(20) === 0 ? -this.int(5_000_000) : this.int(120_000_000)
    const kind = this.int(3) === 0 ? this.pick(logKindNames) : 'firewall'
    const fields: Record<string, Cell> = {}
    for (const { name, form } of columnsOf(kind).slice(5)) {
      if (this.int(3) > 0) fields[name] = form === 'number' ? this.#number() : this.pick(words)
    }
    // As often as not it is the time of another record.
    const time = this.int(3) === 0 ? this.#time : this.#time + this.int(1_000)
    return {
      kind,
      time,
      fields,
      priority: this.int(8),
      unit: this.pick(units),
      syslogId: this.pick(units),
      message: Array.from({ length: this.int(4) }, () => this.pick(pieces)).join(' '),
    }
  }

  #number = (): number => this.pick([1, 2, 53, 443, 65_535, this.int(70_000) + 1])

  question(): Question {
    const view = this.pick(Object.keys(testViews))
    const order = this.int(2) === 0 ? [] : Array.from({ length: 1 + this.int(3) }, () => this.#sortItem(view))
    return {
      ...this.#asked(view),
      order,
      offset: this.pick([0, 0, 1, 7, 100]),
      limit: this.pick([1, 10, 1_000, order.length === 0 ? 1_000_000 : 5]),
    }
  }

  bucketQuestion(): BucketQuestion {
    const view = this.pick(Object.keys(testViews))
    const from = this.pick(moments) - this.int(10_000)
    const by = this.int(4) === 0 ? null : this.pick(Object.keys(testViews[view]?.columns ?? {}))
    return { ...this.#asked(view), from, until: from + 1 + this.int(200_000), width: 1 + this.int(5_000), by }
  }

  #asked(view: string) {
    const hidden = this.int(3) === 0 ? [this.pick(logKindNames), this.pick(logKindNames)] : []
    const scope = { timeZone: this.pick(zones), brand: this.pick(['Gate', 'ğ', '']) }
    return { view, scope, hidden, where: this.#condition(view, 3) }
  }

  #sortItem = (view: string): SortItem => ({
    field: this.pick(Object.keys(testViews[view]?.columns ?? {})),
    direction: this.pick(['asc', 'desc']),
  })

  #condition(view: string, depth: number): Condition {
    const kind = this.int(depth > 0 ? 6 : 3)
    const column = this.pick([...Object.keys(testViews[view]?.columns ?? {}), 'message', 'no_column'])
    switch (kind) {
      case 0:
        return {
          kind: 'contains',
          column,
          texts: this.#some(() => String(this.#cell(column)).toLowerCase().slice(0, 6)),
        }
      case 1:
        return { kind: 'equals', column, cells: this.#some(() => this.#cell(column)) }
      case 2:
        return { kind: 'compare', column, operator: this.pick(['<', '<=', '>', '>=']), bound: this.#cell(column) }
      case 3:
        return { kind: 'not', of: this.#condition(view, depth - 1) }
      default:
        return {
          kind: kind === 4 ? 'all' : 'any',
          of: Array.from({ length: this.int(4) }, () => this.#condition(view, depth - 1)),
        }
    }
  }

  #some = <T>(make: () => T): T[] => Array.from({ length: 1 + this.int(3) }, make)

  #cell(column: string): Cell {
    const stamp = this.pick([20_260_329_015_959, 20_260_329_030_000, 20_261_025_020_000, 20_261_025_030_000])
    const place = 1 + this.int(3_000)
    const special: Record<string, Cell> = {
      date_time: stamp,
      stamp,
      microseconds: this.int(1_000_000),
      id: `${this.pick(logKindNames)}.${place}`,
      place: String(place),
      time: '2026-03-29T01',
      iso: '2026-10-25T00:30',
      raw_time: this.#time,
      priority: this.pick<Cell>([3, 4, 6, 'error', 'warning']),
      action: this.pick(['denied', 'other', 'drop']),
      zone: 'LAN',
      lost: this.#number(),
      length: this.#number(),
      unit: this.pick(['gate', 'Gate', ...units]),
      source_port: this.pick<Cell>([443, '']),
      destination_port: this.#number(),
    }
    const own = special[column]
    if (own !== undefined && this.int(8) > 0) return own
    return this.int(6) === 0 ? this.int(500) : this.pick([...pieces, ...words])
  }
}

const asker = { owner: 'test', signal: new AbortController().signal }

export async function textOf(store: LogStore, question: Question, columns: readonly string[] | null) {
  const found = await store.find(question, asker)
  let [text, rows] = ['', 0]
  for await (const piece of found.texts(columns)) {
    text += `${columns || text === '' ? '' : ','}${Buffer.from(piece.bytes)}`
    rows += piece.rows
  }
  return { total: found.total, text, rows }
}

/** Records with all columns of their kind. */
const whole = (record: KeptRecord): object =>
  Object.fromEntries([
    ['place', record.place],
    ['kind', record.kind],
    ...columnsOf(record.kind).map(({ name }) => [name, storedCell(record, name)]),
  ])

export async function assertSameAnswers(
  store: LogStore,
  naive: LogStore,
  maker: LogMaker,
  questions: number,
  newest: number,
): Promise<void> {
  for (let count = 0; count < questions; count++) {
    const question = maker.question()
    const view = testViews[question.view]
    const columns = maker.int(4) === 0 ? Object.keys(view?.columns ?? {}) : null
    const [own, other] = [await textOf(store, question, columns), await textOf(naive, question, columns)]
    assert.deepEqual(own, other, JSON.stringify(question))
    const buckets = maker.bucketQuestion()
    const [ownBuckets, otherBuckets] = [await store.buckets(buckets, asker), await naive.buckets(buckets, asker)]
    assert.deepEqual(ownBuckets, otherBuckets, JSON.stringify(buckets))
    const place = maker.int(newest + 1)
    const limit = 1 + maker.int(300)
    const { order: _order, offset: _offset, limit: _limit, ...asked } = question
    assert.deepEqual(await store.tail(asked, place, limit), await naive.tail(asked, place, limit))
    const [after, otherAfter] = [await store.after(place, limit), await naive.after(place, limit)]
    assert.deepEqual(
      { ...after, records: after.records.map(whole) },
      { ...otherAfter, records: otherAfter.records.map(whole) },
    )
  }
}
