// Requirement 62.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Database } from '../../core/database/database.ts'
import { LogQuota, logBytesOf, logMigrations } from './log-quota.ts'

const mebibyte = 1 << 20

describe('the room of the logs', () => {
  it('of tables that are gone is given back to the disk, and what is left stays', () => {
    withLogs((database, add) => {
      const size = (): number => statSync(database.path).size
      add(1_000)
      assert.equal(database.compact(), false, 'nothing to give back')
      add(60_000)
      database.shrink()
      const before = size()
      database.prepare('DELETE FROM auth_journal WHERE started > 1000').run()
      assert.equal(database.compact(), true)
      assert.ok(size() < before / 10, `${size()} of ${before}`)
      assert.equal(database.prepare('SELECT count(*) AS count FROM auth_journal').get()?.count, 1_000)
      assert.equal(database.compact(), false, 'once')
    })
  })

  const withLogs = (work: (database: Database, add: (count: number) => void) => void): void => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-quota-'))
    const database = new Database(join(folder, 'log.db'), undefined, { migrations: logMigrations, isForgetful: true })
    let number = 0
    work(database, (count) =>
      database.transact(() => {
        for (let index = 0; index < count; index++)
          database
            .prepare(
              `INSERT INTO auth_journal (id, started, user_id, login, name, group_name, domain_type, ip, country_name, country_code)
               VALUES (?, ?, 1, 'anna', ?, '', '', '', '', '')`,
            )
            .run(String(++number), number, 'x'.repeat(200))
      }),
    )
    database.close()
    rmSync(folder, { recursive: true })
  }

  it('is a share of the disk, and bounded', () => {
    assert.equal(logBytesOf(null), 256 * mebibyte)
    assert.equal(logBytesOf(2 ** 40), 256 * mebibyte)
    assert.equal(logBytesOf(64 * mebibyte), 8 * mebibyte)
  })

  it('M8: goes to the newest records, and the file does not grow beyond it', () => {
    withLogs((database, add) => {
      const quota = new LogQuota({ database, maxBytes: () => mebibyte, hasRoom: () => true })
      for (let round = 0; round < 30; round++) {
        add(1_000)
        quota.trim()
      }
      assert.ok(database.fileBytes() < 2 * mebibyte, `${database.fileBytes()} bytes`)
      assert.equal(database.prepare('SELECT max(started) AS newest FROM auth_journal').get()?.newest, 30_000)
    })
  })

  it('M8: is what the logs have when the disk has little left', () => {
    withLogs((database, add) => {
      const quota = new LogQuota({ database, maxBytes: () => 256 * mebibyte, hasRoom: () => false })
      add(20_000)
      for (let round = 0; round < 5; round++) quota.trim()
      const before = database.fileBytes()
      for (let round = 0; round < 20; round++) {
        add(500)
        quota.trim()
      }
      assert.ok(database.fileBytes() <= before * 1.01, `${database.fileBytes()} bytes after ${before}`)
      assert.ok(Number(database.prepare('SELECT count(*) AS count FROM auth_journal').get()?.count) > 10_000)
    })
  })
})
