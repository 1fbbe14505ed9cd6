// Change sets: whatever is done to a list, the change set replays to the new state and undoes to the old one.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Type } from '../contract/schema.ts'
import { type Config, list, single, write } from '../model/slots.ts'
import { applyChanges, diffConfig, inverse, longestRise, type Snapshot } from './diff.ts'

const rules = list('test.rules', Type.Object({ id: Type.Integer(), text: Type.String() }))
const settings = single('test.settings', Type.Object({ on: Type.Boolean() }), { on: false })
const slots = [rules, settings]

const empty: Snapshot = { revision: 0, config: { 'test.rules': [], 'test.settings': settings.initial }, positions: {} }

interface Rule {
  readonly id: number
  readonly text: string
}

const rulesOf = (snapshot: { config: Config }): readonly Rule[] => snapshot.config[rules.key] as readonly Rule[]

type Step =
  | { readonly kind: 'insert'; readonly at: number }
  | { readonly kind: 'remove'; readonly at: number }
  | { readonly kind: 'move'; readonly from: number; readonly at: number }
  | { readonly kind: 'edit'; readonly at: number; readonly text: string }

const place = fc.nat(1_000)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), at: place }),
  fc.record({ kind: fc.constant('remove' as const), at: place }),
  fc.record({ kind: fc.constant('move' as const), from: place, at: place }),
  fc.record({ kind: fc.constant('edit' as const), at: place, text: fc.string({ maxLength: 4 }) }),
)

function edit(items: readonly Rule[], s: Step, nextId: () => number): readonly Rule[] {
  const at = items.length === 0 ? 0 : s.at % items.length
  if (s.kind === 'insert') return items.toSpliced(s.at % (items.length + 1), 0, { id: nextId(), text: 'new' })
  const item = items[s.kind === 'move' ? s.from % items.length : at]
  if (!item) return items
  if (s.kind === 'remove') return items.filter((other) => other !== item)
  if (s.kind === 'edit') return items.with(at, { ...item, text: s.text })
  return items.filter((other) => other !== item).toSpliced(at, 0, item)
}

describe('change sets', () => {
  it('replay forwards and undo backwards after any sequence of edits', () => {
    fc.assert(
      fc.property(fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 25 }), (batches) => {
        let id = 0
        let snapshot = empty
        for (const batch of batches) {
          const wanted = batch.reduce((items, s) => edit(items, s, () => ++id), rulesOf(snapshot))
          const diff = diffConfig(slots, snapshot, { ...snapshot.config, [rules.key]: wanted })
          assert.deepEqual(rulesOf(diff.snapshot), wanted)
          const positions = diff.snapshot.positions[rules.key] ?? []
          assert.ok(
            positions.every((p, index) => index === 0 || p > (positions[index - 1] ?? Number.POSITIVE_INFINITY)),
          )
          assert.deepEqual(applyChanges(snapshot, diff.changes, 1).config, diff.snapshot.config)
          assert.deepEqual(applyChanges(diff.snapshot, inverse(diff.changes), 0).config, snapshot.config)
          snapshot = diff.snapshot
        }
      }),
      { numRuns: 300 },
    )
  })

  it('touch one row when one item of a long list moves', () => {
    const items = Array.from({ length: 10_000 }, (_, index) => ({ id: index + 1, text: '' }))
    const { snapshot } = diffConfig(slots, empty, { ...empty.config, [rules.key]: items })
    const move = (from: number, to: number) => items.toSpliced(from, 1).toSpliced(to, 0, items[from] as Rule)
    for (const moved of [move(0, 5_000), move(7_000, 2_000), move(9_999, 0), move(0, 9_999), move(4, 5)]) {
      const diff = diffConfig(slots, snapshot, { ...snapshot.config, [rules.key]: moved })
      assert.equal(diff.changes.length, 1)
      assert.deepEqual(rulesOf(diff.snapshot), moved)
      const positions = diff.snapshot.positions[rules.key] ?? []
      assert.deepEqual(
        positions,
        positions.toSorted((a, b) => a - b),
      )
      assert.deepEqual(applyChanges(snapshot, diff.changes, 1).config, diff.snapshot.config)
      assert.deepEqual(applyChanges(diff.snapshot, inverse(diff.changes), 0).config, snapshot.config)
    }
  })

  it('renumber when the room between two neighbours is used up', () => {
    let snapshot = diffConfig(slots, empty, {
      ...empty.config,
      [rules.key]: [
        { id: 1, text: '' },
        { id: 2, text: '' },
      ],
    }).snapshot
    for (let id = 3; id < 80; id++) {
      const wanted = rulesOf(snapshot).toSpliced(1, 0, { id, text: '' })
      const diff = diffConfig(slots, snapshot, { ...snapshot.config, [rules.key]: wanted })
      assert.deepEqual(rulesOf(diff.snapshot), wanted)
      assert.deepEqual(applyChanges(snapshot, diff.changes, 1).config, diff.snapshot.config)
      snapshot = diff.snapshot
    }
  })

  it('are empty for an equal value in a new object', () => {
    const { changes } = diffConfig(slots, empty, { ...empty.config, [settings.key]: { on: false } })
    assert.deepEqual(changes, [])
  })

  it('refuse two items with the same id', () => {
    const twice = [
      { id: 1, text: 'a' },
      { id: 1, text: 'b' },
    ]
    assert.throws(() => diffConfig(slots, empty, { ...empty.config, [rules.key]: twice }), /two items with the same id/)
  })
})

it('the longest rise keeps as many items in place as possible', () => {
  assert.deepEqual([...longestRise([3, 0, 1, -1, 2])].sort(), [1, 2, 4])
})

describe('a configuration whose origin is known', () => {
  it('differs in what one of unknown origin differs in', () => {
    const value = fc.oneof(
      fc.record({ slot: fc.constant(settings), value: fc.record({ on: fc.boolean() }) }),
      fc.record({
        slot: fc.constant(rules),
        value: fc.uniqueArray(fc.record({ id: fc.nat(5), text: fc.string({ maxLength: 1 }) }), {
          selector: ({ id }) => id,
        }),
      }),
    )
    fc.assert(
      fc.property(fc.array(fc.array(value, { maxLength: 3 }), { maxLength: 8 }), (edits) => {
        let head = empty
        for (const writes of edits) {
          const wanted = writes.reduce(
            (config, one) => write(config, one.slot as typeof settings, one.value as never),
            {
              ...head.config,
            } as Config,
          )
          const known = writes.reduce(
            (config, one) => write(config, one.slot as typeof settings, one.value as never),
            head.config,
          )
          const found = diffConfig(slots, head, known)
          assert.deepEqual(found, diffConfig(slots, head, wanted))
          head = found.snapshot
        }
      }),
    )
  })
})
