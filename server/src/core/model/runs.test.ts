// Runs of two lists: what they say is the same is the same, and one change leaves nearly all of the list in runs.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import {
  findRuns,
  isSameList,
  makingOf,
  mapRuns,
  missedByRuns,
  moveInList,
  outsideRuns,
  runsNoted,
  spliceList,
} from './runs.ts'
import { commonEnds } from './slots.ts'

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

it('what is noted of a list is what comparing finds', () => {
  const old = Array.from({ length: 300 }, (_, at) => ({ at }))
  const fresh = { at: -1 }
  const place = fc.nat(old.length - 1)
  const edits = {
    added: (at: number) => spliceList(old, at, 0, fresh),
    deleted: (at: number) => spliceList(old, at, 1),
    replaced: (at: number) => spliceList(old, at, 1, fresh),
    moved: (at: number, to: number) => moveInList(old, at, to),
  }
  const expected = {
    added: (at: number) => old.toSpliced(at, 0, fresh),
    deleted: (at: number) => old.toSpliced(at, 1),
    replaced: (at: number) => old.with(at, fresh),
    moved: (at: number, to: number) => old.toSpliced(at, 1).toSpliced(to, 0, old[at] as { at: number }),
  }
  fc.assert(
    fc.property(fc.constantFrom('added', 'deleted', 'replaced', 'moved'), place, place, (edit, at, to) => {
      const made = edits[edit](at, to)
      assert.ok(isSameList(made, expected[edit](at, to)))
      const runs = runsNoted(made, old)
      assert.ok(runs !== null && outsideRuns(made.length, runs).length <= 1)
      for (const run of runs)
        assert.ok(isSameList(made.slice(run.at, run.at + run.count), old.slice(run.from, run.from + run.count)))
      const [head, tail] = commonEnds(old, made)
      assert.ok(isSameList(made.slice(0, head), old.slice(0, head)))
      assert.ok(isSameList(made.slice(made.length - tail), old.slice(old.length - tail)))
      const [most, mostTail] = commonEnds(old, [...made])
      assert.ok(head + tail >= most + mostTail - 1)
      assert.deepEqual(
        makingOf(made)?.fresh,
        outsideRuns(made.length, runs).map((index) => made[index]),
      )
    }),
    { seed: 20_261_118 },
  )
})

it('nothing is noted of short lists, nor of lists that were not made of each other', () => {
  const [short, long] = [3, 300].map((length) => Array.from({ length }, (_, at) => ({ at }))) as [object[], object[]]
  assert.equal(runsNoted(spliceList(short, 1, 1), short), null)
  const made = spliceList(long, 1, 1)
  assert.equal(runsNoted(made, [...long]), null)
  assert.equal(runsNoted([...made], long), null)
  assert.equal(makingOf([...made]), null)
})
