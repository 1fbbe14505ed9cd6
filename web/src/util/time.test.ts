// Times of the wire in the zone of the gateway, over changes of the clock.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  fromLocalText,
  momentOf,
  printDuration,
  printRelative,
  stampToUnix,
  toLocalText,
  unixToStamp,
  zoneOffset,
} from './time.ts'

const zones = ['UTC', 'Europe/Berlin', 'Asia/Yekaterinburg', 'America/New_York', 'Asia/Kathmandu'] as const

test('a stamp is the clock of the gateway', () => {
  assert.equal(stampToUnix(20260716120000, 'UTC'), Date.UTC(2026, 6, 16, 12) / 1000)
  assert.equal(stampToUnix(20260716120000, 'Asia/Yekaterinburg'), Date.UTC(2026, 6, 16, 7) / 1000)
  assert.equal(stampToUnix(20260116120000, 'Europe/Berlin'), Date.UTC(2026, 0, 16, 11) / 1000)
  assert.equal(stampToUnix(20260716120000, 'Europe/Berlin'), Date.UTC(2026, 6, 16, 10) / 1000)
  assert.equal(stampToUnix(17, 'UTC'), null)
})

test('stamps and unix seconds lead to each other in every zone', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_000_000_000 }), fc.constantFrom(...zones), (unix, zone) => {
      const back = stampToUnix(unixToStamp(unix, zone), zone) ?? 0
      // The hour that comes twice in autumn is one and the same stamp.
      assert.ok(back === unix || Math.abs(back - unix) === 3600, `${unix} ${zone} ${back}`)
      assert.equal(unixToStamp(back, zone), unixToStamp(unix, zone))
    }),
  )
})

test('they do so around every change of the clock', () => {
  const day = 86_400
  const [first, days] = [Date.UTC(2026, 0, 1) / 1000, Array.from({ length: 365 }, (_, index) => index)]
  const changes = zones.flatMap((zone) =>
    days
      .map((index) => ({ zone, at: first + index * day }))
      .filter(({ at }) => zoneOffset(at, zone) !== zoneOffset(at + day, zone)),
  )
  assert.equal(changes.length, 4)
  for (const { zone, at } of changes)
    for (let unix = at; unix < at + day; unix += 900) {
      const stamp = unixToStamp(unix, zone)
      assert.equal(unixToStamp(stampToUnix(stamp, zone) ?? 0, zone), stamp, `${unix} ${zone}`)
    }
})

test('of an hour that comes twice the first is meant, and a missing hour still has a moment', () => {
  const twice = stampToUnix(20261025023000, 'Europe/Berlin')
  assert.equal(twice, Date.UTC(2026, 9, 25, 0, 30) / 1000)
  assert.notEqual(stampToUnix(20260329023000, 'Europe/Berlin'), null)
})

test('text of an input and values of the wire', () => {
  const noon = Date.UTC(2026, 10, 16, 12) / 1000
  assert.equal(toLocalText(noon, 'Asia/Yekaterinburg'), '2026-11-16 17:00')
  assert.equal(fromLocalText('2026-11-16 17:00', 'Asia/Yekaterinburg'), noon)
  assert.equal(fromLocalText('soon', 'UTC'), null)
  assert.equal(momentOf(0, 'unix', 'UTC'), null)
  assert.equal(momentOf(null, 'stamp', 'UTC'), null)
  assert.equal(momentOf('2026-11-16T12:00:00Z', 'iso', 'Asia/Kathmandu'), noon)
  assert.equal(momentOf('x', 'iso', 'UTC'), null)
  assert.equal(zoneOffset(noon, 'Asia/Kathmandu'), 20_700)
})

test('relative times and durations', () => {
  assert.equal(printRelative(1000, 1180, 'en'), '3 min. ago')
  assert.equal(printRelative(1000 + 2 * 86_400, 1000, 'en'), 'in 2 days')
  assert.equal(printDuration(0, 'en'), '0s')
  assert.equal(printDuration(183_600, 'en'), '2d 3h')
})
