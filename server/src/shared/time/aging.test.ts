import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AgingState, createAging } from './aging.ts'

const day = 86_400
const start = Date.UTC(2026, 0, 1)

function bench(wall = start, before: AgingState | null = null) {
  const clock = { wall, seconds: 1_000 }
  const aging = createAging(
    () => clock.wall,
    () => clock.seconds,
    before,
  )
  const pass = (seconds: number): void => {
    clock.seconds += seconds
    clock.wall += seconds * 1000
  }
  return { clock, aging, pass }
}

test('without a jump it is the wall clock, and small steps are followed', () => {
  const { clock, aging, pass } = bench()
  for (const step of [0, 3_600_000, -3_600_000, 1_000, -86_400_000]) {
    pass(day)
    clock.wall += step
    assert.equal(aging(), clock.wall)
  }
})

for (const to of [Date.UTC(2026, 0, 2), Date.UTC(2038, 0, 19, 3, 14, 8), Date.UTC(2100, 0, 1)])
  test(`a jump to ${new Date(to).toISOString()} makes nothing old, until the clock has stayed there for days`, () => {
    const { clock, aging, pass } = bench()
    clock.wall = to
    assert.equal(aging(), start)
    pass(6 * day)
    assert.equal(aging(), start + 6 * day * 1000)
    pass(day)
    assert.equal(aging(), clock.wall)
  })

test('a clock that is set right in time was never believed, and one that jumps to and fro is not either', () => {
  const { clock, aging, pass } = bench()
  for (let round = 1; round <= 10; round++) {
    clock.wall = Date.UTC(2038, 0, 1)
    assert.ok(aging() < start + round * day * 500)
    pass(day / 2)
    clock.wall = start + round * day * 500
    assert.equal(aging(), clock.wall)
  }
})

test('a clock that goes back is followed at once, and so is its return', () => {
  const { clock, aging, pass } = bench()
  clock.wall = 0
  assert.equal(aging(), 0)
  pass(day)
  assert.equal(aging(), clock.wall)
  clock.wall = start + day * 1000
  assert.equal(aging(), clock.wall)
})

test('a clock that is ahead of one that went back for days is believed after days only', () => {
  const { clock, aging, pass } = bench()
  clock.wall = 0
  assert.equal(aging(), 0)
  pass(7 * day)
  assert.equal(aging(), clock.wall)
  clock.wall = start
  assert.equal(aging(), 7 * day * 1000)
  pass(7 * day)
  assert.equal(aging(), clock.wall)
})

const ahead = Date.UTC(2038, 0, 1)

/** Another start: the clock that no one sets begins again. */
const startAfter = (before: AgingState, wall: number) => bench(wall, before)

test('a start that finds the clock ahead believes it no more than a jump, over any number of starts', () => {
  let last = bench().aging.state()
  for (let hours = 0; hours < 7 * 24; hours += 24) {
    const { aging, pass } = startAfter(last, ahead + hours * 3_600_000)
    assert.equal(aging(), start + hours * 3_600_000)
    pass(day)
    last = aging.state()
  }
  const { clock, aging } = startAfter(last, ahead + 7 * day * 1000)
  assert.equal(aging(), clock.wall)
})

test('a start after a night without power has the time of the wall clock, and one after a holiday a week later', () => {
  const last = bench().aging.state()
  assert.equal(startAfter(last, start + 14 * 3_600_000).aging(), start + 14 * 3_600_000)
  const { clock, aging, pass } = startAfter(last, start + 30 * day * 1000)
  assert.equal(aging(), start)
  pass(7 * day)
  assert.equal(aging(), clock.wall)
})

test('days at one wrong time do not count for another', () => {
  const first = startAfter(bench().aging.state(), ahead)
  first.pass(6.9 * day)
  const second = startAfter(first.aging.state(), Date.UTC(2100, 0, 1))
  second.pass(day)
  assert.ok(second.aging() < start + 8 * day * 1000)
})

test('a machine without a clock of its own begins in 1970, and has the right time once it is set', () => {
  const { clock, aging } = startAfter(bench().aging.state(), 0)
  assert.equal(aging(), 0)
  clock.wall = start + 60_000
  assert.equal(aging(), clock.wall)
})
