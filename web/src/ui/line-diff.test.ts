// The difference of two lists of lines.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { diffLines, foldSame } from './line-diff.ts'

const signs = { same: ' ', out: '-', in: '+' } as const
const drawn = (before: string, after: string): string =>
  diffLines(before.split(''), after.split(''))
    .map(({ kind, text }) => signs[kind] + text)
    .join('')

describe('difference of lines', () => {
  it('finds the shortest way', () => {
    assert.equal(drawn('abc', 'abc'), ' a b c')
    assert.equal(drawn('abc', 'axc'), ' a-b+x c')
    assert.equal(drawn('abcabba', 'cbabac').replaceAll(/[^+-]/g, '').length, 5)
  })

  it('goes from one to the other', () => {
    for (const [before, after] of [
      ['kitten', 'sitting'],
      ['', 'ab'],
      ['ab', ''],
      ['abcdefgh', 'hgfedcba'],
      ['aaaa', 'aa'],
    ] as const) {
      const lines = diffLines([...before], [...after])
      const side = (left: 'out' | 'in') =>
        lines
          .filter(({ kind }) => kind !== left)
          .map(({ text }) => text)
          .join('')
      assert.equal(side('in'), before)
      assert.equal(side('out'), after)
    }
  })

  it('gives up on two unlike files instead of holding the page', () => {
    const before = Array.from({ length: 3000 }, (_, index) => `a${index}`)
    const after = Array.from({ length: 3000 }, (_, index) => `b${index}`)
    const lines = diffLines(before, after)
    assert.equal(lines.length, 6000)
    assert.equal(lines[0]?.kind, 'out')
  })

  it('folds equal lines far from a change', () => {
    const before = Array.from({ length: 20 }, (_, index) => String(index))
    const parts = foldSame(diffLines(before, before.with(10, 'x')), 2)
    assert.deepEqual(
      parts.map((part) => [part.isFold, part.lines.length]),
      [
        [true, 8],
        [false, 6],
        [true, 7],
      ],
    )
  })
})
