// Old records leave the audit trail only as they may: when they are old or too many, with a signed record of it, and what is
// left is verified from there on. What an attacker removes in the same way is found.
// Requirement 54.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { Database } from '../database/database.ts'
import type { Checkpoint } from '../plan/artifacts.ts'
import { AuditTrail } from './audit.ts'
import { type AuditEntry, ownEntry } from './audit-entry.ts'
import { AuditRetention } from './audit-retention.ts'
import { leastKeptRecords, recordHash, removalNote } from './audit-verify.ts'

const dayMs = 86_400_000
const today = Date.UTC(2027, 0, 1)
const limits = { days: 365, megabytes: 128 }

const entry = (message: string): AuditEntry => ownEntry('test', 'ok', message)

describe('old audit records', () => {
  let database: Database
  let trail: AuditTrail
  let signed: Checkpoint[]
  beforeEach(() => {
    database = new Database(':memory:')
    trail = new AuditTrail(database, () => new Date(today))
    signed = []
  })
  afterEach(() => database.close())

  const sign = (daysAgo: number): void => {
    const time = new Date(today - daysAgo * dayMs).toISOString()
    signed.push({ ...trail.head, time, authentic: true })
  }
  const write = (count: number, message = 'x'): void => trail.write(Array.from({ length: count }, () => entry(message)))
  const retention = (parts: Partial<ConstructorParameters<typeof AuditRetention>[0]> = {}) =>
    new AuditRetention({
      database,
      audit: trail,
      limits,
      checkpoints: async () => [...signed],
      sign: async () => sign(0),
      now: () => new Date(today),
      ...parts,
    })
  const kept = (): [number, number] => [trail.first, trail.head.sequence]

  it('are removed up to a signed checkpoint, with a record that says so, and the rest is intact', async () => {
    write(500)
    sign(500)
    write(500)
    sign(400)
    write(500)
    sign(300)
    write(leastKeptRecords)
    sign(1)
    const keeper = retention()
    await keeper.run()
    assert.deepEqual(kept(), [1_001, 1_500 + leastKeptRecords + 1])
    assert.equal(await trail.verify(signed), null)
    const [note] = JSON.parse([...trail.listJson(1, 0)].join(''))
    assert.deepEqual(note.changes, [removalNote(1_000)])
    assert.match(note.message, /^Records up to 1000 were removed/)
    assert.deepEqual([keeper.usage.records, keeper.usage.fault], [500 + leastKeptRecords + 1, null])
    // Nothing more to do, and a process that starts now finds the same.
    await keeper.run()
    assert.equal(trail.head.sequence, 1_500 + leastKeptRecords + 1)
    assert.equal(await new AuditTrail(database, () => new Date(today)).verify(signed), null)
  })

  it('stay when there are few records, whatever the clock says', async () => {
    write(500)
    sign(20_000)
    write(leastKeptRecords - 1)
    sign(1)
    await retention().run()
    assert.equal(trail.first, 1)
  })

  /** As an earlier release stored them, without a limit. */
  function writeLarge(count: number, size: number): void {
    let { sequence, hash } = trail.head
    for (let index = 0; index < count; index++) {
      sequence++
      const record = JSON.stringify({ sequence, ...entry('old'), changes: ['x'.repeat(size)] })
      const bytes = recordHash(Buffer.from(hash, 'hex'), record)
      database.prepare('INSERT INTO audit (sequence, record, hash) VALUES (?, ?, ?)').run(sequence, record, bytes)
      hash = bytes.toString('hex')
    }
    trail = new AuditTrail(database, () => new Date(today))
  }

  it('are removed when the trail is too large, as many as are needed', async () => {
    for (let count = 0; count < 4; count++) {
      writeLarge(1, 4 * 1024 * 1024)
      sign(40)
    }
    write(leastKeptRecords)
    sign(1)
    const keeper = retention({ limits: { days: 365, megabytes: 12 } })
    await keeper.run()
    assert.equal(keeper.usage.fault, null)
    assert.equal(trail.first, 3)
    assert.ok(keeper.usage.bytes < 12 * 1024 * 1024)
    assert.equal(await trail.verify(signed), null)
  })

  it('stay when the trail has a fault, which is then known', async () => {
    write(500)
    sign(500)
    write(leastKeptRecords)
    sign(1)
    database.prepare("UPDATE audit SET record = replace(record, 'test', 'next') WHERE sequence = 7").run()
    const keeper = retention()
    await keeper.run()
    assert.equal(trail.first, 1)
    assert.match(keeper.usage.fault ?? '', /^Nothing was removed: record 7 /)
  })

  it('stay when applyd does not sign the removal', async () => {
    write(500)
    sign(500)
    write(leastKeptRecords)
    sign(1)
    const keeper = retention({ sign: async () => {} })
    await keeper.run()
    assert.equal(trail.first, 1)
    assert.match(keeper.usage.fault ?? '', /did not sign/)
  })

  it('that were removed without the right are missed: too young, too few left, unsigned, or unannounced', async () => {
    write(500)
    sign(5)
    write(leastKeptRecords + 10)
    sign(1)
    const cut = async (announced: number | null, checkpoints = signed): Promise<number | undefined> => {
      const copy = new Database(':memory:')
      const insert = copy.prepare('INSERT INTO audit (sequence, record, hash) VALUES (?, ?, ?)')
      copy.transact(() => {
        for (const { sequence, record, hash } of database.prepare('SELECT * FROM audit').all()) {
          insert.run(sequence ?? null, record ?? null, hash ?? null)
        }
      })
      const attacked = new AuditTrail(copy, () => new Date(today))
      if (announced !== null) attacked.write([ownEntry('audit trail', 'ok', '', [removalNote(announced)])])
      const added = [...checkpoints, { ...attacked.head, time: new Date(today).toISOString(), authentic: true }]
      copy.prepare('DELETE FROM audit WHERE sequence <= 500').run()
      const fault = await attacked.verify(added)
      copy.close()
      return fault?.sequence
    }
    assert.equal(await cut(null), 1)
    assert.equal(await cut(500), 1, 'too young')
    const aged = signed.map((one, index) => (index === 0 ? { ...one, time: '2026-01-01T00:00:00.000Z' } : one))
    assert.equal(await cut(499, aged), 1, 'less was announced')
    assert.equal(await cut(500, aged.slice(1)), 1, 'not signed')
    assert.equal(await cut(500, aged), undefined, 'as it may be')
  })
})
