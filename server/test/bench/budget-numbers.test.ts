// The file of budgets: what it refuses, how it falls, and that it never rises without a reason.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { readEarlier } from '../../../bench/budget/history.ts'
import {
  describe as describeExcess,
  findExcess,
  findRaised,
  findUnknown,
  type Numbers,
  numbersPath,
  parseNumbers,
  printNumbers,
  readNumbers,
  updateNumbers,
} from '../../../bench/budget/numbers.ts'
import { operations } from '../../../bench/budget/operations.ts'

const rule = 'one firewall rule'
const numbers: Numbers = {
  [rule]: { messages: { most: 4 }, 'system calls of applyd': { most: 100 } },
  'settings GET': { 'processor time of gatewayd': { most: 2 } },
}
const withMessages = (messages: number) => ({ [rule]: { messages } })
const today = { date: '2026-11-18' }

describe('numbers of the budget', () => {
  it('are there for every operation, in the form in which they are written', () => {
    const stored = readNumbers()
    assert.deepEqual(Object.keys(stored), [...operations.map(({ name }) => name), 'start'])
    assert.equal(readFileSync(numbersPath, 'utf8'), printNumbers(stored), 'run npm run budget -- --write')
  })

  it('have not risen without a reason since the last commits', (context) => {
    const versions = [readNumbers(), ...readEarlier()]
    if (versions.length < 3) context.diagnostic(`${versions.length - 1} earlier versions of the file are known here`)
    for (const [at, version] of versions.slice(0, -1).entries())
      assert.deepEqual(findRaised(versions[at + 1] ?? {}, version), [])
  })

  it('name the operation, the count, the budget, what was found and what to do', () => {
    const [excess, ...others] = findExcess(numbers, withMessages(5))
    assert.ok(excess)
    assert.deepEqual(others, [])
    assert.equal(
      describeExcess(excess),
      'one firewall rule: messages: 5 found, the budget is 4. Find what the last changes added ("Budgets" in docs/performance.md). If it has to cost that: npm run budget -- --write --reason "why"',
    )
  })

  it('are exact where counts are, and have a tolerance where they are not', () => {
    assert.deepEqual(findExcess(numbers, withMessages(4)), [])
    assert.deepEqual(findExcess(numbers, { 'settings GET': { 'processor time of gatewayd': 2.59 } }), [])
    assert.equal(findExcess(numbers, { 'settings GET': { 'processor time of gatewayd': 2.65 } }).length, 1)
    assert.deepEqual(findUnknown(numbers, { [rule]: { pages: 1 } }), [
      'one firewall rule: pages has no budget. Run: npm run budget -- --write',
    ])
  })

  it('fall by themselves, and keep what was not counted', () => {
    const next = updateNumbers(numbers, withMessages(2), { reason: null, ...today })
    assert.deepEqual(next, { ...numbers, [rule]: { ...numbers[rule], messages: { most: 2 } } })
  })

  it('do not follow the noise', () => {
    const next = updateNumbers(numbers, { [rule]: { 'system calls of applyd': 97 } }, { reason: null, ...today })
    assert.deepEqual(next, numbers)
  })

  it('rise only with a reason, which is kept beside the number', () => {
    assert.deepEqual(updateNumbers(numbers, withMessages(6), { reason: null, ...today }), numbers)
    const next = updateNumbers(numbers, withMessages(6), { reason: 'It asks twice.', ...today })
    const raised = { from: 4, reason: 'It asks twice.', date: '2026-11-18' }
    assert.deepEqual(next[rule]?.messages, { most: 6, raised })
    assert.deepEqual(findRaised(numbers, next), [])
    const silent = { ...numbers, [rule]: { messages: { most: 6 } } }
    assert.deepEqual(findRaised(numbers, silent), [
      'one firewall rule: messages: 6 is more than 4 before. Give a reason: npm run budget -- --write --reason "why"',
    ])
    // A reason counts once.
    assert.equal(findRaised(next, { [rule]: { messages: { most: 7, raised } } }).length, 1)
  })

  it('forget operations that are no more', () => {
    const next = updateNumbers({ ...numbers, 'an old one': {} }, {}, { reason: null, ...today })
    assert.deepEqual(next, numbers)
  })

  it('say what to do after a merge', () => {
    assert.throws(
      () => parseNumbers('<<<<<<< ours\n{}'),
      /take the file of either side and run: npm run budget -- --write/,
    )
  })

  it('are compared with what git knows, and with nothing where it knows nothing', () => {
    const folder = mkdtempSync(join(tmpdir(), 'budget-history-'))
    const path = join(folder, 'numbers.json')
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', folder, '-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args])
    const commit = (text: string): void => {
      writeFileSync(path, text)
      git('add', '.')
      git('commit', '--quiet', '--message', text)
    }
    try {
      writeFileSync(path, '{}')
      assert.deepEqual(readEarlier(path), [])
      git('init', '--quiet')
      assert.deepEqual(readEarlier(path), [])
      commit('{ "a": {} }')
      assert.deepEqual(readEarlier(path), [{ a: {} }])
      commit('{ "b": {} }')
      commit('{ "c": {} }')
      assert.deepEqual(readEarlier(path), [{ c: {} }, { b: {} }])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
