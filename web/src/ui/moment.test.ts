// Moments from the three forms of the wire, and how they are told.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { exactOf, instantOf, relativeOf } from './moment.ts'
import { readTimeOfDay } from './time-of-day.ts'

const noon = Date.UTC(2026, 10, 16, 12, 0, 0)

describe('moments', () => {
  it('reads unix seconds, ISO and stamps', () => {
    assert.equal(instantOf({ unix: noon / 1000 }), noon)
    assert.equal(instantOf({ iso: '2026-11-16T12:00:00Z' }), noon)
    assert.equal(instantOf({ stamp: 20261116120000 }), noon)
    assert.equal(instantOf({ stamp: '20261116120000' }), noon)
  })

  it('knows what is not a time', () => {
    for (const moment of [
      { unix: 0 },
      { unix: Number.NaN },
      { iso: 'x' },
      { stamp: 0 },
      { stamp: 20260231000000 },
      {},
    ]) {
      assert.equal(instantOf(moment), null, JSON.stringify(moment))
    }
  })

  it('tells how long ago in the largest unit that fits', () => {
    assert.equal(relativeOf(noon - 3000, noon, 'en'), '3 sec. ago')
    assert.equal(relativeOf(noon - 59_700, noon, 'en'), '1 min. ago')
    assert.equal(relativeOf(noon - 2 * 3_600_000, noon, 'en'), '2 hr. ago')
    assert.equal(relativeOf(noon + 86_400_000, noon, 'en'), 'tomorrow')
    assert.match(relativeOf(noon - 5 * 60_000, noon, 'ru'), /5 мин/)
  })

  it('tells the exact time in the zone of the gateway', () => {
    assert.equal(exactOf(noon, 'en', 'UTC'), '16 Nov 2026, 12:00:00 UTC')
    assert.match(exactOf(noon, 'en', 'Europe/Berlin'), /13:00:00/)
  })
})

describe('a time of day', () => {
  it('is read as people type it', () => {
    assert.equal(readTimeOfDay('9'), '09:00')
    assert.equal(readTimeOfDay('930'), '09:30')
    assert.equal(readTimeOfDay('0930'), '09:30')
    assert.equal(readTimeOfDay(' 9:30 '), '09:30')
  })

  it('refuses what is not one', () => {
    for (const text of ['', '24:00', '9:60', 'x', '9:3']) assert.equal(readTimeOfDay(text), null, text)
  })
})
