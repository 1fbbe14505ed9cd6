// The tactics matrix.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tacticColumns } from './tactics.ts'

const matrix = [
  {
    mitre_tactic_id: '-',
    mitre_tactic_name: '',
    classtypes: [{ classtype: 'misc', classtype_name: 'Misc', count: 1 }],
  },
  {
    mitre_tactic_id: 'TA0011',
    mitre_tactic_name: 'Command and Control',
    classtypes: [
      { classtype: 'trojan', classtype_name: 'Trojan', count: 10 },
      { classtype: 'c2', classtype_name: '', count: 1000 },
    ],
  },
  {
    mitre_tactic_id: 'TA0001',
    mitre_tactic_name: 'Initial Access',
    classtypes: [{ classtype: 'web', classtype_name: 'Web attack', count: 100 }],
  },
]

test('tactics are in the order of an attack, large groups first and darker', () => {
  const columns = tacticColumns(matrix)
  assert.deepEqual(
    columns.map(({ id }) => id),
    ['TA0001', 'TA0011', '-'],
  )
  assert.deepEqual(
    columns[1]?.cells.map(({ name, weight }) => [name, weight]),
    [
      ['c2', 4],
      ['Trojan', 2],
    ],
  )
  assert.equal(columns[1]?.count, 1010)
})

test('a search keeps whole tactics or single groups', () => {
  assert.deepEqual(
    tacticColumns(matrix, 'command').map(({ cells }) => cells.length),
    [2],
  )
  assert.deepEqual(
    tacticColumns(matrix, 'troj').map(({ cells }) => cells.length),
    [1],
  )
})
