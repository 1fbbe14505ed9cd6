// Requirement 65: what an earlier release kept in log.db.

import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { NaiveLogStore } from '../../../test/support/naive-log-store.ts'
import { until } from '../../../test/support/until.ts'
import { openEarlierLog } from './earlier-log.ts'
import { logViews } from './log-views.ts'

const begin = Date.UTC(2026, 0, 1)

const tables = `
  CREATE TABLE hits (
    sequence INTEGER PRIMARY KEY, time INTEGER NOT NULL, table_name TEXT NOT NULL, rule_id TEXT NOT NULL,
    action TEXT NOT NULL, protocol TEXT NOT NULL, source_ip TEXT NOT NULL, source_port INTEGER,
    destination_ip TEXT NOT NULL, destination_port INTEGER, in_interface TEXT NOT NULL,
    out_interface TEXT NOT NULL, length INTEGER NOT NULL, lost INTEGER NOT NULL
  );
  CREATE TABLE auth_journal (
    place INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, started INTEGER NOT NULL, ended INTEGER,
    user_id INTEGER NOT NULL, login TEXT NOT NULL, name TEXT NOT NULL, group_name TEXT NOT NULL,
    domain_type TEXT NOT NULL, ip TEXT NOT NULL, country_name TEXT NOT NULL, country_code TEXT NOT NULL
  );
  PRAGMA user_version=5;`

const counts = { hits: 1_200, sessions: 1_100 }

