// Long lists in change sets: only what differs is kept, and both directions come out as they were.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { describeChanges } from './describe.ts'
import { applyChanges, inverse, type Snapshot } from './diff.ts'
import type { SplicedChange } from './revision.ts'
import { spliceLists } from './splices.ts'

const seed = Number(process.env.PORTCULLIS_SEED ?? 20_260_101)
const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `site-${index}.test`)
const change = (before: unknown, after: unknown, id: string | null = 'a'): SplicedChange => ({
  slot: 'test.list',
  id,
  before,
  after,
  from: id === null ? null : 1,
  to: id === null ? null : 1,
})
const stored = (one: SplicedChange): SplicedChange => JSON.parse(JSON.stringify(spliceLists(one))) as SplicedChange
const snapshotOf = (item: unknown): Snapshot => ({
  revision: 1,
  config: { 'test.list': [item] },
  positions: { 'test.list': [1] },
})

describe('a change of one entry of a long list', () => {
  const urls = numbered(20_000)
  const before = { id: 'a', name: 'Sites', urls, comment: '' }
  const after = { ...before, urls: urls.with(700, 'other.test') }

  it('keeps that entry and not the list', () => {
    const kept = stored(change(before, after))
    assert.ok(JSON.stringify(kept).length < 500)
    assert.deepEqual(kept.spliced, {
      urls: { at: 700, before: ['site-700.test'], after: ['other.test'], unchanged: 19_999 },
    })
  })

  it('is described by that entry', () => {
    assert.deepEqual(describeChanges([change(before, after)]), [
      {
        object: 'test.list[a]',
        action: 'changed',
        fields: [{ field: 'urls', before: ['site-700.test'], after: ['other.test'], at: 700, unchanged: 19_999 }],
      },
    ])
  })

  it('is described the same when it is read from disk', () => {
    assert.deepEqual(describeChanges([stored(change(before, after))]), describeChanges([change(before, after)]))
  })

  it('leaves an untouched list out when another field changes', () => {
    const renamed = change(before, { ...before, name: 'Others' })
    assert.ok(JSON.stringify(stored(renamed)).length < 500)
    assert.deepEqual(
      describeChanges([renamed])[0]?.fields.map(({ field }) => field),
      ['name'],
    )
  })

  it('refuses to be replayed on another value', () => {
    const elsewhere = snapshotOf({ ...before, urls: numbered(5) })
    assert.throws(() => applyChanges(elsewhere, [stored(change(before, after))], 2), /does not match/)
  })
})

it('short lists are kept whole', () => {
  const short = change({ id: 'a', urls: ['one'] }, { id: 'a', urls: ['two'] })
  assert.equal(spliceLists(short), short)
})

it('any two lists come out as they were, forwards and backwards', () => {
  const entry = fc.oneof(
    fc.constantFrom('x', 'y'),
    fc.record({ value: fc.constantFrom('x', 'y') }, { noNullPrototype: true }),
  )
  const lists = fc.array(entry, { minLength: 90, maxLength: 130 })
  fc.assert(
    fc.property(lists, lists, fc.nat(200), (one, other, cut) => {
      const [from, to] = [
        { id: 'a', urls: one, n: 1 },
        { id: 'a', urls: [...one.slice(0, cut), ...other.slice(cut)], n: 2 },
      ]
      const kept = stored(change(from, to))
      assert.deepEqual(applyChanges(snapshotOf(from), [kept], 2).config['test.list'], [to])
      assert.deepEqual(applyChanges(snapshotOf(to), inverse([kept]), 1).config['test.list'], [from])
      const single = stored(change(from, to, null))
      const held = (value: unknown): Snapshot => ({ revision: 1, config: { 'test.list': value }, positions: {} })
      assert.deepEqual(applyChanges(held(from), [single], 2).config['test.list'], to)
      assert.deepEqual(applyChanges(held(to), inverse([single]), 1).config['test.list'], from)
    }),
    { seed },
  )
})
