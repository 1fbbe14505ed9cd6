// Schedules as unix seconds: weekdays, midnight, periods, and days on which the clocks change.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { contains, type Ranges, sizeOf } from '../../shared/net/ranges.ts'
import { parseMoment, scheduleRanges, type TimeSpan } from './schedule.ts'

const seed = Number(process.env.PORTCULLIS_SEED ?? 20_260_101)
const everyDay = [1, 2, 3, 4, 5, 6, 7]
const span = (start: string, end: string, rest: Partial<TimeSpan> = {}): TimeSpan => ({
  weekdays: everyDay,
  start,
  end,
  period: null,
  ...rest,
})
const unix = (text: string): number => Date.parse(text) / 1000
const shown = (ranges: Ranges): string[] => ranges.map((second) => new Date(second * 1000).toISOString().slice(0, 19))

/** Thursday. */
const day = unix('2026-01-01T00:00:00Z')

describe('a schedule', () => {
  it('holds from its start up to, but not at, its end', () => {
    assert.deepEqual(shown(scheduleRanges([span('08:00', '18:00')], 'UTC', day, 1)), [
      '2026-01-01T08:00:00',
      '2026-01-01T17:59:59',
    ])
  })

  it('holds on its weekdays only', () => {
    const ranges = scheduleRanges([span('00:00', '23:59', { weekdays: [1, 7] })], 'UTC', day, 7)
    assert.deepEqual(shown(ranges), [
      '2026-01-04T00:00:00',
      '2026-01-04T23:58:59',
      '2026-01-05T00:00:00',
      '2026-01-05T23:58:59',
    ])
  })

  it('that ends earlier than it starts spans midnight, and belongs to the day it begins on', () => {
    const ranges = scheduleRanges([span('22:00', '06:00', { weekdays: [5] })], 'UTC', day, 7)
    assert.deepEqual(shown(ranges), ['2026-01-02T22:00:00', '2026-01-03T05:59:59'])
  })

  it('that began the day before is already under way when the window opens', () => {
    const ranges = scheduleRanges([span('22:00', '06:00', { weekdays: [3] })], 'UTC', day, 2)
    assert.deepEqual(shown(ranges), ['2026-01-01T00:00:00', '2026-01-01T05:59:59'])
  })

  it('that ends when it starts is the whole day', () => {
    assert.equal(sizeOf(scheduleRanges([span('00:00', '00:00')], 'UTC', day, 3)), 3 * 86_400)
    const fromNoon = scheduleRanges([span('12:00', '12:00', { weekdays: [4] })], 'UTC', day, 7)
    assert.deepEqual(shown(fromNoon), ['2026-01-01T12:00:00', '2026-01-02T11:59:59'])
  })

  it('holds within its period only, both ends included', () => {
    const period = { first: 20_260_102_090_000, last: 20_260_103_093_000 }
    const ranges = scheduleRanges([span('08:00', '10:00', { period })], 'UTC', day, 10)
    assert.deepEqual(shown(ranges), [
      '2026-01-02T09:00:00',
      '2026-01-02T09:59:59',
      '2026-01-03T08:00:00',
      '2026-01-03T09:30:00',
    ])
    const over = { first: 20_200_101_000_000, last: 20_200_102_000_000 }
    assert.deepEqual(scheduleRanges([span('08:00', '10:00', { period: over })], 'UTC', day), [])
  })

  it('of several times is all of them together', () => {
    const ranges = scheduleRanges(
      [span('08:00', '12:00'), span('11:00', '14:00'), span('20:00', '21:00')],
      'UTC',
      day,
      1,
    )
    assert.deepEqual(shown(ranges), [
      '2026-01-01T08:00:00',
      '2026-01-01T13:59:59',
      '2026-01-01T20:00:00',
      '2026-01-01T20:59:59',
    ])
    assert.deepEqual(scheduleRanges([], 'UTC', day), [])
  })

  it('reaches forty days ahead', () => {
    assert.equal(sizeOf(scheduleRanges([span('00:00', '00:00')], 'Europe/Berlin', day)), 40 * 86_400)
  })
})

