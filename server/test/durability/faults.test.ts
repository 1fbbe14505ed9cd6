// A fault of the disk at each step of a change and of a sign-in. Faults of the machine are in machine-faults.test.ts.
// Requirement 63.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { begin, type Fault, holdsForAll, operations, revertProbation } from './fault-bench.ts'

const refusedByTable = (table: string, event: string): Fault => ({
  title: `the disk refuses to ${event} in ${table}`,
  arm: (bench) =>
    bench.meddle(`CREATE TRIGGER fault BEFORE ${event} ON ${table} BEGIN SELECT RAISE(FAIL, 'injected'); END`),
  disarm: (bench) => bench.meddle('DROP TRIGGER fault'),
})

/** Faults of the disk: every table a change writes to, the commit itself, a full and a read-only disk. */
const diskFaults: readonly Fault[] = [
  refusedByTable('items', 'INSERT'),
  refusedByTable('items', 'UPDATE'),
  refusedByTable('items', 'DELETE'),
  refusedByTable('revisions', 'INSERT'),
  refusedByTable('slots', 'INSERT'),
  refusedByTable('sequences', 'INSERT'),
  refusedByTable('probation', 'INSERT'),
  refusedByTable('probation', 'DELETE'),
  refusedByTable('sessions', 'INSERT'),
  refusedByTable('sessions', 'DELETE'),
  refusedByTable('audit', 'INSERT'),
  {
    // A deferred key is checked only by COMMIT.
    title: 'the commit itself fails',
    arm: (bench) =>
      bench.meddle(`CREATE TABLE parents (id INTEGER PRIMARY KEY);
        CREATE TABLE orphans (parent INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED);
        CREATE TRIGGER fault AFTER INSERT ON audit BEGIN INSERT INTO orphans VALUES (1); END`),
    disarm: (bench) => bench.meddle('DROP TRIGGER fault; DROP TABLE orphans; DROP TABLE parents'),
  },
  {
    title: 'the disk is full',
    arm: (bench) => {
      // Nothing may fit into what is free within the file either.
      bench.pragma('max_page_count=1')
      bench.meddle(
        `CREATE TABLE filler (x); CREATE TRIGGER fault BEFORE INSERT ON audit BEGIN INSERT INTO filler VALUES (zeroblob(1000000)); END`,
      )
    },
    disarm: (bench) => {
      bench.pragma('max_page_count=1000000')
      bench.meddle('DROP TRIGGER fault; DROP TABLE filler')
    },
  },
  {
    title: 'the disk is read-only',
    arm: (bench) => bench.pragma('query_only=1'),
    disarm: (bench) => bench.pragma('query_only=0'),
  },
]

describe('a fault of the disk', () => {
  for (const operation of [...operations, revertProbation]) {
    it(`leaves ${operation.title} whole or absent`, async () => {
      const statuses = await holdsForAll(operation, diskFaults)
      const [readOnly, full] = statuses.toReversed()
      assert.equal(readOnly, operation.isNeverRefused ? 200 : 503)
      assert.ok((full === 503 && !operation.isNeverRefused) || full === 200, `a full disk was answered with ${full}`)
      assert.ok(
        statuses.some((status) => status === 500),
        'no fault occurred',
      )
    })
  }

  it('refuses all changes that share a commit, and later ones continue', async () => {
    const bench = await begin()
    const [fault] = diskFaults.filter(({ title }) => title.includes('commit'))
    assert.ok(fault)
    fault.arm(bench)
    const answers = await Promise.all([...'abcdefgh'].map((name) => bench.rename(name)))
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [500])
    assert.equal(bench.other()?.name, 'other')
    fault.disarm(bench)
    const later = await Promise.all([...'abcdefgh'].map((name) => bench.rename(name)))
    assert.deepEqual([...new Set(later.map(({ status }) => status))], [200])
    await bench.assertWhole()
    await bench.gateway.close()
  })

  it('does not accept an idle session, and does not reject an active one', async () => {
    const bench = await begin()
    const idle = await bench.gateway.client('predefined_admin_readonly')
    bench.pragma('query_only=1')
    for (let minute = 0; minute < 16; minute++) {
      bench.gateway.clock.advance(60)
      assert.equal((await bench.admin('GET', '/web/whoami')).status, 200)
    }
    assert.equal((await idle('GET', '/web/whoami')).status, 401)
    bench.pragma('query_only=0')
    assert.equal((await idle('GET', '/web/whoami')).status, 401)
    await bench.assertWhole()
    await bench.gateway.close()
  })
})
