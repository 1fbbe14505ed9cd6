// Lists that come with items keep them: through the first change, through a restart, and when all of them are removed.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { strictObject } from '../contract/fields.ts'
import { Type } from '../contract/schema.ts'
import { Database } from '../database/database.ts'
import { type Config, list } from '../model/slots.ts'
import { diffConfig, type Snapshot } from './diff.ts'
import { ConfigStore } from './store.ts'

const names = list('sample.names', strictObject({ id: Type.String(), name: Type.String() }), [
  { id: 'a', name: 'first' },
  { id: 'b', name: 'second' },
])

it('a list that comes with items keeps them over its first change, a restart and the removal of all', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-store-'))
  const open = () => {
    const database = new Database(join(folder, 'gateway.db'))
    const store = new ConfigStore(database, [names])
    return { database, store, snapshot: store.load().snapshot }
  }
  const change = (store: ConfigStore, before: Snapshot, config: Config): void => {
    const { changes } = diffConfig([names], before, config)
    const revision = { revision: before.revision + 1, time: '', author: 'x', address: '', reason: '', changes }
    store.commit({ revisions: [revision], sequences: {} })
  }
  const idsOf = ({ config }: Snapshot) => (config['sample.names'] as { id: string }[]).map(({ id }) => id)

  const first = open()
  assert.deepEqual(idsOf(first.snapshot), ['a', 'b'])
  change(first.store, first.snapshot, { 'sample.names': [...names.initial, { id: 'c', name: 'third' }] })
  first.database.close()

  const second = open()
  assert.deepEqual(idsOf(second.snapshot), ['a', 'b', 'c'])
  change(second.store, second.snapshot, { 'sample.names': [] })
  second.database.close()

  const third = open()
  assert.deepEqual(idsOf(third.snapshot), [])
  third.database.close()
  rmSync(folder, { recursive: true })
})
