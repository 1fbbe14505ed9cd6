// The audit trail as a chain: a thousand random tamperings are each found and named, and neither a failed transaction nor a
// disk that takes nothing breaks it.
// Requirement 54.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { Random, seed } from '../../../test/security/random.ts'
import { Database } from '../database/database.ts'
import type { Checkpoint } from '../plan/artifacts.ts'
import { AuditTrail } from './audit.ts'
import type { AuditEntry, AuditRecord } from './audit-entry.ts'

const length = 60
const checkpointAt = [20, 40, 60]
const tamperings = process.env.PORTCULLIS_NIGHTLY ? 20_000 : 1_000

const entry = (message: string): AuditEntry => ({
  event: 'action',
  who: 'somebody',
  address: '192.0.2.1',
  what: 'POST /x',
  result: 'ok',
  message,
  request_id: 'r',
  revision: null,
  changes: [],
})

const now = (): Date => new Date(Date.UTC(2026, 0, 1))

interface Row {
  sequence: number
  record: string
  hash: Uint8Array
}

/** Thrown to leave a transaction without a trace. */
class Undo extends Error {}

const chain = (previous: Uint8Array, record: string): Buffer =>
  createHash('sha256').update(previous).update(record).digest()

describe('a tampered audit trail', () => {
  let database: Database
  let rows: Row[] = []
  const checkpoints: Checkpoint[] = []
  before(() => {
    database = new Database(':memory:')
    const trail = new AuditTrail(database, now)
    for (let index = 1; index <= length; index++) {
      trail.write([entry(`record ${index}`)])
      if (checkpointAt.includes(index)) checkpoints.push({ ...trail.head, time: '', authentic: true })
    }
    rows = database.prepare('SELECT sequence, record, hash FROM audit ORDER BY sequence').all() as unknown as Row[]
  })
  after(() => database.close())

  /** Verifies with `changed` in place of the rows, as a process started afterwards would. */
  async function faultOf(changed: readonly Row[], signed = checkpoints): Promise<number | null> {
    const copy = new Database(':memory:')
    const insert = copy.prepare('INSERT INTO audit (sequence, record, hash) VALUES (?, ?, ?)')
    copy.transact(() => {
      for (const row of changed) insert.run(row.sequence, row.record, row.hash)
    })
    const fault = await new AuditTrail(copy, now).verify(signed)
    copy.close()
    return fault?.sequence ?? null
  }

  const edited = (row: Row, text = 'forged'): Row => ({ ...row, record: row.record.replace('record', text) })
  /** What an attacker does who knows how the chain is made: every later hash is made again. */
  const rechained = (changed: readonly Row[]): Row[] => {
    let hash: Uint8Array = Buffer.alloc(32)
    return changed.map((row, index) => {
      const record = row.record.replace(/^\{"sequence":\d+/, `{"sequence":${index + 1}`)
      hash = chain(hash, record)
      return { sequence: index + 1, record, hash }
    })
  }
  const checkpointFrom = (sequence: number): number => checkpointAt.find((at) => at >= sequence) ?? 0

  /** Each returns what was done to the rows and the first record that must be named. */
  const kinds: Record<string, (random: Random) => { changed: Row[]; first: number }> = {
    'an edited text': (random) => {
      const at = random.below(length)
      return { changed: rows.map((row, index) => (index === at ? edited(row) : row)), first: at + 1 }
    },
    'a flipped bit of a hash': (random) => {
      const at = random.below(length)
      const bit = random.below(256)
      const flip = (hash: Uint8Array): Buffer => {
        const bytes = Buffer.from(hash)
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        return bytes
      }
      return {
        changed: rows.map((row, index) => (index === at ? { ...row, hash: flip(row.hash) } : row)),
        first: at + 1,
      }
    },
    'a deleted record': (random) => {
      const at = random.below(length)
      return { changed: rows.filter((_, index) => index !== at), first: at + 1 }
    },
    'a deleted record with the rest moved up': (random) => {
      const at = random.below(length - 1)
      const rest = rows.filter((_, index) => index !== at)
      return { changed: rest.map((row, index) => ({ ...row, sequence: index + 1 })), first: at + 1 }
    },
    'an inserted record': (random) => {
      const at = random.below(length)
      const forged = edited(rows[at] as Row)
      const all = [...rows.slice(0, at), forged, ...rows.slice(at)]
      return { changed: all.map((row, index) => ({ ...row, sequence: index + 1 })), first: at + 1 }
    },
    'two swapped records': (random) => {
      const at = random.below(length - 1)
      const other = at + 1 + random.below(length - at - 1)
      const [one, two] = [rows[at] as Row, rows[other] as Row]
      const swapped = rows.map((row, index) => {
        if (index === at) return { ...two, sequence: one.sequence }
        return index === other ? { ...one, sequence: two.sequence } : row
      })
      return { changed: swapped, first: at + 1 }
    },
    'a tail cut off': (random) => {
      const kept = random.below(length)
      return { changed: rows.slice(0, kept), first: kept + 1 }
    },
    'an edit with every later hash made again': (random) => {
      const at = random.below(length)
      const changed = rechained(rows.map((row, index) => (index === at ? edited(row) : row)))
      return { changed, first: checkpointFrom(at + 1) }
    },
    'a deletion with every later hash made again': (random) => {
      const at = random.below(length)
      const first = checkpointFrom(at + 1)
      return { changed: rechained(rows.filter((_, index) => index !== at)), first }
    },
    'an insertion with every later hash made again': (random) => {
      const at = random.below(length)
      const changed = rechained([...rows.slice(0, at), edited(rows[at] as Row), ...rows.slice(at)])
      return { changed, first: checkpointFrom(at + 1) }
    },
  }

  const random = new Random(seed)
  const each = Math.ceil(tamperings / Object.keys(kinds).length)
  for (const [title, tamper] of Object.entries(kinds)) {
    it(`with ${title} is found out, and the first bad record named`, async () => {
      for (let round = 0; round < each; round++) {
        const { changed, first } = tamper(random)
        assert.equal(await faultOf(changed), first, `seed ${seed}, round ${round}`)
      }
    })
  }

  it('with a checkpoint altered names it, and unaltered is whole', async () => {
    assert.equal(await faultOf(rows), null)
    const forged = checkpoints.map((one, index) => (index === 1 ? { ...one, authentic: false } : one))
    assert.equal(await faultOf(rows, forged), 40)
    const other = checkpoints.map((one, index) => (index === 1 ? { ...one, hash: '00'.repeat(32) } : one))
    assert.equal(await faultOf(rows, other), 40)
  })

  it('is noticed by the running gateway even after the last checkpoint', async () => {
    const running = new Database(':memory:')
    const trail = new AuditTrail(running, now)
    trail.write([entry('one'), entry('two'), entry('three')])
    running.prepare('DELETE FROM audit WHERE sequence > 1').run()
    assert.deepEqual(await trail.verify([]), { sequence: 2, message: 'This record and all after it are missing.' })
    running.close()
  })
})

describe('the audit trail', () => {
  it('goes on whole after a transaction around it was undone', async () => {
    const database = new Database(':memory:')
    const trail = new AuditTrail(database, now)
    trail.write([entry('kept')])
    trail.note(entry('noted'))
    assert.throws(
      () =>
        database.transact(() => {
          trail.write([entry('undone')])
          throw new Undo()
        }),
      Undo,
    )
    assert.equal(trail.head.sequence, 1)
    trail.write([entry('next')])
    assert.deepEqual(
      newest(trail).map((record) => record.message),
      ['noted', 'next', 'kept'],
    )
    assert.equal(await trail.verify([]), null)
    database.close()
  })

  it('keeps what it cannot write now, goes on answering, and writes it later', async () => {
    const database = new Database(':memory:')
    const trail = new AuditTrail(database, now)
    trail.write([entry('before')])
    database.prepare('PRAGMA query_only=1').run()
    trail.note(entry('while the disk took nothing'))
    assert.deepEqual(
      newest(trail).map((record) => record.message),
      ['before'],
    )
    assert.equal(await trail.verify([]), null)
    assert.throws(() => trail.flush())
    database.prepare('PRAGMA query_only=0').run()
    trail.flush()
    assert.deepEqual(
      newest(trail).map((record) => record.message),
      ['while the disk took nothing', 'before'],
    )
    database.close()
  })

  it('counts what it had to drop', () => {
    const database = new Database(':memory:')
    const trail = new AuditTrail(database, now)
    for (let index = 0; index < 10_005; index++) trail.note(entry(String(index)))
    trail.flush()
    const [last] = newest(trail)
    assert.equal(last?.message, '5 audit records were lost while the disk was full.')
    assert.equal(trail.head.sequence, 10_001)
    database.close()
  })

  it('is one line a record, whatever is in it', () => {
    const database = new Database(':memory:')
    const trail = new AuditTrail(database, now)
    trail.write([entry('a\r\n{"sequence":2}\u0000\u001b[31m'), entry('b')])
    const rows = database.prepare('SELECT record FROM audit').all() as unknown as Row[]
    for (const { record } of rows) {
      for (const character of '\r\n\u0000\u001b') assert.ok(!record.includes(character))
    }
    database.close()
  })
})

const newest = (trail: AuditTrail): AuditRecord[] => JSON.parse([...trail.listJson(10, 0)].join(''))
