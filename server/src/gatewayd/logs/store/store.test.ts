// Both sides of the local log store together: random records and questions against a store that looks at every record.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { isNightly, Random, seed } from '../../../../test/security/random.ts'
import { InThreadLogStore } from '../../../../test/support/in-thread-log-store.ts'
import { assertSameAnswers, LogMaker, testViews, textOf } from '../../../../test/support/log-questions.ts'
import { NaiveLogStore } from '../../../../test/support/naive-log-store.ts'
import { all } from '../../../core/contract/table-query.ts'
import { type LogKindName, logKindNames } from '../../../domain/logs/kinds.ts'
import type { NewRecord } from '../../../domain/logs/record.ts'
import type { LogLimits, Question } from '../../../domain/logs/store.ts'
import { createAging } from '../../../shared/time/aging.ts'
import { StoreWriter } from './writer.ts'

const sizes = { block: 64, frame: 16 }
const noLimits: LogLimits = {
  days: Object.fromEntries(logKindNames.map((kind) => [kind, 100_000])),
  maxBytes: 1e12,
}
const scope = { timeZone: 'UTC', brand: 'Gate' }
const everyRow: Question = {
  view: 'records',
  scope,
  hidden: [],
  where: all(),
  order: [],
  offset: 0,
  limit: 5_000,
}

const record = (message: string, changes: Partial<NewRecord> = {}): NewRecord => ({
  kind: 'system',
  time: 1_790_000_000_000_000,
  priority: 6,
  unit: 'u',
  syslogId: 's',
  message,
  fields: {},
  ...changes,
})

