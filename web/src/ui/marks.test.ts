// Text from outside with marks for what cannot be seen.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hasMarks, markOf, partsOf } from './marks.ts'

const shown = (text: string, limit?: number): string =>
  partsOf(text, limit)
    .map((part) => (part.isMark ? `[${part.text}]` : part.text))
    .join('')

describe('marks in plain text', () => {
  it('leaves usual text alone, in any script', () => {
    for (const text of ['web-1', '<b>bold</b>', 'Бухгалтерия', 'שלום', '東京', 'é ü', '👍']) {
      assert.equal(hasMarks(text), false, text)
      assert.equal(shown(text), text)
    }
  })

  it('shows characters that change the direction', () => {
    assert.equal(shown('a\u202Eb\u202C'), 'a[U+202E]b[U+202C]')
    assert.equal(shown('\u2066x\u2069'), '[U+2066]x[U+2069]')
  })

  it('shows control characters and blanks that pass for nothing', () => {
    assert.equal(shown('a\u0000b\tc\nd\r\u001B['), 'a[NUL]b[⇥]c[↵]d[CR][ESC][')
    assert.equal(shown('a\u200Bb\u00A0c\uFEFF'), 'a[U+200B]b[U+00A0]c[U+FEFF]')
    assert.equal(shown('\u3164admin'), '[U+3164]admin')
  })

  it('shows tags beyond the basic plane as one mark', () => {
    assert.equal(markOf('\u{E0041}'), 'U+E0041')
    assert.equal(shown('a\u{E0041}b'), 'a[U+E0041]b')
  })

  it('cuts long text, never inside of a character', () => {
    assert.equal(shown('abcdef', 3), 'abc…')
    assert.equal(shown('ab👍👍', 3), 'ab…')
    assert.equal(shown('abc', 3), 'abc')
  })
})