describe('on the day the clocks change', () => {
  const on = (zone: string, date: string, start: string, end: string): string[] =>
    shown(
      scheduleRanges(
        [span(start, end, { period: { first: Number(`${date}000000`), last: Number(`${date}235959`) } })],
        zone,
        unix(`${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}T00:00:00Z`) - 86_400,
        3,
      ),
    )

  it('working hours follow the clock on the wall, in spring and in autumn', () => {
    // Berlin: 29 March 2026 at 01:00Z to UTC+2, 25 October at 01:00Z back to UTC+1.
    assert.deepEqual(on('Europe/Berlin', '20260328', '08:00', '09:00'), ['2026-03-28T07:00:00', '2026-03-28T07:59:59'])
    assert.deepEqual(on('Europe/Berlin', '20260329', '08:00', '09:00'), ['2026-03-29T06:00:00', '2026-03-29T06:59:59'])
    assert.deepEqual(on('Europe/Berlin', '20261025', '08:00', '09:00'), ['2026-10-25T07:00:00', '2026-10-25T07:59:59'])
    // New York: 8 March 2026 at 07:00Z to UTC-4, 1 November at 06:00Z back to UTC-5.
    assert.deepEqual(on('America/New_York', '20260308', '08:00', '09:00'), [
      '2026-03-08T12:00:00',
      '2026-03-08T12:59:59',
    ])
    assert.deepEqual(on('America/New_York', '20261101', '08:00', '09:00'), [
      '2026-11-01T13:00:00',
      '2026-11-01T13:59:59',
    ])
  })

  it('the hour that is left out is in no schedule', () => {
    assert.deepEqual(on('Europe/Berlin', '20260329', '02:00', '03:00'), [])
    assert.deepEqual(on('Europe/Berlin', '20260329', '01:30', '03:30'), ['2026-03-29T00:30:00', '2026-03-29T01:29:59'])
    assert.deepEqual(on('America/New_York', '20260308', '02:15', '02:45'), [])
  })

  it('the hour that comes twice is in it twice', () => {
    assert.deepEqual(on('Europe/Berlin', '20261025', '02:00', '02:30'), [
      '2026-10-25T00:00:00',
      '2026-10-25T00:29:59',
      '2026-10-25T01:00:00',
      '2026-10-25T01:29:59',
    ])
    assert.deepEqual(on('America/New_York', '20261101', '00:30', '02:00'), [
      '2026-11-01T04:30:00',
      '2026-11-01T06:59:59',
    ])
  })

  it('a night across the change ends when the clock says so', () => {
    const night = [span('22:00', '06:00', { weekdays: [6] })]
    assert.deepEqual(shown(scheduleRanges(night, 'Europe/Berlin', unix('2026-03-27T00:00:00Z'), 5)), [
      '2026-03-28T21:00:00',
      '2026-03-29T03:59:59',
    ])
  })
})

it('at any moment a schedule holds exactly when the clock of the zone says so', () => {
  const clocks = new Map<string, Intl.DateTimeFormat>()
  const readClock = (zone: string, second: number) => {
    const format =
      clocks.get(zone) ?? new Intl.DateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'full', timeStyle: 'medium' })
    clocks.set(zone, format)
    const text = format.format(second * 1000)
    const weekday = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].indexOf(text.slice(0, 3)) + 1
    const [hours = 0, minutes = 0] = (text.match(/\d\d:\d\d/)?.[0] ?? '').split(':').map(Number)
    return { weekday, minute: hours * 60 + minutes }
  }
  const minuteOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3))
  const time = fc.integer({ min: 0, max: 1439 }).map((minute) => {
    return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
  })
  const zone = fc.constantFrom(
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
    'Africa/Cairo',
  )
  const start = fc.integer({ min: unix('2026-01-01T00:00:00Z') / 86_400, max: unix('2026-12-31T00:00:00Z') / 86_400 })
  const weekdays = fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 7 })
  fc.assert(
    fc.property(zone, start, time, time, weekdays, fc.array(fc.nat(40 * 86_400 - 1), { minLength: 40 }), (...drawn) => {
      const [timeZone, startDay, from, until, days, offsets] = drawn
      const ranges = scheduleRanges([span(from, until, { weekdays: days })], timeZone, startDay * 86_400)
      for (const offset of offsets) {
        const second = startDay * 86_400 + offset
        const { weekday, minute } = readClock(timeZone, second)
        const [low, high] = [minuteOf(from), minuteOf(until)]
        const yesterday = ((weekday + 5) % 7) + 1
        const isIn =
          low < high
            ? days.includes(weekday) && low <= minute && minute < high
            : (days.includes(weekday) && low <= minute) || (days.includes(yesterday) && minute < high)
        assert.equal(
          contains(ranges, second),
          isIn,
          `${timeZone} ${new Date(second * 1000).toISOString()} ${from}-${until}`,
        )
      }
    }),
    { seed, numRuns: 150 },
  )
})

it('a moment is a real day and time, or none', () => {
  assert.equal(parseMoment(20_240_229_235_959), unix('2024-02-29T23:59:59Z'))
  for (const stamp of [
    20_230_229_000_000, 20_241_301_000_000, 20_240_100_000_000, 20_240_101_240_000, 20_240_101_006_000, 7,
  ]) {
    assert.equal(parseMoment(stamp), null, String(stamp))
  }
})
