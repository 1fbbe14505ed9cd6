// What is on the disk, read by a second reader from the same file: what every durability test compares with.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { AuditTrail } from '../../src/core/audit/audit.ts'
import type { AuditRecord } from '../../src/core/audit/audit-entry.ts'
import { applyChanges, type Snapshot } from '../../src/core/config/diff.ts'
import { ConfigStore, type Loaded } from '../../src/core/config/store.ts'
import { Database } from '../../src/core/database/database.ts'
import type { Slot } from '../../src/core/model/slots.ts'
import type { TestGateway } from '../support/test-gateway.ts'
import { until } from '../support/until.ts'

export interface Stored {
  readonly loaded: Loaded
  /** The history from nothing, replayed forwards. */
  readonly replayed: Snapshot
  readonly revisions: readonly number[]
  readonly audited: readonly number[]
  readonly sessions: readonly string[]
  readonly auditFault: unknown
}

export async function readStored(folder: string, slots: readonly Slot[]): Promise<Stored> {
  const database = new Database(join(folder, 'gateway.db'))
  try {
    const store = new ConfigStore(database, slots)
    const trail = new AuditTrail(database, () => new Date())
    const config = Object.fromEntries(slots.map((slot) => [slot.key, slot.initial]))
    const positions = Object.fromEntries(
      slots.flatMap((slot) => (slot.kind === 'list' ? [[slot.key, slot.initial.map((_, at) => at + 1)]] : [])),
    )
    let replayed: Snapshot = { revision: 0, config, positions }
    for (const changes of store.changesSince(0).toReversed()) {
      replayed = applyChanges(replayed, changes, replayed.revision + 1)
    }
    return {
      loaded: store.load(),
      replayed,
      revisions: store.listRevisions(1_000_000, 0).map(({ revision }) => revision),
      audited: (JSON.parse([...trail.listJson(1_000_000, 0)].join('')) as AuditRecord[]).flatMap(
        ({ event, revision }) => (event === 'change' ? [revision] : []),
      ) as number[],
      sessions: (database.prepare('SELECT handle FROM sessions').all() as { handle: string }[]).map(
        (row) => row.handle,
      ),
      auditFault: await trail.verify([]),
    }
  } finally {
    database.close()
  }
}

/** Memory equals disk and the replayed history, and the audit trail has one intact record for each revision. */
export async function assertWhole(gateway: TestGateway, slots: readonly Slot[]): Promise<void> {
  const { engine } = gateway
  const { sessions } = gateway.services.accounts
  let stored = await readStored(gateway.folder, slots)
  const sessionsInMemory = (): string =>
    sessions
      .list()
      .map(({ handle }) => handle)
      .sort()
      .join()
  // Accounts that the disk did not take return to it a moment after it takes them again.
  await until('memory and disk have the same sessions', async () => {
    stored = await readStored(gateway.folder, slots)
    return sessionsInMemory() === [...stored.sessions].sort().join()
  })
  assert.deepEqual(stored.loaded.damage, [])
  assert.deepEqual(engine.config, stored.loaded.snapshot.config)
  assert.equal(engine.revision, stored.loaded.snapshot.revision)
  assert.deepEqual(engine.probation, stored.loaded.probation)
  for (const slot of slots) assert.equal(engine.slotRevision(slot.key), stored.loaded.slotRevisions[slot.key] ?? 0)
  assert.deepEqual(stored.replayed, stored.loaded.snapshot, 'the replayed history differs')
  assert.equal(stored.auditFault, null)
  assert.deepEqual(stored.audited, stored.revisions)
}
