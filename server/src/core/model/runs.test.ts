// Runs of two lists: what they say is the same is the same, and one change leaves nearly all of the list in runs.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { findRuns, isSameList, mapRuns, missedByRuns, outsideRuns } from './runs.ts'

it('what is made beside a list is what is made from nothing, whatever changed', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.nat(400), { maxLength: 80 }),
      fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat(12), fc.uniqueArray(fc.integer({ min: 1000 }), { maxLength: 12 })), {
        maxLength: 5,
      }),
      (old, edits) => {
        const now = edits.reduce<number[]>(
          (list, [at, to, count, fresh]) => {
            const taken = list.splice(at % (list.length + 1), count)
            list.splice(to % (list.length + 1), 0, ...fresh.filter((it) => !list.includes(it)), ...taken.slice(1))
            return [...new Set(list)]
          },
          [...old],
        )
        const runs = findRuns(now, old)
        const name = (value: number) => `n${value}`
        const made = mapRuns(now.length, runs, old.map(name), (at) => name(now[at] as number))
        assert.deepEqual(made, now.map(name))
        for (const { at, from, count } of runs)
          assert.ok(isSameList(now.slice(at, at + count), old.slice(from, from + count)))
        const common = runs.reduce((sum, { count }) => sum + count, 0)
        assert.equal(outsideRuns(now.length, runs).length, now.length - common)
        assert.equal(missedByRuns(old.length, runs).length, old.length - common)
      },
    ),
    { seed: 20_261_115 },
  )
})

it('a rule that is added, deleted, replaced or moved leaves all others in runs', () => {
  const old = Array.from({ length: 1000 }, (_, at) => at)
  for (const [changed, fresh] of [
    [old.toSpliced(500, 0, 5000), 1],
    [old.toSpliced(500, 1), 0],
    [old.with(500, 5000), 1],
    [old.toSpliced(900, 1).toSpliced(3, 0, 900), 1],
    [old.toSpliced(3, 1).toSpliced(900, 0, 3), 1],
    [old, 0],
  ] as const) {
    const runs = findRuns(changed, old)
    assert.equal(outsideRuns(changed.length, runs).length, fresh)
    assert.ok(runs.length <= 3)
  }
})
