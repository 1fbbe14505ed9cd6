import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog, objectOfComplaint, oneLine, wordsOf } from './text.ts'

test('nothing in a log entry can start a new line or hide in one', () => {
  const lines: string[] = []
  const hostile = 'a\n{"level":"info"}\r\u2028\u2029\x7f\x85\x1b[2J\0'
  createLog((line) => lines.push(line))('error', hostile, { fault: new Error(hostile), unit: hostile })
  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? '', /^[\x20-\x7e]+\n$/)
  const parsed = JSON.parse(lines[0] ?? '')
  assert.deepEqual([parsed.level, parsed.message, parsed.unit], ['error', hostile, hostile])
})

test('messages for an administrator are one bounded line without internal paths', () => {
  assert.equal(oneLine(' a\r\n\tb\x1b[0m '), 'a b [0m')
  assert.equal(oneLine('x'.repeat(999)).length, 300)
  const fault = new Error("EACCES: permission denied, rename '/a/b' -> '/c/d'")
  assert.equal(wordsOf(fault), 'EACCES: permission denied')
})

test('an error in a line is reported for the object named above it', () => {
  const text = 'port=0\n# dhcp.settings[1-a].server\nx=1\nx=2\n# just words\nx=3\n'
  const objectAt = (line: number) => objectOfComplaint(`x: bad option at line ${line} of x.conf`, () => text)
  assert.deepEqual([1, 3, 4, 6].map(objectAt), [null, 'dhcp.settings[1-a].server', 'dhcp.settings[1-a].server', null])
  assert.equal(
    objectOfComplaint('x: no such thing', () => text),
    null,
  )
})
