// The CSV writer by itself: quoting and what it does to formulas.
// Requirement 30.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toCsv } from './csv.ts'

describe('a CSV cell', () => {
  const cells: [value: unknown, text: string][] = [
    ['plain', 'plain'],
    ['', ''],
    [null, ''],
    [undefined, ''],
    [true, 'True'],
    [false, 'False'],
    [0, '0'],
    [-5, '-5'],
    [1.5, '1.5'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@x', "'@x"],
    ['\tx', "'\tx"],
    ['\rx', '"\'\rx"'],
    ['=a,"b"', '"\'=a,""b"""'],
    [['a', 'b'], '"[""a"",""b""]"'],
    [{ a: 1 }, '"{""a"":1}"'],
  ]
  for (const [value, text] of cells) {
    it(`of ${JSON.stringify(value)} is ${JSON.stringify(text)}`, () => {
      assert.equal(toCsv(['x'], [{ x: value }]), `x\r\n${text}\r\n`)
    })
  }

  it('is there for each column, also without rows', () => {
    assert.equal(toCsv(['a', 'b'], []), 'a,b\r\n')
    assert.equal(toCsv(['a', 'b'], [{ b: 2 }]), 'a,b\r\n,2\r\n')
  })
})
