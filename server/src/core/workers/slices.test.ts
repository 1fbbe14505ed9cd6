import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sortInSlices } from './slices.ts'

it('a sort in slices is the sort of all at once, and stable', async () => {
  for (const length of [0, 1, 511, 512, 513, 5_000]) {
    const values = Array.from({ length }, (_, index) => ({ key: (index * 7919) % 97, index }))
    const compare = (a: { key: number }, b: { key: number }): number => a.key - b.key
    assert.deepEqual(await sortInSlices(values, compare), values.toSorted(compare))
  }
})
