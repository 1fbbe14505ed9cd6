// Undo of one revision as data: what comes back, what stays, where it is, and what is named when it cannot be.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { GatewayError } from '../contract/error.ts'
import { Type } from '../contract/schema.ts'
import { type Config, type Item, list, single } from '../model/slots.ts'
import { diffConfig, type Snapshot } from './diff.ts'
import { type LaterChange, laterChangesIn, type PastChange, touchedBy, undo } from './undo.ts'

const items = list('area.items', Type.Object({ id: Type.Integer(), name: Type.String() }))
const settings = single('area.settings', Type.Object({ mode: Type.String(), list: Type.Array(Type.Integer()) }), {
  mode: 'a',
  list: [],
})
const slots = [items, settings]

const config = (names: string, mode = 'a', numbers: readonly number[] = []): Config => ({
  'area.items': [...names].map((name): Item & { name: string } => ({ id: name.toLowerCase().charCodeAt(0), name })),
  'area.settings': { mode, list: numbers },
})
const snapshotOf = (one: Config): Snapshot => ({
  revision: 1,
  config: one,
  positions: { 'area.items': (one['area.items'] as readonly Item[]).map((_, index) => index + 1) },
})
const past = (before: Config, after: Config, later: readonly LaterChange[] = []): PastChange => {
  const { changes } = diffConfig(slots, snapshotOf(before), after)
  return { revision: 2, before, after, changes, later }
}
const names = (one: Config): string =>
  (one['area.items'] as readonly { name: string }[]).map(({ name }) => name).join('')

/** The list before the revision, after it, now, and once it is taken back. */
const cases: readonly (readonly [before: string, after: string, now: string, undone: string])[] = [
  ['abc', 'abcd', 'abcd', 'abc'],
  ['abc', 'abcd', 'xabcdy', 'xabcy'],
  ['abc', 'ac', 'ac', 'abc'],
  ['abc', 'ac', 'xayc', 'xabyc'],
  ['abc', 'bc', 'xbc', 'xabc'],
  ['abc', 'bc', 'xyc', 'xyac'],
  ['abc', '', 'x', 'xabc'],
  ['abcd', 'ad', 'd', 'bcd'],
  ['abcd', 'bcda', 'bcdae', 'abcde'],
  ['abcd', 'dabc', 'dabc', 'abcd'],
  ['abcd', 'bcda', 'bcd', 'bcd'],
  ['abc', 'Abc', 'Abcd', 'abcd'],
  ['abc', 'Abc', 'abc', 'abc'],
  ['abc', 'cBa', 'cBa', 'abc'],
  ['abc', 'abcd', 'abc', 'abc'],
  ['abc', 'ac', 'abc', 'abc'],
]

describe('undo', () => {
  for (const [before, after, now, undone] of cases) {
    it(`of ${before} to ${after} makes ${undone} of ${now}`, () => {
      assert.equal(names(undo(slots, past(config(before), config(after)), config(now))), undone)
    })
  }

  it('keeps fields of settings that the revision did not change', () => {
    const change = past(config('', 'a', [1]), config('', 'b', [1]))
    assert.deepEqual(undo(slots, change, config('', 'b', [1, 2]))['area.settings'], { mode: 'a', list: [1, 2] })
  })

  it('leaves slots alone that the revision did not touch', () => {
    const now = config('ab', 'z')
    assert.equal(undo(slots, past(config('a'), config('ab')), now)['area.settings'], now['area.settings'])
  })

  const refusals: readonly (readonly [before: Config, after: Config, now: Config, field: string])[] = [
    [config('a'), config('ab'), config('aB'), 'area.items[98]'],
    [config('ab'), config('aB'), config('a'), 'area.items[98]'],
    [config('ab'), config('a'), config('aB'), 'area.items[98]'],
    [config('', 'a'), config('', 'b'), config('', 'c'), 'area.settings.mode'],
    [config('abcd'), config('bcda'), config('abcd', 'x'), ''],
    [config('abcde'), config('bcdea'), config('bacde'), 'area.items[97]'],
  ]
  for (const [before, after, now, field] of refusals) {
    it(`of ${names(before)} to ${names(after)} on ${names(now)} ${field === '' ? 'is done already' : `names ${field}`}`, () => {
      const { changes } = diffConfig(slots, snapshotOf(after), now)
      const info = { revision: 7, time: '', author: 'bob', address: '', reason: '' }
      const change = past(before, after)
      const later = laterChangesIn({ ...info, changes }, touchedBy(change.changes))
      const work = () => undo(slots, { ...change, later }, now)
      if (field === '') {
        assert.equal(names(work()), names(before))
        return
      }
      assert.throws(work, (error) => {
        assert.ok(error instanceof GatewayError)
        assert.equal(error.code, 'conflict')
        assert.deepEqual(
          error.problems.map((problem) => problem.field),
          [field],
        )
        assert.match(error.problems[0]?.message ?? '', /by bob in revision 7\.$/)
        return true
      })
    })
  }
})
