// CSV that is made here.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printCsv, tidyFileName } from './save-file.ts'

test('cells with commas, quotes and line ends are quoted, formulas are disarmed', () => {
  assert.equal(
    printCsv(
      ['a', 'b'],
      [
        ['x,"y"', '=1+1'],
        [-5, null],
        ['line\nend', '@x'],
      ],
    ),
    'a,b\r\n"x,""y""",\'=1+1\r\n-5,\r\n"line\nend",\'@x\r\n',
  )
})

test('file names are tame', () => {
  assert.equal(tidyFileName('../log of "x"/é.csv'), '..-log-of-x-.csv')
})
