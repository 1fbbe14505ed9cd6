// The database file: formats, transactions, and what a disk that takes nothing becomes.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { setImmediate as others } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { GatewayError } from '../contract/error.ts'
import { Database, NewerDataError } from './database.ts'
import { migrations } from './migrations.ts'

describe('the database', () => {
  let folder = ''
  let path = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-db-'))
    path = join(folder, 'x.db')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const count = (database: Database): number =>
    (database.prepare('SELECT count(*) AS n FROM slots').get() as { n: number }).n
  const add = (database: Database, slot: string): void =>
    void database.prepare('INSERT INTO slots (slot, revision) VALUES (?, 1)').run(slot)

  it('starts in the newest format and keeps it', () => {
    new Database(path).close()
    const again = new Database(path)
    assert.equal(again.version(), migrations.length)
    again.close()
  })

  it('syncs every commit', () => {
    const database = new Database(path)
    assert.deepEqual({ ...database.prepare('PRAGMA synchronous').get() }, { synchronous: 2 })
    assert.deepEqual({ ...database.prepare('PRAGMA journal_mode').get() }, { journal_mode: 'wal' })
    database.close()
  })

  it('of a newer version is refused and left as it is', () => {
    new Database(path).close()
    const plain = new DatabaseSync(path)
    plain.exec(`PRAGMA user_version=${migrations.length + 1}`)
    plain.close()
    const before = readFileSync(path)
    assert.throws(() => new Database(path), NewerDataError)
    assert.deepEqual(readFileSync(path), before)
  })

  it('whose first format was interrupted starts again', () => {
    const plain = new DatabaseSync(path)
    plain.exec('PRAGMA journal_mode=WAL')
    plain.exec('BEGIN')
    plain.exec(migrations[0]?.statements[0] ?? '')
    plain.close()
    const database = new Database(path)
    assert.equal(database.version(), migrations.length)
    add(database, 'a')
    database.close()
  })

  it('keeps all of a transaction or nothing, also of one inside of another', () => {
    const database = new Database(path)
    let told = 0
    database.onRolledBack(() => told++)
    assert.throws(() =>
      database.transact(() => {
        add(database, 'a')
        database.transact(() => add(database, 'b'))
        throw new Error('no')
      }),
    )
    assert.equal(count(database), 0)
    assert.equal(told, 1)
    database.transact(() => database.transact(() => add(database, 'c')))
    assert.equal(count(database), 1)
    assert.equal(told, 1)
    database.close()
  })

  it('that cannot be written says so and goes on when it can again', () => {
    const database = new Database(path)
    database.prepare('PRAGMA query_only=1').run()
    const isUnavailable = (error: unknown): boolean => error instanceof GatewayError && error.code === 'unavailable'
    assert.throws(() => database.transact(() => add(database, 'a')), isUnavailable)
    assert.equal(count(database), 0)
    database.prepare('PRAGMA query_only=0').run()
    database.transact(() => add(database, 'a'))
    assert.equal(count(database), 1)
    database.close()
  })

  it('that is full refuses what does not fit, keeps what it has and takes the rest', () => {
    const database = new Database(path)
    const pages = (database.prepare('PRAGMA page_count').get() as { page_count: number }).page_count
    database.prepare(`PRAGMA max_page_count=${pages + 2}`).get()
    const isUnavailable = (error: unknown): boolean => error instanceof GatewayError && error.code === 'unavailable'
    assert.throws(() => database.transact(() => add(database, 'x'.repeat(100_000))), isUnavailable)
    add(database, 'small')
    assert.equal(count(database), 1)
    database.close()
  })

  it('never takes a value for a statement', () => {
    const database = new Database(path)
    for (const slot of ["'; DROP TABLE slots; --", '" OR 1=1', '\u0000', '😀']) add(database, slot)
    assert.equal(count(database), 4)
    database.close()
  })

  it('readers that read without end do not let its WAL grow without end', async () => {
    const database = new Database(path)
    const addMegabyte = (): void => {
      const text = 'x'.repeat(1024 * 1024)
      const statement = database.prepare('INSERT OR REPLACE INTO slots (slot, revision) VALUES (?, 1)')
      database.transact(() => statement.run(text))
    }
    for (let count = 0; count < 5; count++) addMegabyte()
    const readers = [0, 1].map(() => new Worker(readerCode, { eval: true, workerData: path }))
    await Promise.all(readers.map((reader) => new Promise((resolve) => reader.once('message', resolve))))
    let most = 0
    for (let count = 0; count < 100; count++) {
      addMegabyte()
      most = Math.max(most, statSync(`${path}-wal`).size)
      await others()
    }
    await Promise.all(readers.map((reader) => reader.terminate()))
    database.close()
    assert.ok(most < 80 * 1024 * 1024, `the WAL had ${most} bytes`)
  })
})

/** Reads all rows again and again. */
const readerCode = `
  const { parentPort, workerData } = require('node:worker_threads')
  const { DatabaseSync } = require('node:sqlite')
  const database = new DatabaseSync(workerData, { readOnly: true, timeout: 2000 })
  const read = database.prepare('SELECT sum(length(slot)) FROM slots')
  read.get()
  parentPort.postMessage('begun')
  for (;;) read.get()
`
