// Mentions of an object are found over all areas, and follow the configuration.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { strictObject } from '../contract/fields.ts'
import { Type } from '../contract/schema.ts'
import type { Reference } from './references.ts'
import { createReferenceFinder } from './references.ts'
import { list, read } from './slots.ts'

const notes = list('a.notes', strictObject({ id: Type.Integer(), uses: Type.String() }))
const labels = list('b.labels', strictObject({ id: Type.Integer(), uses: Type.String() }))

const mentions =
  (slot: typeof notes, title: string) =>
  (config: Readonly<Record<string, unknown>>): Reference[] =>
    read(config, slot).map((item) => ({
      id: item.uses,
      object: `${slot.key}[${item.id}]`,
      field: 'uses',
      title: `${title} ${item.id}`,
    }))

it('an area is not asked about what it cannot mention', () => {
  const find = createReferenceFinder([
    {
      slots: [notes],
      references: () => assert.fail('fifty thousand notes were looked at'),
      canMention: (id) => id.startsWith('group.'),
    },
  ])
  assert.deepEqual(find({ 'a.notes': [] }, 'user.id.1'), [])
})

it('finds every mention, and none that is gone', () => {
  const find = createReferenceFinder([
    { slots: [notes], references: mentions(notes, 'Note') },
    { slots: [labels], references: mentions(labels, 'Label') },
    { slots: [] },
  ])
  const config = {
    'a.notes': [{ id: 1, uses: 'ip.id.3' }],
    'b.labels': [
      { id: 2, uses: 'ip.id.3' },
      { id: 3, uses: 'x' },
    ],
  }
  const titles = (state: object, id: string) => find(state as never, id).map((reference) => reference.title)
  assert.deepEqual(titles(config, 'ip.id.3'), ['Note 1', 'Label 2'])
  assert.deepEqual(titles(config, 'x'), ['Label 3'])
  assert.deepEqual(titles({ ...config, 'a.notes': [] }, 'ip.id.3'), ['Label 2'])
})

it('finds the same in the same order, however often it is asked', () => {
  const find = createReferenceFinder([{ slots: [notes], references: mentions(notes, 'Note') }])
  const config = { 'a.notes': Array.from({ length: 50 }, (_, id) => ({ id, uses: `ip.id.${id % 5}` })) }
  for (let round = 0; round < 30; round++) {
    const ids = find(config, `ip.id.${round % 6}`).map(({ object }) => object)
    const expected = config['a.notes'].filter(({ id }) => id % 5 === round % 6).map(({ id }) => `a.notes[${id}]`)
    assert.deepEqual(ids, expected)
  }
})
