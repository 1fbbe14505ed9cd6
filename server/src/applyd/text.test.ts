import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog, oneLine, wordsOf } from './text.ts'

test('nothing in a log entry can start a line of its own or hide in one', () => {
  const lines: string[] = []
  const hostile = 'a\n{"level":"info"}\r\u2028\u2029\x7f\x85\x1b[2J\0'
  createLog((line) => lines.push(line))('error', hostile, { fault: new Error(hostile), unit: hostile })
  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? '', /^[\x20-\x7e]+\n$/)
  const parsed = JSON.parse(lines[0] ?? '')
  assert.deepEqual([parsed.level, parsed.message, parsed.unit], ['error', hostile, hostile])
})

test('words for an administrator are one bounded line without our paths', () => {
  assert.equal(oneLine(' a\r\n\tb\x1b[0m '), 'a b [0m')
  assert.equal(oneLine('x'.repeat(999)).length, 300)
  const fault = new Error("EACCES: permission denied, rename '/a/b' -> '/c/d'")
  assert.equal(wordsOf(fault), 'EACCES: permission denied')
})
