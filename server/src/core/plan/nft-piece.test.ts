// The printer and the hash of pieces. That nft reads the text is tested with the golden files and the ruleset.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countLines, hashPiece, linesOf, makePart, makePiece, printPiece, printTable } from './nft-piece.ts'

const map = makePiece({ kind: 'map', name: 'm', head: 'type ipv4_addr : verdict', lines: ['a', 'b'], origin: 'x' })
const chain = makePiece({ kind: 'chain', name: 'c', head: '', lines: ['counter accept'], origin: '' })

test('the hash covers every field', () => {
  assert.equal(hashPiece(map), map.hash)
  for (const change of [
    { name: 'n' },
    { head: '' },
    { parts: [makePart(['a b'])] },
    { origin: '' },
    { kind: 'set' as const },
  ])
    assert.notEqual(hashPiece({ ...map, ...change }), map.hash)
})

test('a table holds its pieces in order, with an empty line between two', () => {
  assert.equal(
    printTable('inet t', [map, chain]),
    [
      'table inet t {',
      '  map m {',
      '    type ipv4_addr : verdict',
      '    elements = { a, b }',
      '  }',
      '',
      '  chain c {',
      '    counter accept',
      '  }',
      '}',
      '',
    ].join('\n'),
  )
})

test('many elements have a line each, and an empty set has no elements', () => {
  const long = { ...map, parts: [makePart(['x'.repeat(60), 'y'.repeat(60)])] }
  assert.deepEqual(printPiece(long).slice(2, -1), [
    '    elements = {',
    `      ${'x'.repeat(60)},`,
    `      ${'y'.repeat(60)},`,
    '    }',
  ])
  assert.deepEqual(printPiece({ ...map, parts: [] }), ['  map m {', '    type ipv4_addr : verdict', '  }'])
})

test('one more element of a long list changes few parts, and no line is lost', () => {
  const lines = Array.from({ length: 20_000 }, (_, at) => `10.0.${at >> 8}.${at & 255}`)
  const before = makePiece({ kind: 'set', name: 's', head: 'type ipv4_addr', lines, origin: '' })
  const after = makePiece({ ...before, lines: [...lines.slice(0, 7_000), '10.9.9.9', ...lines.slice(7_000)] })
  assert.deepEqual(linesOf(before), lines)
  assert.equal(countLines(after), lines.length + 1)
  const known = new Set(before.parts.map(({ hash }) => hash))
  assert.ok(before.parts.length > 10)
  assert.ok(after.parts.filter(({ hash }) => !known.has(hash)).length <= 2)
})
