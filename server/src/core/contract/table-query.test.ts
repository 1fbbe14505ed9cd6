// Queries over journals beyond what the contract tests ask: periods at the turn of weeks, months and years, and what a
// query may cost.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { GatewayError } from './error.ts'
import { type Column, type DatePeriod, type JournalQuery, periodBounds, readJournalQuery } from './table-query.ts'

const clock = (text: string): number => Date.parse(`${text}Z`) / 1000

describe('periods', () => {
  const cases: readonly (readonly [DatePeriod, string, number, number])[] = [
    ['today', '2026-03-01T00:00:00', 20_260_301_000_000, 20_260_302_000_000],
    ['yesterday', '2026-03-01T23:59:59', 20_260_228_000_000, 20_260_301_000_000],
    ['yesterday', '2024-03-01T12:00:00', 20_240_229_000_000, 20_240_301_000_000],
    // The first of March 2026 is a Sunday, the second a Monday.
    ['cur_week', '2026-03-01T12:00:00', 20_260_223_000_000, 20_260_302_000_000],
    ['cur_week', '2026-03-02T00:00:00', 20_260_302_000_000, 20_260_309_000_000],
    ['prev_week', '2026-03-02T00:00:00', 20_260_223_000_000, 20_260_302_000_000],
    ['cur_month', '2026-12-31T23:59:59', 20_261_201_000_000, 20_270_101_000_000],
    ['prev_month', '2026-01-15T00:00:00', 20_251_201_000_000, 20_260_101_000_000],
    ['hour', '2026-01-01T00:30:00', 20_251_231_233_000, 20_260_101_003_001],
  ]
  for (const [period, now, from, until] of cases) {
    it(`${period} at ${now}`, () => assert.deepEqual(periodBounds(period, clock(now)), [from, until]))
  }
})

describe('a query', () => {
  const columns: readonly Column[] = [
    { name: 'n', type: 'Int64' },
    { name: 'word', type: 'String' },
  ]
  const order = [{ field: 'n', direction: 'desc' }] as const

  it('compares texts as texts and numbers as numbers', () => {
    const query = { filter: [{ items: [{ column_name: 'word', operator: 'greater', value: [9] }] }] }
    const read = readJournalQuery(columns, query as never, order, 0)
    assert.equal(read.matches({ n: 1, word: '10' }), false)
    assert.equal(read.matches({ n: 1, word: 'a' }), true)
  })

  const texts = (count: number) => Array.from({ length: count }, (_, index) => String(index))
  const contains = (count: number) => ({ column_name: 'word', operator: 'contains_any', value: texts(count) }) as const
  const fieldOf = (query: JournalQuery): string | undefined => {
    try {
      readJournalQuery(columns, query, order, 0)
      return undefined
    } catch (error) {
      return (error as GatewayError).problems[0]?.field
    }
  }

  it('H2: has at most a hundred conditions, and names what is beyond', () => {
    assert.equal(fieldOf({ filter: [{ items: [contains(100)] }] }), undefined)
    assert.equal(fieldOf({ filter: [{ items: [contains(60)] }, { items: [contains(41)] }] }), 'filter[1]')
    const search = { text: 'x', columns: ['n', 'word'] }
    assert.equal(fieldOf({ filter: [{ items: [contains(99)] }], search: [search] }), 'search[0]')
    assert.equal(fieldOf({ filter: [{ items: [contains(98)] }], search: [search] }), undefined)
  })

  it('may name many values to be equal to, which is one look', () => {
    const equals = { column_name: 'word', operator: 'equals', value: texts(100) } as const
    const query = { filter: [{ items: Array.from({ length: 50 }, () => equals) }] }
    assert.equal(fieldOf(query), undefined)
    const { matches } = readJournalQuery(columns, query, order, 0)
    assert.deepEqual([matches({ n: 1, word: '99' }), matches({ n: 1, word: '100' })], [true, false])
  })
})
