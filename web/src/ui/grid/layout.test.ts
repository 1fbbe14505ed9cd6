// Where rows, bands and columns are, and how many rows are kept.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { layoutOf, overscanOf } from './layout.ts'
import { filterRows, nextSort, sortRows } from './rows.ts'
import { tracksOf } from './tracks.ts'

describe('layout of the grid', () => {
  it('puts bands between rows', () => {
    const layout = layoutOf(3, [0, 3, 1])
    const drawn = Array.from({ length: layout.count }, (_, entry) => layout.at(entry))
    assert.deepEqual(drawn, [{ band: 0 }, { row: 0 }, { band: 2 }, { row: 1 }, { row: 2 }, { band: 1 }])
    assert.deepEqual([0, 1, 2].map(layout.entryOf), [1, 3, 4])
  })

  it('keeps the order of bands before the same row, and those beyond the end', () => {
    const layout = layoutOf(1, [9, 9])
    assert.deepEqual([0, 1, 2].map(layout.at), [{ row: 0 }, { band: 0 }, { band: 1 }])
  })

  it('never has more than 80 rows in the document', () => {
    for (const height of [100, 600, 900, 1440, 2160]) {
      for (const row of [28, 36, 44]) {
        const overscan = overscanOf(height, row)
        assert.ok(overscan <= 12)
        const all = Math.ceil(height / row) + 1 + 2 * overscan + 2
        if (height < 2000) assert.ok(all <= 80, `${height} px of ${row} px: ${all}`)
      }
    }
    assert.equal(overscanOf(600, 28), 12)
  })
})

describe('widths of columns', () => {
  it('gives the rest to one column, or to the empty end', () => {
    const columns = [
      { id: 'a', width: 60, isSticky: true },
      { id: 'b', width: 'rest' as const, minWidth: 200 },
    ]
    assert.deepEqual(tracksOf(columns, {}, 32), {
      template: '32px 60px minmax(200px, 1fr)',
      leastWidth: 292,
      stickyLefts: [32, null],
    })
    assert.equal(tracksOf([{ id: 'a', width: 60 }], {}, 0).template, '60px 1fr')
  })

  it('keeps what was pulled, until it is given back', () => {
    const columns = [{ id: 'a', width: 60 }]
    assert.equal(tracksOf(columns, { a: 90 }, 0).template, '90px 1fr')
    assert.equal(tracksOf(columns, { a: 0 }, 0).template, '60px 1fr')
  })
})

describe('rows of the grid', () => {
  const columns = [
    { id: 'name', text: (row: { name: string; hits: string }) => row.name },
    { id: 'hits', text: (row: { name: string; hits: string }) => row.hits, isNumber: true },
  ]
  const rows = [
    { name: 'host-10', hits: '5' },
    { name: 'host-9', hits: '1,000' },
    { name: 'Web', hits: '' },
  ]

  it('sorts names as people count and numbers as numbers', () => {
    const names = (sort: { id: string; isDown: boolean } | null) =>
      sortRows(rows, columns, sort).map(({ name }) => name)
    assert.deepEqual(names({ id: 'name', isDown: false }), ['host-9', 'host-10', 'Web'])
    assert.deepEqual(names({ id: 'hits', isDown: true }), ['host-9', 'host-10', 'Web'])
    assert.equal(sortRows(rows, columns, null), rows)
    assert.equal(sortRows(rows, columns, { id: 'gone', isDown: true }), rows)
  })

  it('goes through the orders by click', () => {
    assert.deepEqual(nextSort(null, 'a'), { id: 'a', isDown: false })
    assert.deepEqual(nextSort({ id: 'a', isDown: false }, 'a'), { id: 'a', isDown: true })
    assert.equal(nextSort({ id: 'a', isDown: true }, 'a'), null)
  })

  it('filters by every word, in any column', () => {
    assert.deepEqual(
      filterRows(rows, columns, 'HOST 1,0').map(({ name }) => name),
      ['host-9'],
    )
    assert.equal(filterRows(rows, columns, '  '), rows)
  })
})
