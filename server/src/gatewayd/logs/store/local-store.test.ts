// The local log store as the event loop has it, with its threads.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { Random, seed } from '../../../../test/security/random.ts'
import { LogMaker, textOf } from '../../../../test/support/log-questions.ts'
import { NaiveLogStore } from '../../../../test/support/naive-log-store.ts'
import { patienceMs, until } from '../../../../test/support/until.ts'
import { all } from '../../../core/contract/table-query.ts'
import { logKindNames } from '../../../domain/logs/kinds.ts'
import type { Question } from '../../../domain/logs/store.ts'
import type { AgingState } from '../../../shared/time/aging.ts'
import { logViews } from '../log-views.ts'
import { createLocalLogStore, type LocalLogStore, type LocalLogStoreOptions } from './local-store.ts'

const limits = { days: Object.fromEntries(logKindNames.map((kind) => [kind, 100_000])), maxBytes: 1e12 }
const source = (name: string): URL => new URL(`../../../${name}`, import.meta.url)
const scope = { timeZone: 'Europe/Berlin', brand: 'Gate' }
const question: Question = { view: 'records', scope, hidden: [], where: all(), order: [], offset: 0, limit: 100 }

describe('the log store of the event loop', () => {
  let folder = ''
  let store: LocalLogStore
  const faults: unknown[] = []
  const open = (changes: Partial<LocalLogStoreOptions> = {}): LocalLogStore => {
    store = createLocalLogStore({
      path: join(folder, 'logs.db'),
      limits,
      writerEntry: source('gatewayd/threads/log-writer.ts'),
      workerEntry: source('gatewayd/threads/log-worker.ts'),
      onFault: (error) => faults.push(error),
      // The limit of the product is for people who wait; on a busy machine it would decide a test that is about answers.
      timeLimitMs: patienceMs,
      ...changes,
    })
    return store
  }
  const random = new Random(seed)
  const maker = new LogMaker(() => random.next())
  beforeEach(() => {
    faults.length = 0
    folder = mkdtempSync(join(tmpdir(), 'portcullis-logs-'))
  })
  afterEach(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
    assert.deepEqual(faults, [])
  })

  it('keeps its records when it starts while the clock is ahead', async () => {
    const dayMs = 86_400_000
    const [real, wrong] = [Date.now() - 400 * dayMs, Date.now()]
    const age = (days: number) => maker.records(1).map((one) => ({ ...one, time: (real - days * dayMs) * 1_000 }))
    open()
    for (const days of [60, 10]) {
      store.append(age(days))
      await store.flush()
    }
    await store.close()
    const aging = (): AgingState => ({ time: real, wall: wrong, awaySeconds: 3_600 })
    open({ aging, limits: { ...limits, days: Object.fromEntries(logKindNames.map((kind) => [kind, 30])) } })
    await until('what is too old at any time is removed', async () => (await textOf(store, question, null)).total === 1)
  })

  it('finds what it took, also without a limit and after it was closed', async () => {
    open()
    const naive = new NaiveLogStore(logViews)
    const news: number[] = []
    const end = store.onNews((place) => news.push(place))
    for (let count = 0; count < 12; count++) {
      const records = maker.records(1_000)
      for (const one of [store, naive]) one.append(records, { source: 'test', position: String(count) })
    }
    await store.flush()
    await until('there is news of all', () => news.at(-1) === 12_000)
    end()
    const unlimited = { ...question, limit: Number.MAX_SAFE_INTEGER, offset: 3 }
    const questions: Question[] = [
      question,
      unlimited,
      { ...unlimited, where: { kind: 'contains', column: 'message', texts: ['accept'] } },
      { ...question, order: [{ field: 'message', direction: 'asc' }], offset: 500 },
    ]
    for (const one of questions) assert.deepEqual(await textOf(store, one, null), await textOf(naive, one, null))
    const columns = ['id', 'message']
    assert.deepEqual(await textOf(store, unlimited, columns), await textOf(naive, unlimited, columns))
    await store.close()
    open()
    assert.deepEqual(await textOf(store, question, null), await textOf(naive, question, null))
    assert.deepEqual(await store.marks(), new Map([['test', '11']]))
    const { place, lost, fault, kinds } = await store.state()
    assert.deepEqual([place, lost, fault], [12_000, 0, null])
    assert.equal(
      kinds.reduce((sum, { records }) => sum + records, 0),
      12_000,
    )
    assert.deepEqual(await store.tail(question, 11_990, 5), await naive.tail(question, 11_990, 5))
    assert.equal((await store.after(11_000, 5_000)).records.length, 1_000)
  })

  it('streams an unlimited answer of one moment', async () => {
    open()
    store.append(maker.records(5_000))
    await store.flush()
    const { signal } = new AbortController()
    const found = await store.find({ ...question, view: 'hits', limit: Infinity }, { owner: 'a', signal })
    let rows = 0
    let pieces = 0
    for await (const piece of found.texts(['text'])) {
      rows += piece.rows
      pieces++
      store.append(maker.records(100))
      await store.flush()
    }
    assert.equal(rows, found.total)
    assert.ok(pieces > 1)
  })

  it('answers every listener, however many listen at once, and who follows the log in the meantime', async () => {
    open()
    store.append(maker.records(2_000))
    await store.flush()
    const { signal } = new AbortController()
    const owners = Array.from({ length: 64 }, (_, index) => `tail ${index >> 3}`)
    const tails = owners.map((owner) => store.tail(question, 0, 500, { owner, signal }))
    const followed = store.after(0, 10)
    assert.equal((await followed).records.length, 10)
    for (const { rows } of await Promise.all(tails)) assert.equal(rows.length, 500)
  })

  it('gives up the place of a client that leaves while it waits', async () => {
    open()
    store.append(maker.records(10))
    await store.flush()
    const staying = { owner: 'a', signal: new AbortController().signal }
    const running = await Promise.all([0, 1, 2, 3].map(() => store.find(question, staying)))
    const leaving = new AbortController()
    const asker = { owner: 'a', signal: leaving.signal }
    const waiting = Array.from({ length: 12 }, () => store.find(question, asker))
    await assert.rejects(store.find(question, staying), /Too many of your log queries/)
    leaving.abort()
    for (const { reason } of (await Promise.allSettled(waiting)) as PromiseRejectedResult[])
      assert.match(String(reason), /ended before it was done/)
    const next = store.find(question, staying)
    for await (const _piece of running[0]?.texts(null) ?? []);
    assert.equal((await next).total, running[0]?.total)
    for (const one of [...running.slice(1), await next]) for await (const _piece of one.texts(null));
  })

  it('gives one owner only some places, and none to clients that have gone', async () => {
    open()
    store.append(maker.records(10))
    await store.flush()
    const leaving = new AbortController()
    const asker = { owner: 'a', signal: leaving.signal }
    const running = await Promise.all([0, 1, 2, 3].map(() => store.find(question, asker)))
    const waiting = Array.from({ length: 12 }, () =>
      store.find(question, { ...asker, signal: new AbortController().signal }),
    )
    await assert.rejects(store.find(question, asker), { code: 'unavailable' })
    assert.equal((await store.find(question, { owner: 'b', signal: new AbortController().signal })).total > 0, true)
    leaving.abort()
    for (const found of waiting) for await (const _ of (await found).texts(null)) assert.ok(_.rows > 0)
    assert.equal(running.length, 4)
  })

  it('carries messages to a follower in its thread and back, and takes its records', async () => {
    const entry = join(folder, 'entry.ts')
    writeFileSync(
      entry,
      `import { serveWriter } from ${JSON.stringify(source('gatewayd/logs/store/serve-writer.ts').href)}
       serveWriter({
         echo: (sink, post, start) => ({
           take: (message) => {
             sink.append([message], { source: 'echo', position: String(start) })
             post([...sink.marks()])
           },
           stop: () => {},
         }),
       })`,
    )
    open({ writerEntry: new URL(`file://${entry}`), followers: { echo: 7 } })
    const told: unknown[] = []
    store.onTold('echo', (message) => told.push(message))
    store.tell('echo', maker.records(1)[0])
    await until('the follower answered', () => told.length === 1)
    assert.deepEqual(told, [[['echo', '7']]])
    await store.flush()
    assert.equal((await store.state()).place, 1)
  })

  it('answers while its thread is gone, and gives what came in the meantime to the next one', async () => {
    const entry = join(folder, 'entry.ts')
    writeFileSync(
      entry,
      `import { serveWriter } from '${source('gatewayd/logs/store/serve-writer.ts').pathname}'
       serveWriter({ files: () => ({ stop: () => {}, take: () => process.exit(1) }) })`,
    )
    open({ writerEntry: new URL(`file://${entry}`) })
    store.append(maker.records(10), { source: 'audit', position: '10' })
    await store.flush()
    store.tell('files', 'end')
    await until('the thread is gone', async () => (await store.state()).fault !== null)
    store.append(maker.records(5), { source: 'audit', position: '15' })
    await store.flush()
    await assert.rejects(store.marks(), { code: 'unavailable' })
    await until('another one is there', async () => (await store.state()).place === 15)
    assert.equal((await store.marks()).get('audit'), '15')
    assert.equal((await store.state()).lost, 0)
  })
})