describe('the log of an earlier release', () => {
  let folder = ''
  let logs: NaiveLogStore
  let lines: string[] = []
  const path = (): string => join(folder, 'log.db')
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-earlier-'))
    logs = new NaiveLogStore(logViews)
    lines = []
    const database = new DatabaseSync(path())
    database.exec(`PRAGMA journal_mode=WAL; ${tables}; BEGIN`)
    const hit = database.prepare(
      `INSERT INTO hits (time, table_name, rule_id, action, protocol, source_ip, source_port, destination_ip,
         destination_port, in_interface, out_interface, length, lost)
       VALUES (?, ?, '7', 'drop', 'ICMP', '10.0.0.1', NULL, '10.0.0.2', NULL, 'lan0', '', 60, ?)`,
    )
    for (let second = 0; second < counts.hits; second++)
      hit.run(begin + second * 1000, second === 0 ? 'SYS' : 'INP', second === 0 ? 5 : 0)
    const session = database.prepare(
      `INSERT INTO auth_journal (id, started, ended, user_id, login, name, group_name, domain_type, ip, country_name, country_code)
       VALUES (?, ?, ?, 3, 'anna', 'Anna', 'All', 'local', '198.51.100.9', 'Germany', 'DE')`,
    )
    for (let second = 0; second < counts.sessions; second++) {
      const started = begin / 1000 + second
      session.run(`s${second}`, started, second % 100 === 99 ? null : started + 60)
    }
    database.exec('COMMIT')
    database.close()
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const opened = () =>
    openEarlierLog({ folder, logs, hitsFile: join(folder, 'hits.json'), log: (_level, text) => lines.push(text) })
  const takeOver = async () => {
    const earlier = opened()
    assert.ok(earlier)
    earlier.takeOver()
    await until('the file is gone', () => !existsSync(path()))
    await earlier.stop()
    return earlier
  }
  const records = async (kind: string) =>
    (await logs.after(0, 100_000)).records.filter((record) => record.kind === kind)
  const ended = counts.sessions - counts.sessions / 100

  it('goes to the log: hits and sessions that ended; open ones go to who knows them; the file goes', async () => {
    const { openSessions } = await takeOver()
    assert.deepEqual(
      openSessions.map(({ id }) => id),
      Array.from({ length: 11 }, (_, index) => `s${index * 100 + 99}`),
    )
    const [gap, first, ...others] = await records('firewall')
    assert.equal(others.length, counts.hits - 2)
    assert.partialDeepStrictEqual(gap, { fields: { table: 'SYS', lost: 5 } })
    assert.partialDeepStrictEqual(first, {
      time: (begin + 1000) * 1000,
      message: 'ICMP src 10.0.0.1 dst 10.0.0.2 table INP rule 7 action drop',
      fields: { table: 'INP', rule_id: '7', source_port: -1, filter_rule_id: 7, journal: 'yes', src_zone: 'lan0' },
    })
    const sessions = await records('authentication')
    assert.equal(sessions.length, ended)
    assert.deepEqual(sessions[1], {
      place: counts.hits + 2,
      kind: 'authentication',
      time: (begin / 1000 + 61) * 1_000_000,
      priority: 6,
      unit: '{brand}-user-cabinet-backend',
      syslogId: '{brand}-user-cabinet-backend',
      message: "The session of user 'anna' from 198.51.100.9 ended.",
      fields: {
        journal: 'yes',
        session: 's1',
        started: begin / 1000 + 1,
        ended: begin / 1000 + 61,
        user_id: 3,
        login: 'anna',
        name: 'Anna',
        group_name: 'All',
        domain_type: 'local',
        ip: '198.51.100.9',
        country_name: 'Germany',
        country_code: 'DE',
      },
    })
    assert.deepEqual(lines, [])
    assert.equal(opened(), null)
  })

  it('has every entry once when it was interrupted at any step', async () => {
    for (let run = 0; existsSync(path()); run++) {
      assert.ok(run < 100)
      const earlier = opened()
      assert.ok(earlier)
      // The log has the records of the last step, and the file does not know that.
      let left = run % 4
      const flush = logs.flush
      logs.flush = async () => {
        if (left-- <= 0) throw new Error('the power failed')
      }
      earlier.takeOver()
      await until('the run ended', () => lines.length > run || !existsSync(path()))
      await earlier.stop()
      logs.flush = flush
    }
    const places = new Set((await records('authentication')).map(({ fields }) => fields.session))
    assert.deepEqual([(await records('authentication')).length, places.size], [ended, ended])
    assert.equal((await records('firewall')).length, counts.hits)
    assert.ok(lines.length > 0 && lines.every((line) => line.endsWith('was not taken over yet')))
  })

  it('of a later return to that release is taken over from its first entry on', async () => {
    await takeOver()
    const again = new DatabaseSync(path())
    again.exec(`${tables}
      INSERT INTO auth_journal VALUES (1, 'later', 1, 2, 1, 'anna', '', '', 'local', '10.0.0.1', '', '')`)
    again.close()
    await takeOver()
    assert.equal((await records('authentication')).at(-1)?.fields.session, 'later')
  })

  it('stays as long as the log takes nothing', async () => {
    logs.append = () => {}
    let asked = 0
    logs.marks = async () => {
      asked++
      return new Map()
    }
    const earlier = opened()
    earlier?.takeOver()
    await until('the log was asked what it took', () => asked === 2)
    await earlier?.stop()
    logs = new NaiveLogStore(logViews)
    await takeOver()
    assert.deepEqual(
      [(await records('firewall')).length, (await records('authentication')).length],
      [counts.hits, ended],
    )
  })

  it('leaves hits to the file that still has them', async () => {
    const line = { 'oob.prefix': 'INP 7 drop ', 'ip.protocol': 1, src_ip: '10.0.0.1', dest_ip: '10.0.0.2' }
    const time = { 'oob.time.sec': begin / 1000 + 1000, 'oob.time.usec': 0 }
    writeFileSync(join(folder, 'hits.json'), `${JSON.stringify({ ...line, ...time })}\n`)
    await takeOver()
    assert.equal((await records('firewall')).length, 1000)
  })

  it('of a release without one of the tables is taken over too', async () => {
    const database = new DatabaseSync(path())
    database.exec('DROP TABLE auth_journal')
    database.close()
    await takeOver()
    assert.deepEqual([(await records('firewall')).length, (await records('authentication')).length], [counts.hits, 0])
  })

  it('that cannot be read is removed, and the log says so', async () => {
    writeFileSync(
      path(),
      'this is no database at all, but it is as long as its header is, which is one hundred bytes ......',
    )
    assert.equal(opened(), null)
    assert.equal(existsSync(path()), false)
    assert.deepEqual(lines, ['the log of an earlier release cannot be read and was removed'])
  })

  it('that is damaged in the middle is removed when that is found', async () => {
    truncateSync(path(), 20_480)
    const earlier = opened()
    earlier?.takeOver()
    await until('the file is gone', () => !existsSync(path()))
    await earlier?.stop()
    assert.deepEqual(lines, ['the log of an earlier release cannot be read and was removed'])
  })
})
