import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { clockOffsets } from '../../domain/policy/schedule.ts'
import { stepBounds } from './steps.ts'

const unix = (text: string): number => Date.parse(text) / 1000
const lengths = (bounds: readonly number[] | null): number[] =>
  (bounds ?? []).slice(1).map((bound, at) => (bound - (bounds?.[at] ?? 0)) / 3_600)

describe('steps of a timeline', () => {
  it('are days of the clock, also where it is changed', () => {
    const berlin = clockOffsets('Europe/Berlin')
    const autumn = stepBounds('day', unix('2026-10-24T00:00+02:00'), unix('2026-10-27T00:00+01:00'), berlin, 100)
    assert.deepEqual(lengths(autumn), [24, 25, 24])
    const spring = stepBounds('day', unix('2026-03-28T00:00+01:00'), unix('2026-03-31T00:00+02:00'), berlin, 100)
    assert.deepEqual(lengths(spring), [24, 23, 24])
    const lordHowe = clockOffsets('Australia/Lord_Howe')
    const half = stepBounds('day', unix('2026-10-03T00:00+10:30'), unix('2026-10-06T00:00+11:00'), lordHowe, 100)
    assert.deepEqual(lengths(half), [24, 23.5, 24])
  })

  it('begin and end with the period, and hours are whole ones of the clock', () => {
    const kathmandu = clockOffsets('Asia/Kathmandu')
    const from = unix('2026-05-01T10:20+05:45')
    assert.deepEqual(lengths(stepBounds('hour', from, from + 5_400, kathmandu, 100)), [40 / 60, 50 / 60])
    assert.deepEqual(stepBounds('day', from, from + 1, kathmandu, 100), [from, from + 1])
  })

  it('are not made when there are too many', () => {
    assert.equal(stepBounds('hour', 0, 3_600 * 101, clockOffsets('UTC'), 100), null)
  })

  it('rise in every zone', () => {
    for (const zone of ['UTC', 'America/Sao_Paulo', 'Africa/Cairo', 'Pacific/Apia', 'Asia/Beirut']) {
      const bounds = stepBounds('day', unix('2011-12-01'), unix('2012-12-01'), clockOffsets(zone), 400) ?? []
      assert.ok(
        bounds.every((bound, at) => at === 0 || bound > (bounds[at - 1] ?? 0)),
        zone,
      )
      assert.ok(bounds.length > 360 && bounds.length < 370, `${zone} ${bounds.length}`)
    }
  })
})
