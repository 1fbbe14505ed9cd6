// Requirement 54.

import assert from 'node:assert/strict'
import { createPrivateKey, sign } from 'node:crypto'
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
const authentic = async () => (await open().list()).map((checkpoint) => checkpoint.authentic)
/** So many in the list, and one that is newest. */
function fill(count: number): void {
  const checkpoints = open()
  for (let i = 1; i <= count + 1; i += 1) checkpoints.add(i * 1000, hashOf(i * 1000))
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

test('checkpoints are kept in order, signed, and survive a restart', async () => {
  assert.deepEqual(await open().list(), [])
  fill(2)
  const shown = await open().list()
  assert.deepEqual(
    shown.map(({ sequence, hash, authentic }) => [sequence, hash, authentic]),
    [1000, 2000, 3000].map((sequence) => [sequence, hashOf(sequence), true]),
  )
  assert.ok(shown.every(({ time }) => !Number.isNaN(Date.parse(time))))
  for (const name of ['checkpoint.key', 'checkpoints.jsonl', 'checkpoints.head.json'])
    assert.equal(statSync(join(directory, name)).mode & 0o777, 0o600)
})

test('the same checkpoint twice is one; a step back or another hash is refused', async () => {
  fill(1)
  open().add(2000, hashOf(2000))
  assert.equal((await open().list()).length, 2)
  assert.throws(() => open().add(2000, hashOf(21)), /Checkpoint 2000 does not follow checkpoint 2000/)
  assert.throws(() => open().add(1999, hashOf(19)), /Checkpoint 1999 does not follow checkpoint 2000/)
  assert.deepEqual(await authentic(), [true, true])
})

const sequences = async () => (await open().list()).map(({ sequence }) => sequence)

test('M4: the newest one is replaced by the next, and joins the list when there is enough between them', async () => {
  for (let sequence = 1; sequence <= 2500; sequence += 250) open().add(sequence, hashOf(sequence))
  assert.deepEqual(await sequences(), [1, 1001, 2001, 2251])
  assert.deepEqual(await authentic(), [true, true, true, true])
})

test('M4: what gatewayd finds at a start does not replace what was signed before, nor does what is refused', async () => {
  open().add(1, hashOf(1))
  open().add(10, hashOf(10))
  open().add(15, hashOf(15), true)
  assert.deepEqual(await sequences(), [1, 10, 15])
  open().add(17, hashOf(17))
  assert.throws(() => open().add(16, hashOf(16), true), /does not follow/)
  open().add(30, hashOf(30))
  assert.deepEqual(await sequences(), [1, 10, 17, 30])
})

test('a head of an earlier release is continued', async () => {
  fill(2)
  // It had no newest one: the list was all there was.
  const key = createPrivateKey(readFileSync(join(directory, 'checkpoint.key')))
  const { count, last } = JSON.parse(readFileSync(head, 'utf8'))
  const signature = sign(null, Buffer.from(JSON.stringify(['head', count, last])), key).toString('base64')
  writeFileSync(head, JSON.stringify({ count, last, signature }))
  assert.deepEqual(await sequences(), [1000, 2000])
  open().add(2001, hashOf(2001))
  assert.deepEqual(await sequences(), [1000, 2000, 2001])
  assert.deepEqual(await authentic(), [true, true, true])
})

const tamperings: Record<string, () => void> = {
  'another hash': () => editLines(([a = '', b = '', ...rest]) => [a, b.replace(hashOf(2000), hashOf(21)), ...rest]),
  'another sequence': () => editLines(([a = '', b = '', ...rest]) => [a, b.replace(':2000,', ':2001,'), ...rest]),
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
  test(`${what} shows, now and after the next checkpoint`, async () => {
    fill(4)
    tamper()
    assert.ok((await authentic()).includes(false))
    open().add(50_000, hashOf(50_000))
    assert.ok((await authentic()).includes(false))
    open().add(60_000, hashOf(60_000))
    assert.ok((await authentic()).includes(false))
  })
}

test('a crash between head and list, or in the middle of a line, loses nothing', async () => {
  fill(3)
  const whole = readFileSync(list, 'utf8')
  const last = whole.trimEnd().lastIndexOf('\n') + 1
  for (const size of [last, last + 10, whole.length - 1]) {
    truncateSync(list, size)
    assert.deepEqual(await authentic(), [true, true, true, true])
    writeFileSync(list, whole)
  }
  truncateSync(list, last + 10)
  open().add(5000, hashOf(5000))
  assert.deepEqual(await authentic(), [true, true, true, true, true])
  assert.equal(readFileSync(list, 'utf8').startsWith(whole), true)
})

test('however often gatewayd asks, the list grows at the pace of a clock, and what was signed is not replaced', async () => {
  let now = 0
  const checkpoints = createCheckpoints(
    directory,
    () => {},
    () => now,
  )
  checkpoints.add(1, hashOf(1), true)
  for (let sequence = 2; sequence <= 301; sequence += 1) checkpoints.add(sequence, hashOf(sequence), true)
  const size = statSync(list).size
  assert.throws(() => checkpoints.add(302, hashOf(302), true), /too many checkpoints/)
  assert.throws(() => checkpoints.add(1, hashOf(1)), /too many checkpoints/)
  assert.equal((await sequences()).at(-1), 301, 'the newest one was replaced by one that was refused')
  // One that is only due waits in the head, and is kept all the same.
  for (let sequence = 2_000; sequence <= 50_000; sequence += 1_000) checkpoints.add(sequence, hashOf(sequence))
  assert.equal(statSync(list).size, size)
  assert.equal((await sequences()).at(-1), 50_000)
  now += 60_000
  checkpoints.add(50_001, hashOf(50_001), true)
  assert.throws(() => checkpoints.add(50_002, hashOf(50_002), true), /too many checkpoints/)
  assert.deepEqual((await sequences()).slice(-3), [300, 50_000, 50_001])
  assert.ok((await authentic()).every(Boolean))
})
