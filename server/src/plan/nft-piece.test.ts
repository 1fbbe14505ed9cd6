// The printer and the hash of pieces. That nft reads the text is tested with the golden files and the ruleset.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPiece, makePiece, printPiece, printTable } from './nft-piece.ts'

const map = makePiece({ kind: 'map', name: 'm', head: 'type ipv4_addr : verdict', lines: ['a', 'b'], origin: 'x' })
const chain = makePiece({ kind: 'chain', name: 'c', head: '', lines: ['counter accept'], origin: '' })

test('the hash covers every field', () => {
  assert.equal(hashPiece(map), map.hash)
  for (const change of [{ name: 'n' }, { head: '' }, { lines: ['a b'] }, { origin: '' }, { kind: 'set' as const }])
    assert.notEqual(hashPiece({ ...map, ...change }), map.hash)
})

test('a table holds its pieces in order, with an empty line between two', () => {
  assert.equal(
    printTable('inet t', [map, chain]),
    [
      ...['table inet t {', '  map m {', '    type ipv4_addr : verdict', '    elements = { a, b }', '  }', ''],
      ...['  chain c {', '    counter accept', '  }', '}', ''],
    ].join('\n'),
  )
})

test('many elements have a line each, and an empty set has no elements', () => {
  const long = { ...map, lines: ['x'.repeat(60), 'y'.repeat(60)] }
  assert.deepEqual(printPiece(long).slice(2, -1), [
    '    elements = {',
    `      ${'x'.repeat(60)},`,
    `      ${'y'.repeat(60)},`,
    '    }',
  ])
  assert.deepEqual(printPiece({ ...map, lines: [] }), ['  map m {', '    type ipv4_addr : verdict', '  }'])
})
