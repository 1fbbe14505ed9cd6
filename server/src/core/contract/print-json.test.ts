import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printJson } from './print-json.ts'

const long = 'x'.repeat(60)

test('what fits is on one line', () => {
  assert.equal(printJson({ a: 1, b: [true, null], c: {}, d: [] }), '{ "a": 1, "b": [true, null], "c": {}, "d": [] }\n')
})

test('a longer object has one field per line, indented by two spaces', () => {
  assert.equal(
    printJson({ a: { b: long, c: long }, d: 1 }),
    `{\n  "a": {\n    "b": "${long}",\n    "c": "${long}"\n  },\n  "d": 1\n}\n`,
  )
})

test('entries of a list fill their lines, and an object with one field opens on the line of that field', () => {
  const words = Array.from({ length: 3 }, () => 'x'.repeat(50))
  assert.equal(printJson({ list: words }), `{ "list": [\n  "${words[0]}", "${words[1]}",\n  "${words[2]}"\n] }\n`)
})

test('no line of a list or an object is longer than it must be, and reading gives the same value back', () => {
  const value = { a: [{ b: long, c: [long, long, { d: long }] }], e: { f: { g: { h: [1, 2, long, long] } } } }
  const text = printJson(value)
  assert.deepEqual(JSON.parse(text), value)
  for (const line of text.split('\n')) assert.ok(line.length <= 120, line)
})
