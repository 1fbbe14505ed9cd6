import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { NaiveLogStore } from '../../../test/support/naive-log-store.ts'
import { until } from '../../../test/support/until.ts'
import { Database } from '../../core/database/database.ts'
import { takeOverHits } from './former-hits.ts'
import { firewallLogMigrations } from './former-tables.ts'
import { logViews } from './log-views.ts'

const begin = Date.UTC(2026, 0, 1)

describe('hits of an earlier release', () => {
  let folder = ''
  let database: Database
  let logs: NaiveLogStore
  const faults: unknown[] = []
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-former-'))
    database = new Database(join(folder, 'log.db'), undefined, { migrations: firewallLogMigrations, isForgetful: true })
    logs = new NaiveLogStore(logViews)
    const insert = database.prepare(
      `INSERT INTO hits (time, table_name, rule_id, action, protocol, source_ip, source_port, destination_ip,
         destination_port, in_interface, out_interface, length, lost)
       VALUES (?, ?, '7', 'drop', 'ICMP', '10.0.0.1', NULL, '10.0.0.2', NULL, 'lan0', '', 60, ?)`,
    )
    for (let second = 0; second < 1200; second++)
      insert.run(begin + second * 1000, second === 0 ? 'SYS' : 'INP', second === 0 ? 5 : 0)
  })
  afterEach(() => {
    database.close()
    rmSync(folder, { recursive: true })
    assert.deepEqual(faults.splice(0), [])
  })

  const left = (): number => Number(database.prepare('SELECT count(*) AS count FROM hits').get()?.count)
  const takeOver = async (): Promise<void> => {
    const hitsFile = join(folder, 'hits.json')
    const taking = takeOverHits({ database, logs, hitsFile, onFault: (error) => faults.push(error) })
    await until('nothing is left', () => left() === 0)
    await taking.stop()
  }
  const records = async () => (await logs.after(0, 10_000)).records

  it('become records of the log and of the traffic journal, and leave their table', async () => {
    await takeOver()
    const [gap, first, ...others] = await records()
    assert.equal(others.length, 1198)
    assert.partialDeepStrictEqual(gap, { fields: { table: 'SYS', lost: 5 } })
    assert.partialDeepStrictEqual(first, {
      time: (begin + 1000) * 1000,
      message: 'ICMP src 10.0.0.1 dst 10.0.0.2 table INP rule 7 action drop',
      fields: { table: 'INP', rule_id: '7', source_port: -1, filter_rule_id: 7, journal: 'yes', src_zone: 'lan0' },
    })
  })

  it('are not taken twice when the removal of the last ones was lost', async () => {
    logs.append([], { source: 'former-hits', position: '1000' })
    await takeOver()
    assert.equal((await records()).length, 200)
  })

  it('that are still in the file are read from there', async () => {
    const line = { 'oob.prefix': 'INP 7 drop ', 'ip.protocol': 1, src_ip: '10.0.0.1', dest_ip: '10.0.0.2' }
    const time = { 'oob.time.sec': begin / 1000 + 1000, 'oob.time.usec': 0 }
    writeFileSync(join(folder, 'hits.json'), `${JSON.stringify({ ...line, ...time })}\n`)
    await takeOver()
    assert.equal((await records()).length, 1000)
  })
})
