import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAging } from './aging.ts'

const day = 86_400
const start = Date.UTC(2026, 0, 1)

function bench() {
  const clock = { wall: start, seconds: 1_000 }
  const aging = createAging(
    () => clock.wall,
    () => clock.seconds,
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

test('a clock that goes back is followed at once, and then ahead again after days only', () => {
  const { clock, aging, pass } = bench()
  clock.wall = 0
  assert.equal(aging(), 0)
  clock.wall = start
  assert.equal(aging(), 0)
  pass(7 * day)
  assert.equal(aging(), clock.wall)
})
