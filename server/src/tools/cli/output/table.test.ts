import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fitWidths, showPairs, showTable } from './table.ts'
import { widthOf } from './text.ts'

const piped = { columns: null, hasColour: false }

test('columns are aligned by displayed width', () => {
  const table = {
    columns: ['name', 'status'],
    rows: [
      ['漢字', 'active'],
      ['dns', 'failed'],
    ],
  }
  assert.equal(showTable(table, piped), 'NAME  STATUS\n漢字  active\ndns   failed\n')
})

test('piped output is never cut', () => {
  const long = 'x'.repeat(500)
  assert.ok(showTable({ columns: ['a', 'b'], rows: [[long, long]] }, piped).includes(`${long}  ${long}`))
})

test('on a terminal the widest columns give way until the row fits', () => {
  const table = { columns: ['id', 'reason'], rows: [['17', 'a very long reason that does not fit']] }
  const shown = showTable(table, { columns: 20, hasColour: false })
  assert.equal(shown, 'ID  REASON\n17  a very long rea…\n')
  for (const line of shown.split('\n')) assert.ok(widthOf(line) <= 20)
})

test('columns do not shrink to nothing on a very narrow terminal', () => {
  assert.deepEqual(fitWidths([30, 30, 30], 10), [6, 6, 6])
  assert.deepEqual(fitWidths([3, 30], 20), [3, 15])
  assert.deepEqual(fitWidths([3, 30], null), [3, 30])
  assert.deepEqual(fitWidths([40, 50], 72, true), [40, 30], 'a column that wraps gives way first')
})

test('the last column can go on below itself', () => {
  const table = {
    columns: ['name', 'message'],
    rows: [
      ['dns', 'does not answer now'],
      ['web', 'ok'],
    ],
    wrapLast: true,
  }
  const shown = showTable(table, { columns: 16, hasColour: false })
  assert.equal(shown, 'NAME  MESSAGE\ndns   does not\n      answer now\nweb   ok\n')
})

test('hostile cells stay on their line', () => {
  const shown = showTable({ columns: ['a'], rows: [['x\n\u001b[2J']] }, piped)
  assert.equal(shown, 'A\nx\\n\\x1b[2J\n')
})

test('colour surrounds the cell and does not shift the columns', () => {
  const table = { columns: ['s', 'n'], rows: [[{ text: 'up', colour: 'green' as const }, 'x']] }
  assert.equal(showTable(table, { columns: 80, hasColour: true }), 'S   N\n\u001b[32mup\u001b[0m  x\n')
  assert.equal(showTable(table, piped), 'S   N\nup  x\n')
})

test('names and values are in two columns', () => {
  assert.equal(
    showPairs(
      [
        ['login', 'admin'],
        ['role_id', ''],
      ],
      piped,
    ),
    'login    admin\nrole_id\n',
  )
})
