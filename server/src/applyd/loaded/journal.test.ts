import assert from 'node:assert/strict'
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import type { NftPiece } from '../../core/plan/artifacts.ts'
import { chain, set } from '../stand-ins/harness.ts'
import { type Entry, Journal, type Loaded } from './journal.ts'

let directory: string
let path: string
const faults: string[] = []
const open = (kernel = 'boot one') => new Journal(path, kernel, (level, message) => faults.push(`${level} ${message}`))

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'journal-'))
  path = join(directory, 'rules.jsonl')
  faults.length = 0
})
afterEach(() => rmSync(directory, { recursive: true }))

const loaded = (generation: number, ...pieces: readonly NftPiece[]): Loaded => ({
  epoch: 'e',
  generation,
  carried: new Map([['r.1', { packets: generation, bytes: 10 }]]),
  tables: new Map(pieces.length === 0 ? [] : [['inet t', pieces]]),
})

/** Commits states one after the other, as revisions 1, 2, 3. */
function commit(journal: ReturnType<typeof open>, ...states: readonly Loaded[]): Entry[] {
  return states.map((state, index) => {
    const entry = journal.entryFor({ id: `id ${index + 1}`, revision: index + 1 }, state)
    assert.equal(journal.add(entry, state), true)
    return entry
  })
}

function readBack(committed: Entry | null = null, kernel = 'boot one') {
  const journal = open(kernel)
  const found = journal.read(committed)
  journal.close()
  if (!found) return null
  const pieces = [...(found.state.tables.get('inet t') ?? [])].map((piece) => piece.hash).toSorted()
  const { epoch, generation, carried } = found.state
  return { id: found.id, revision: found.revision, epoch, generation, carried: [...carried], pieces }
}

const shown = (revision: number, state: Loaded) => ({
  id: `id ${revision}`,
  revision,
  epoch: 'e',
  generation: state.generation,
  carried: [...state.carried],
  pieces: [...(state.tables.get('inet t') ?? [])].map((piece) => piece.hash).toSorted(),
})

const long = (...more: readonly string[]): NftPiece =>
  set('s', [...Array.from({ length: 5000 }, (_, i) => `10.0.${i >> 8}.${i & 255}`), ...more])
const first = loaded(1, chain('a', ['accept']), chain('b', []), long())
const second = loaded(2, chain('a', ['drop']), long(), chain('c', []))
const third = loaded(3, chain('a', ['drop']), long('192.0.2.1'), chain('c', []))

test('every state is read back, and a change writes what changed', () => {
  const journal = open()
  commit(journal, first)
  const whole = readFileSync(path).length
  assert.deepEqual(readBack(), shown(1, first))
  const [, two] = commit(open(), first, second)
  assert.ok(two)
  assert.ok(readFileSync(path).length - whole < 1000, 'a chain is written, not the list')
  assert.deepEqual(readBack(), shown(2, second))
  commit(open(), first, second, third)
  assert.ok(readFileSync(path).length - whole < 50_000, 'of a list only the changed part is written')
  assert.deepEqual(readBack(), shown(3, third))
  assert.deepEqual(faults, [])
})

test('a table may go away and come back', () => {
  const journal = open()
  commit(journal, first, loaded(2), second)
  assert.deepEqual(readBack(), shown(3, second))
  journal.close()
})

test('a record of another kernel is not read, and replaced by the next one', () => {
  commit(open(), first)
  assert.equal(readBack(null, 'boot two'), null)
  const journal = open('boot two')
  journal.read(null)
  commit(journal, second)
  assert.equal(readBack(), null)
  assert.deepEqual(readBack(null, 'boot two'), shown(1, second))
})

test('a line that a kill cut short is left out', () => {
  commit(open(), first, second)
  truncateSync(path, readFileSync(path).length - 7)
  assert.deepEqual(readBack(), shown(1, first))
  assert.deepEqual(faults, [])
})

test('after a line that was cut short everything is stored again', () => {
  commit(open(), first, second)
  truncateSync(path, readFileSync(path).length - 7)
  const journal = open()
  journal.read(null)
  const entry = journal.entryFor({ id: 'id 3', revision: 3 }, third)
  assert.equal(journal.add(entry, third), true)
  assert.deepEqual(readBack(), shown(3, third))
})

test('a state that is only in the record of the executor is followed, and one that is older is not', () => {
  const [, two] = commit(open(), first, second)
  assert.deepEqual(readBack(two), shown(2, second))
  const lines = readFileSync(path, 'utf8').split('\n')
  writeFileSync(path, `${lines.slice(0, -2).join('\n')}\n`)
  assert.deepEqual(readBack(two), shown(2, second))
  rmSync(path)
  assert.equal(readBack(two), null)
  assert.match(faults[0] ?? '', /^error The record of the loaded rules cannot be read/)
})

const damages: Record<string, () => void> = {
  'a rule that is another': () => writeFileSync(path, readFileSync(path, 'utf8').replace('"accept"', '"drop"')),
  'a line in the middle that is broken': () => appendFileSync(path, '{"half\n{"fingerprints":[]}\n'),
  'a state that is missing': () => {
    const [head, found, one, , three] = readFileSync(path, 'utf8').split('\n')
    writeFileSync(path, `${[head, found, one, three].join('\n')}\n`)
  },
}
for (const [what, damage] of Object.entries(damages))
  test(`${what} makes the record void`, () => {
    commit(open(), first, second, third)
    damage()
    assert.equal(readBack(), null)
    assert.match(faults[0] ?? '', /^error The record of the loaded rules cannot be read/)
    assert.equal(existsSync(path), false)
  })

test('fingerprints are kept, also when everything is written again', () => {
  const journal = open()
  commit(journal, first)
  const [piece] = first.tables.get('inet t') ?? []
  journal.addFingerprints(new Map([[piece?.hash ?? '', 'print']]))
  const found = open().read(null)
  assert.deepEqual([...(found?.fingerprints ?? [])], [[piece?.hash, 'print']])
  const again = open()
  again.read(null)
  rmSync(path)
  assert.equal(again.add(again.entryFor({ id: 'x', revision: 2 }, second), second), false)
  assert.equal(again.add(again.entryFor({ id: 'y', revision: 3 }, first), first), true)
  assert.deepEqual([...(open().read(null)?.fingerprints ?? [])], [[piece?.hash, 'print']])
})

test('a record that cannot be written is reported, and stored in full by the next change', () => {
  const journal = open()
  commit(journal, first)
  rmSync(path)
  assert.equal(journal.add(journal.entryFor({ id: 'id 2', revision: 2 }, second), second), false)
  assert.match(faults[0] ?? '', /^warning The record of the loaded rules cannot be written/)
  assert.equal(journal.add(journal.entryFor({ id: 'id 3', revision: 3 }, third), third), true)
  assert.deepEqual(readBack(), shown(3, third))
})

test('a record does not grow without end, although there is never a pause between changes', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const journal = open()
  const lines = Array.from({ length: 1000 }, (_, at) => `ip saddr 10.0.0.${at & 255} counter accept comment "r.${at}"`)
  let largest = 0
  for (let revision = 1; revision <= 100; revision++) {
    const state = loaded(revision, chain('a', [`tcp dport ${revision} accept`, ...lines]))
    assert.equal(journal.add(journal.entryFor({ id: `id ${revision}`, revision }, state), state), true)
    context.mock.timers.tick(500)
    largest = Math.max(largest, statSync(path).size)
  }
  assert.ok(largest < 1.5 * 1024 * 1024, `it had ${largest} bytes`)
  journal.close()
  assert.equal(open().read(null)?.revision, 100)
})
