// Revisions narrowed by person, time and words.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { narrow, readNarrowing } from './revisions.ts'

const revision = (n: number, author: string, time: number) => ({
  revision: n,
  author,
  time: new Date(time * 1_000).toISOString(),
  address: '10.0.0.1',
  reason: '',
})
const all = [revision(3, 'ops', 300), revision(2, 'admin', 200), revision(1, 'admin', 100)]
const numbers = (search: Record<string, string>, only: ReadonlySet<number> | null = null) =>
  narrow(all, readNarrowing(search, only), (n) => (n === 2 ? 'FORWARD rule 42' : '')).map((one) => one.revision)

test('conditions of the address narrow the list together', () => {
  assert.deepEqual(numbers({}), [3, 2, 1])
  assert.deepEqual(numbers({ who: 'admin' }), [2, 1])
  assert.deepEqual(numbers({ from: '150', until: '300' }), [2])
  assert.deepEqual(numbers({ q: 'forward' }), [2])
  assert.deepEqual(numbers({ from: 'nonsense' }), [3, 2, 1])
  assert.deepEqual(numbers({ who: 'admin' }, new Set([1, 3])), [1])
})
