import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { until } from '../../../test/support/until.ts'
import { Database } from '../../database/database.ts'
import { FirewallLog, type FirewallLogParts, firewallLogMigrations } from './firewall-log.ts'

const openDatabase = (path: string): Database =>
  new Database(path, undefined, { migrations: firewallLogMigrations, isForgetful: true })

const line = (rule: number, changed: object = {}): string =>
  `${JSON.stringify({
    'oob.prefix': `FWD ${rule} drop `,
    'oob.time.sec': 1_794_725_333,
    'ip.protocol': 17,
    'ip.totlen': 31,
    src_port: 39_118,
    dest_port: 9000,
    'oob.in': 'lan0',
    'oob.out': 'wan0',
    src_ip: '10.10.0.2',
    dest_ip: '198.51.100.10',
    ...changed,
  })}\n`

const linesOf = (count: number): string => Array.from({ length: count }, (_, at) => line(at + 1)).join('')

describe('the firewall log', () => {
  let folder = ''
  let path = ''
  let database: Database
  let faults: unknown[] = []
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-hits-'))
    path = join(folder, 'hits.json')
    database = openDatabase(join(folder, 'log.db'))
    faults = []
  })
  afterEach(() => {
    database.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const make = (options: Partial<FirewallLogParts> = {}): FirewallLog =>
    new FirewallLog({
      database,
      path,
      now: () => new Date(0),
      onFault: (error) => faults.push(error),
      ...options,
    })
  const newestFirst = (log: FirewallLog) => log.pageAfter(0, 10_000).toReversed()
  const rules = (log: FirewallLog): string[] => newestFirst(log).map(({ rule_id, lost }) => rule_id || `-${lost}`)

  it('is empty while there is no file', async () => {
    const log = make()
    await log.refresh()
    assert.deepEqual(newestFirst(log), [])
    assert.deepEqual(faults, [])
  })

  it('shows what was appended, newest first, and each only once', async () => {
    const log = make()
    writeFileSync(path, linesOf(2))
    await log.refresh()
    appendFileSync(path, line(3))
    await log.refresh()
    await log.refresh()
    assert.deepEqual(rules(log), ['3', '2', '1'])
  })

  it('waits for the rest of a half line', async () => {
    const log = make()
    const whole = line(1)
    writeFileSync(path, whole.slice(0, 40))
    await log.refresh()
    assert.deepEqual(rules(log), [])
    appendFileSync(path, whole.slice(40))
    await log.refresh()
    assert.deepEqual(rules(log), ['1'])
  })

  it('counts garbage as lost and goes on behind it', async () => {
    const log = make()
    writeFileSync(path, `${line(1)}no json\n{"oob.prefix": "x"}\n\0\xff\n${line(2)}`)
    await log.refresh()
    assert.deepEqual(rules(log), ['2', '1', '-3'])
  })

  it('gets over a line without an end', async () => {
    const log = make()
    writeFileSync(path, `${'x'.repeat(300 * 1024)}\n${line(2)}`)
    await log.refresh()
    assert.equal(rules(log)[0], '2')
  })

  it('begins again when the file was emptied or replaced', async () => {
    const log = make()
    writeFileSync(path, linesOf(3))
    await log.refresh()
    truncateSync(path)
    appendFileSync(path, line(4))
    await log.refresh()
    writeFileSync(`${path}.new`, linesOf(10))
    renameSync(`${path}.new`, path)
    await log.refresh()
    assert.deepEqual(rules(log).slice(10), ['4', '3', '2', '1'])
  })

  it('knows after a restart how far it had read', async () => {
    const first = make()
    writeFileSync(path, linesOf(2))
    await first.refresh()
    appendFileSync(path, line(3))
    const second = make()
    await second.refresh()
    assert.deepEqual(rules(second), ['3', '2', '1'])
  })

  it('keeps the newest records only', async () => {
    const log = make({ maxRecords: 5 })
    writeFileSync(path, linesOf(12))
    await log.refresh()
    assert.deepEqual(rules(log), ['12', '11', '10', '9', '8'])
  })

  it('counts what is too much and keeps what came last', async () => {
    const log = make({ maxBacklogBytes: 300 * 1024 })
    writeFileSync(path, linesOf(5000))
    await log.refresh()
    const all = newestFirst(log)
    assert.equal(all[0]?.rule_id, '5000')
    const gap = all.find(({ action }) => action === 'lost')
    assert.equal(all.filter(({ action }) => action === 'drop').length + (gap?.lost ?? 0), 5000)
    assert.equal(gap?.table, 'SYS')
  })

  it('reads again what the disk did not take, and says so once', async () => {
    const log = make()
    writeFileSync(path, linesOf(2))
    database.prepare('PRAGMA query_only=1').run()
    await log.refresh()
    await log.refresh()
    assert.equal(faults.length, 1)
    database.prepare('PRAGMA query_only=0').run()
    await log.refresh()
    assert.deepEqual(rules(log), ['2', '1'])
  })

  it('that cannot read the file says so', async () => {
    const log = make()
    mkdirSync(path)
    await log.refresh()
    assert.equal(faults.length, 1)
  })

  it('follows by itself while ten thousand records come', async () => {
    const log = make()
    writeFileSync(path, '')
    log.start()
    try {
      for (let part = 0; part < 10; part++) appendFileSync(path, linesOf(1000))
      const count = () => (database.prepare('SELECT count(*) AS n FROM hits WHERE lost = 0').get() as { n: number }).n
      await until('all are read', () => count() === 10_000)
    } finally {
      await log.stop()
    }
  })
})
