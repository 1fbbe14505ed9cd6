import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutText, escapeLines, escapeText, padText, showJson, widthOf, wrapText } from './text.ts'

test('control characters become visible and cannot steer a terminal', () => {
  assert.equal(escapeText('\u001b]0;owned\u0007'), '\\x1b]0;owned\\x07')
  assert.equal(escapeText('a\nb\rc\td'), 'a\\nb\\rc\\td')
  assert.equal(escapeText('\u009b31m\u007f'), '\\x9b31m\\x7f')
  assert.equal(escapeText('a\u202eb\u2066c\u2028d\ufeff'), 'a\\u202eb\\u2066c\\u2028d\\ufeff')
  assert.equal(escapeText('\ud800x'), '\\ud800x')
})

test('ordinary text of any language stays as it is', () => {
  for (const text of ['größer ☃', '漢字', '👩‍💻 ok', 'naïve — “quoted”']) assert.equal(escapeText(text), text)
})

test('text of several lines keeps its line ends and tabs', () => {
  assert.equal(escapeLines('a,b\r\nc\u001b,d\te\n'), 'a,b\nc\\x1b,d\te\n')
})

test('JSON for a terminal is the same value and has no raw control characters', () => {
  const value = { text: 'a\u001b[31m\u009b\u202e\n"', list: [1, null] }
  const shown = showJson(value, 2)
  assert.deepEqual(JSON.parse(shown), value)
  assert.equal(shown.split('\n').map(escapeText).join('\n'), shown)
})

test('width counts columns, not code units', () => {
  const cases: [string, number][] = [
    ['abc', 3],
    ['', 0],
    ['漢字', 4],
    ['e\u0301', 1],
    ['👩‍💻', 2],
    ['…', 1],
    ['ﬀ', 1],
  ]
  for (const [text, width] of cases) assert.equal(widthOf(text), width, text)
})

test('a cut text has at most the width asked for and shows that something is missing', () => {
  assert.equal(cutText('abcdef', 6), 'abcdef')
  assert.equal(cutText('abcdef', 4), 'abc…')
  assert.equal(cutText('漢字漢字', 4), '漢…')
  assert.equal(padText('漢', 4), '漢  ')
})

test('wrapping breaks at spaces, and inside a word only when it must', () => {
  assert.deepEqual(wrapText('one two three', 7), ['one two', 'three'])
  assert.deepEqual(wrapText('abcdefgh ij', 4), ['abcd', 'efgh', 'ij'])
  assert.deepEqual(wrapText('', 4), [''])
})
