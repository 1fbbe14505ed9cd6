// Queries over journals beyond what the contract tests ask: periods at the turn of weeks, months and years, and pages that
// hold no more than they need.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Column, createPage, type DatePeriod, periodBounds, readJournalQuery } from './table-query.ts'

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

describe('a page', () => {
  const columns: readonly Column[] = [
    { name: 'n', type: 'Int64' },
    { name: 'word', type: 'String' },
  ]
  const order = [{ field: 'n', direction: 'desc' }] as const

  it('is the same in whatever order the rows come', () => {
    const query = {
      limit: 3,
      offset: 2,
      filter: [{ items: [{ column_name: 'n', operator: 'less', value: [40_000] }] }],
    }
    const read = readJournalQuery(columns, query as never, order, 0)
    const numbers = Array.from({ length: 50_000 }, (_, index) => (index * 7919) % 50_000)
    for (const given of [numbers, numbers.toSorted((a, b) => a - b)]) {
      const page = createPage(read, query as never)
      for (const n of given) page.add({ n, word: '' })
      const { data, total } = page.result()
      assert.equal(total, 40_000)
      assert.deepEqual(
        data.map(({ n }) => n),
        [39_997, 39_996, 39_995],
      )
    }
  })

  it('compares texts as texts and numbers as numbers', () => {
    const query = { filter: [{ items: [{ column_name: 'word', operator: 'greater', value: [9] }] }] }
    const read = readJournalQuery(columns, query as never, order, 0)
    assert.equal(read.matches({ n: 1, word: '10' }), false)
    assert.equal(read.matches({ n: 1, word: 'a' }), true)
  })
})
