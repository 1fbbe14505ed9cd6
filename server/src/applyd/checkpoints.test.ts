import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { createCheckpoints } from './checkpoints.ts'

let directory: string
let list: string
let head: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'checkpoints-'))
  list = join(directory, 'checkpoints.jsonl')
  head = join(directory, 'checkpoints.head.json')
})
afterEach(() => rmSync(directory, { recursive: true }))

const hashOf = (sequence: number) => sequence.toString(16).padStart(64, '0')
const open = () => createCheckpoints(directory, () => {})
const authentic = () =>
  open()
    .list()
    .map((checkpoint) => checkpoint.authentic)
function fill(count: number): void {
  const checkpoints = open()
  for (let i = 1; i <= count; i += 1) checkpoints.add(i * 10, hashOf(i * 10))
}
const editLines = (edit: (lines: string[]) => string[]) => {
  const lines = readFileSync(list, 'utf8').trimEnd().split('\n')
  writeFileSync(
    list,
    edit(lines)
      .map((line) => `${line}\n`)
      .join(''),
  )
}

test('checkpoints are kept in order, signed, and survive a restart', () => {
  assert.deepEqual(open().list(), [])
  fill(3)
  const shown = open().list()
  assert.deepEqual(
    shown.map(({ sequence, hash, authentic }) => [sequence, hash, authentic]),
    [10, 20, 30].map((sequence) => [sequence, hashOf(sequence), true]),
  )
  assert.ok(shown.every(({ time }) => !Number.isNaN(Date.parse(time))))
  for (const name of ['checkpoint.key', 'checkpoints.jsonl', 'checkpoints.head.json'])
    assert.equal(statSync(join(directory, name)).mode & 0o777, 0o600)
})

test('the same checkpoint twice is one; a step back or another hash is refused', () => {
  fill(2)
  open().add(20, hashOf(20))
  assert.equal(open().list().length, 2)
  assert.throws(() => open().add(20, hashOf(21)), /Checkpoint 20 does not follow checkpoint 20/)
  assert.throws(() => open().add(19, hashOf(19)), /Checkpoint 19 does not follow checkpoint 20/)
  assert.deepEqual(authentic(), [true, true])
})

const tamperings: Record<string, () => void> = {
  'another hash': () => editLines(([a = '', b = '', ...rest]) => [a, b.replace(hashOf(20), hashOf(21)), ...rest]),
  'another sequence': () => editLines(([a = '', b = '', ...rest]) => [a, b.replace(':20,', ':21,'), ...rest]),
  'another time': () => editLines((lines) => lines.map((line) => line.replace(/"time":"2/, '"time":"1'))),
  'a removed first line': () => editLines((lines) => lines.slice(1)),
  'a removed middle line': () => editLines(([a = '', , ...rest]) => [a, ...rest]),
  'a doubled line': () => editLines(([a = '', ...rest]) => [a, a, ...rest]),
  'swapped lines': () => editLines(([a = '', b = '', ...rest]) => [b, a, ...rest]),
  'two lines cut from the end': () => editLines((lines) => lines.slice(0, -2)),
  'an empty list': () => writeFileSync(list, ''),
  'a removed list': () => rmSync(list),
  'a line of nonsense': () => editLines((lines) => [...lines, 'nonsense']),
  'an added line': () => editLines((lines) => [...lines, lines[0] ?? '']),
  'a removed head': () => rmSync(head),
  'a head that knows less': () => writeFileSync(head, readFileSync(head, 'utf8').replace('"count":4', '"count":2')),
  'a removed head and a cut list': () => {
    rmSync(head)
    editLines((lines) => lines.slice(0, 1))
  },
  'another key': () => rmSync(join(directory, 'checkpoint.key')),
  'a head that is no JSON': () => writeFileSync(head, '{'),
}
for (const [what, tamper] of Object.entries(tamperings)) {
  test(`${what} shows, now and after the next checkpoint`, () => {
    fill(4)
    tamper()
    assert.ok(authentic().includes(false))
    open().add(50, hashOf(50))
    assert.ok(authentic().includes(false))
  })
}

test('a crash between head and list, or in the middle of a line, loses nothing', () => {
  fill(3)
  const whole = readFileSync(list, 'utf8')
  const last = whole.trimEnd().lastIndexOf('\n') + 1
  for (const size of [last, last + 10, whole.length - 1]) {
    truncateSync(list, size)
    assert.deepEqual(authentic(), [true, true, true])
    writeFileSync(list, whole)
  }
  truncateSync(list, last + 10)
  open().add(40, hashOf(40))
  assert.deepEqual(authentic(), [true, true, true, true])
  assert.equal(readFileSync(list, 'utf8').startsWith(whole), true)
})