describe('the local log store', () => {
  let folder = ''
  let store: InThreadLogStore
  let now = 1_790_000_000_000
  const open = (limits = noLimits, more: object = {}): InThreadLogStore => {
    store = new InThreadLogStore({ path: join(folder, 'logs.db'), limits, now: () => now, sizes, ...more })
    return store
  }
  beforeEach(() => {
    now = 1_790_000_000_000
    folder = mkdtempSync(join(tmpdir(), 'portcullis-logs-'))
  })
  afterEach(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })

  for (let round = 0; round < (isNightly ? 40 : 2); round++) {
    it(`answers like a store that looks at every record, seed ${seed + round}`, async () => {
      const random = new Random(seed + round)
      const maker = new LogMaker(() => random.next())
      const naive = new NaiveLogStore(testViews)
      open()
      let count = 0
      for (let step = 0; step < (isNightly ? 12 : 6); step++) {
        const records = maker.records(1 + maker.int(random.chance(0.5) ? 10 : 200))
        count += records.length
        for (const one of [store, naive]) one.append(records, { source: 'a', position: String(count) })
        await store.flush()
        if (random.chance(0.6)) store.tidy()
        if (random.chance(0.3)) store.restart()
        await assertSameAnswers(store, naive, maker, isNightly ? 12 : 8, count)
      }
      assert.deepEqual(await store.marks(), await naive.marks())
    })
  }

  const messages = async (): Promise<string[]> => {
    const { text } = await textOf(store, everyRow, ['message'])
    return text.split('\r\n').filter((line) => line !== '')
  }
  const stored = (query: string) => {
    const file = new DatabaseSync(join(folder, 'logs.db'), { readOnly: true })
    const rows = file.prepare(query).all()
    file.close()
    return rows.map((row) => ({ ...row }))
  }
  const kept = async (kind: LogKindName) => (await store.state()).kinds.find((one) => one.kind === kind)

  it('stays readable when a source gives impossible times: such a record is of the time when it came', async () => {
    open(noLimits)
    const times = [8.64e18, -8.64e18, Number.NaN, Number.POSITIVE_INFINITY, -1, 2 ** 53]
    for (const time of times) store.append(Array.from({ length: 70 }, () => record('forged', { time })))
    await store.flush()
    store.tidy()
    store.restart()
    const { records } = await store.after(0, 1_000)
    assert.equal(records.length, 70 * times.length)
    assert.deepEqual([...new Set(records.map(({ time }) => time))], [now * 1_000])
  })

  it('removes nothing because the clock jumped ahead, until it has stayed there for days', async () => {
    let seconds = 0
    const aging = createAging(
      () => now,
      () => seconds,
    )
    open({ days: { system: 1 }, maxBytes: 1e12 }, { aging })
    store.append([record('before the jump')])
    now = Date.UTC(2038, 0, 19)
    store.append([record('after it', { time: now * 1_000 })])
    await store.flush()
    store.tidy()
    assert.deepEqual(await messages(), ['after it', 'before the jump'])
    seconds += 7 * 86_400
    now += 7 * 86_400_000
    store.append([record('a week later', { time: now * 1_000 })])
    await store.flush()
    store.tidy()
    assert.deepEqual(await messages(), ['a week later'])
  })

  it('keeps each kind for its days', async () => {
    open({ days: { system: 1, brief: 3 }, maxBytes: 1e12 })
    store.append(Array.from({ length: 30 }, (_, at) => record(`old ${at}`)))
    await store.flush()
    store.append([record('brief', { kind: 'brief' })])
    await store.flush()
    store.tidy()
    assert.equal((await messages()).length, 31)
    now += 2 * 86_400_000
    store.append([record('new', { time: now * 1_000 })])
    await store.flush()
    store.tidy()
    assert.deepEqual(await messages(), ['new', 'brief'])
    const followed = await store.after(0, 100)
    assert.deepEqual([followed.records.length, followed.lost, followed.place], [2, 30, 32])
    const tail = await store.tail(everyRow, 10, 100)
    assert.deepEqual([tail.rows.length, tail.lost, tail.place], [2, 20, 32])
  })

  it('removes the oldest of the kind that has most above its share', async () => {
    open({ days: noLimits.days, maxBytes: 400_000 })
    store.append([record('kept', { kind: 'administration', time: 1 })])
    const random = new Random(1)
    const noise = (): string => Array.from({ length: 40 }, () => random.below(1e9).toString(36)).join(' ')
    for (let count = 0; count < 60; count++) {
      store.append(Array.from({ length: 64 }, () => record(noise(), { time: now++ * 1_000 })))
      await store.flush()
      store.tidy()
    }
    const { bytes, place } = await store.state()
    assert.ok(bytes <= 400_000, String(bytes))
    assert.equal(place, 60 * 64 + 1)
    assert.equal((await kept('administration'))?.records, 1)
    assert.ok(((await kept('system'))?.records ?? 0) > 300)
    const { records } = await store.after(place - 10, 100)
    assert.equal(records.length, 10)
  })

  it('turns a message into one line that is not too long', async () => {
    open()
    store.append([record(`a\nb\u0000c${'x'.repeat(5_000)}`), ...Array.from({ length: 9 }, () => record('é'))])
    await store.flush()
    store.tidy()
    assert.equal((await messages()).at(-1), `a b c${'x'.repeat(3_995)}`)
  })

  it('goes on with records that are in no block yet after a start, and joins what earlier starts left', async () => {
    open()
    const numbers = Array.from({ length: 60 }, (_, at) => at * 9)
    for (const first of numbers) {
      store.append(Array.from({ length: 9 }, (_, at) => record(`Number ${first + at}`)))
      await store.flush()
      if (first % 7 === 0) store.restart()
      store.tidy()
    }
    const written = Array.from({ length: 540 }, (_, at) => `Number ${at}`)
    assert.deepEqual(await messages(), written.toReversed())
    const { records, lost } = await store.after(0, 1_000)
    assert.deepEqual([records.map(({ message }) => message), lost], [written, 0])
    const [blocks] = stored('SELECT count(*) AS count, max(records) AS most FROM blocks')
    assert.equal(blocks?.most, 64)
    assert.ok(Number(blocks?.count) < 24, String(blocks?.count))
  })

  it('stores many records and their mark in one commit', () => {
    open()
    // More than wait for a commit.
    store.append(
      Array.from({ length: 150 }, (_, at) => record(`number ${at}`)),
      { source: 'audit', position: '150' },
    )
    assert.deepEqual(stored('SELECT last, position FROM place, marks'), [{ last: 150, position: '150' }])
  })

  it('does not use the number of a block or a batch again, as readers know them by it', async () => {
    open({ days: { system: 1 }, maxBytes: 1e12 })
    for (const [count, text] of [
      [20, 'old'],
      [20, 'new'],
      [64, 'newer'],
    ] as const) {
      store.append(Array.from({ length: count }, () => record(text, { time: now * 1_000 })))
      await store.flush()
      assert.deepEqual(new Set(await messages()), new Set([text]))
      now += 5 * 86_400_000
      store.tidy()
      assert.deepEqual(await messages(), [])
    }
  })

  it('removes newest records that cannot be read, and keeps the others', async () => {
    open()
    for (const message of ['a', 'b', 'c']) {
      store.append([record(message)])
      await store.flush()
    }
    const spoil = (): void => {
      const file = new DatabaseSync(join(folder, 'logs.db'))
      file.exec("UPDATE batches SET body = '[[' WHERE id = (SELECT max(id) FROM batches)")
      file.close()
    }
    spoil()
    store.writer.verify()
    assert.deepEqual(await messages(), ['b', 'a'])
    spoil()
    store.restart()
    assert.deepEqual(await messages(), ['a'])
    assert.equal((await store.state()).notice, '1 log records were damaged and have been removed.')
  })

  it('keeps what came while its file could not be opened', async () => {
    open()
    store.append(Array.from({ length: 5 }, (_, at) => record(`before ${at}`)))
    await store.close()
    const away = `${folder}-away`
    renameSync(folder, away)
    open()
    store.append([record('meanwhile')])
    await store.flush()
    assert.match((await store.state()).fault ?? '', /^The disk is full, read-only or failing/)
    renameSync(away, folder)
    store.append([record('after')])
    await store.flush()
    const { records, lost } = await store.after(4, 10)
    assert.deepEqual(
      [records.map(({ place, message }) => `${place} ${message}`), lost],
      [['5 before 4', '6 meanwhile', '7 after'], 0],
    )
  })

  it('stores marks with the records, and a mark alone', async () => {
    open()
    store.append([record('a')], { source: 'file', position: '1:10' })
    store.append([], { source: 'other', position: '2' })
    store.restart()
    assert.deepEqual(
      await store.marks(),
      new Map([
        ['file', '1:10'],
        ['other', '2'],
      ]),
    )
    assert.deepEqual(await messages(), ['a'])
  })

  it('shows what came after all before it was packed, no matter who looked in between', async () => {
    open()
    let last = 0
    for (const count of [1, 40, 1, 64, 2, 100, 1]) {
      store.append(Array.from({ length: count }, (_, at) => record(`line ${last + at + 1}`)))
      await store.flush()
      const { records, place, lost } = await store.after(last, 1_000)
      last += count
      assert.deepEqual([records.length, records.at(-1)?.message, place, lost], [count, `line ${last}`, last, 0])
    }
  })

  it('does not use a place twice after the newest records were removed', async () => {
    open({ days: { system: 1 }, maxBytes: 1e12 })
    store.append([record('a'), record('b')])
    await store.flush()
    now += 5 * 86_400_000
    store.tidy()
    store.restart()
    store.append([record('c', { time: now * 1_000 })])
    await store.flush()
    const { records, lost } = await store.after(0, 10)
    assert.deepEqual([records.map(({ place }) => place), lost], [[3], 2])
  })

  it('waits for a disk on which it cannot even open its file', () => {
    open(noLimits)
    const writer = new StoreWriter({ path: join(folder, 'missing', 'logs.db'), limits: noLimits, now: () => now })
    writer.append([record('first')], { source: 'a', position: '1' })
    writer.commit()
    writer.tidy()
    writer.shrink()
    writer.verify()
    assert.match(writer.state().fault ?? '', /^The disk is full/)
    mkdirSync(join(folder, 'missing'))
    writer.commit()
    assert.deepEqual([writer.state().fault, writer.place, writer.marks.get('a')], [null, 1, '1'])
    writer.close()
  })

  it('makes room on a full disk when its limit is lowered', async () => {
    let hasRoom = true
    open(noLimits, { hasRoom: () => hasRoom })
    for (let count = 0; count < 10; count++) {
      store.append(Array.from({ length: 64 }, (_, at) => record(`${count} ${at}`)))
      await store.flush()
    }
    store.tidy()
    const { bytes } = await store.state()
    hasRoom = false
    store.setLimits({ ...noLimits, maxBytes: bytes / 2 })
    store.tidy()
    assert.ok((await store.state()).bytes <= bytes / 2)
  })

  it('counts records for which there is no room, and goes on when there is', async () => {
    let hasRoom = false
    open(noLimits, { hasRoom: () => hasRoom, sizes: { ...sizes, waiting: 20 } })
    store.append(Array.from({ length: 15 }, (_, at) => record(`first ${at}`)))
    await store.flush()
    assert.match((await store.state()).fault ?? '', /^The disk is full/)
    store.append(Array.from({ length: 15 }, (_, at) => record(`second ${at}`)))
    await store.flush()
    assert.equal((await store.state()).lost, 10)
    assert.equal((await store.state()).place, 0)
    hasRoom = true
    await store.flush()
    const { fault, lost, place } = await store.state()
    assert.deepEqual([fault, lost, place], [null, 10, 20])
    assert.equal((await messages()).length, 20)
  })
})
