// Charts: falling resolution, bounds, clocks that jump, restarts and damage.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { ChartStore, chartTiers } from './charts.ts'

const start = 1_767_225_600
const noSlices = (): undefined => undefined

let folder = ''
let store: ChartStore
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portcullis-charts-'))
  store = new ChartStore(join(folder, 'charts.db'))
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

const add = (time: number, value: number, name = 'cpu/busy'): void => store.add(time, new Map([[name, value]]))
const read = (from: number, until: number, now = until, prefix = 'cpu/') =>
  store.read({ prefix, from, until, now }, noSlices)
const rowsOf = (tier: number): number => {
  const database = new DatabaseSync(join(folder, 'charts.db'), { readOnly: true })
  const row = database
    .prepare('SELECT count(*) AS rows FROM steps WHERE place >= ? AND place < ?')
    .get(tier * 2 ** 40, (tier + 1) * 2 ** 40)
  database.close()
  return Number(row?.rows)
}

describe('charts', () => {
  it('show every look for two hours, then minutes, ten minutes and hours with minimum, average and maximum', async () => {
    for (let index = 0; index < 360; index++) add(start + index * 10, index)
    const now = start + 3_600
    const fine = await read(start, now)
    assert.equal(fine.stepSeconds, 10)
    assert.equal(fine.series[0]?.points.length, 360)
    assert.deepEqual(fine.series[0]?.points[7], { time: start + 70, min: 7, avg: 7, max: 7 })
    const minutes = await read(start, now, start + 86_400)
    assert.equal(minutes.stepSeconds, 60)
    assert.deepEqual(minutes.series[0]?.points[1], { time: start + 60, min: 6, avg: 8.5, max: 11 })
    const tens = await read(start, now, start + 10 * 86_400)
    assert.equal(tens.stepSeconds, 600)
    assert.deepEqual(tens.series[0]?.points[0], { time: start, min: 0, avg: 29.5, max: 59 })
    const hours = await read(start, now, start + 80 * 86_400)
    assert.equal(hours.stepSeconds, 3600)
    assert.deepEqual(hours.series[0]?.points, [{ time: start, min: 0, avg: 179.5, max: 359 }])
  })

  it('show numbers as they were measured, as exactly as they are kept', async () => {
    add(start, 13.31)
    add(start + 10, 21_540_929_536.5)
    const { series } = await read(start, start + 20, start + 60)
    assert.deepEqual(series[0]?.points, [
      { time: start, min: 13.31, avg: 13.31, max: 13.31 },
      { time: start + 10, min: 21_540_929_536, avg: 21_540_929_536, max: 21_540_929_536 },
    ])
  })

  it('go on in the same step after a restart', async () => {
    add(start, 1)
    store.close()
    store = new ChartStore(join(folder, 'charts.db'))
    add(start + 10, 3)
    const { series } = await read(start, start + 60, start + 86_400)
    assert.deepEqual(series, [{ name: 'cpu/busy', points: [{ time: start, min: 1, avg: 2, max: 3 }] }])
  })

  it('are bounded in every tier', () => {
    const { steps = 0 } = chartTiers[0] ?? {}
    for (let index = 0; index < steps + 50; index++) add(start + index * 10, 1)
    assert.deepEqual(
      chartTiers.map((_, tier) => rowsOf(tier)),
      [steps, 129, 13, 3],
    )
  })

  it('lose little to a clock that was wrong for a while, and nothing of it stays', async () => {
    const { steps = 0 } = chartTiers[0] ?? {}
    for (let index = 0; index < steps; index++) add(start + index * 10, 1)
    for (let index = 0; index < 5; index++) add(start + 20 * 365 * 86_400 + index * 10, 9)
    const end = start + steps * 10
    for (let index = 0; index < 5; index++) add(end + index * 10, 1)
    assert.equal(rowsOf(0), steps)
    const { series } = await read(end - 7_100, end + 50)
    assert.equal(series[0]?.points.length, 715)
    assert.ok(series[0]?.points.every(({ max }) => max === 1))
  })

  it('keep a bounded number of series and leave out what is not a number', async () => {
    const values = new Map(Array.from({ length: 1_100 }, (_, index) => [`interfaces/if${index}/bytes_in`, index]))
    store.add(start, values)
    add(start, Number.NaN)
    assert.equal((await read(start, start + 10, start + 10, 'interfaces/')).series.length, 1_024)
    assert.equal((await read(start, start + 10)).series.length, 0)
    // After a quarter of a year of silence their room is given to others.
    add(start + 92 * 86_400, 5, 'cpu/busy')
    assert.equal((await read(start + 92 * 86_400, start + 92 * 86_400 + 10)).series.length, 1)
  })

  it('show a coarser step where the reply would be too long', async () => {
    const names = Array.from({ length: 200 }, (_, index) => `interfaces/if${index}/bytes_in`)
    for (let index = 0; index < 12; index++) store.add(start + index * 300, new Map(names.map((name) => [name, index])))
    const all = await read(start, start + 3_600, start + 3_600, 'interfaces/')
    assert.equal(all.stepSeconds, 60)
    const one = await read(start, start + 3_600, start + 3_600, 'interfaces/if7/')
    assert.equal(one.stepSeconds, 10)
    assert.deepEqual(
      one.series.map(({ name }) => name),
      ['interfaces/if7/bytes_in'],
    )
  })

  it('never give more numbers than a reply may have, also of all series over all of the time', async () => {
    const names = Array.from({ length: 500 }, (_, index) => `interfaces/if${index}/bytes_in`)
    for (let hour = 0; hour < 200; hour++) store.add(start + hour * 3_600, new Map(names.map((name) => [name, hour])))
    const all = await read(0, 2 ** 40, start + 200 * 3_600, 'interfaces/')
    assert.equal(all.series.length, 500)
    assert.equal(all.stepSeconds, 27 * 3_600)
    const points = all.series[3]?.points ?? []
    assert.ok(points.length * 500 <= 40_000)
    assert.deepEqual([points[0]?.min, points.at(-1)?.max], [0, 199])
    const whole = points[1] ?? { time: 0, min: 0, avg: 0, max: 0 }
    assert.equal(whole.max - whole.min, 26)
    assert.equal(whole.avg, (whole.min + whole.max) / 2)
  })

  it('begin again when their file is damaged', async () => {
    store.close()
    writeFileSync(
      join(folder, 'charts.db'),
      'this is not a database, and long enough to be looked at as one '.repeat(20),
    )
    store = new ChartStore(join(folder, 'charts.db'))
    add(start, 4)
    assert.equal((await read(start, start + 10)).series.length, 1)
    assert.equal(store.fault, null)
  })

  it('report a disk that takes nothing, and go on when it does', () => {
    const blocker = new DatabaseSync(join(folder, 'charts.db'))
    blocker.exec('PRAGMA busy_timeout=0; DROP TABLE steps')
    add(start, 1)
    assert.match(store.fault ?? '', /steps/)
    blocker.exec('CREATE TABLE steps (place INTEGER PRIMARY KEY, data BLOB NOT NULL)')
    blocker.close()
    add(start + 10, 1)
    assert.equal(store.fault, null)
  })
})
