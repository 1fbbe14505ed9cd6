// Data of every released format opens in this version; newer data is refused and left unchanged. Fixtures are kept for ever.
// Requirement 65.

import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { findByLogin, passwordPlace } from '../../src/areas/administrators/config.ts'
import { settings } from '../../src/areas/firewall/config.ts'
import { Database, NewerDataError } from '../../src/core/database/database.ts'
import { migrations } from '../../src/core/database/migrations.ts'
import { read } from '../../src/core/model/slots.ts'
import { createTestGateway } from '../support/test-gateway.ts'

const fixtures = join(import.meta.dirname, '..', 'fixtures')

function unpack(format: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-format-'))
  const database = new DatabaseSync(join(folder, 'gateway.db'))
  database.exec(readFileSync(join(fixtures, `format-${format}.sql`), 'utf8'))
  database.close()
  copyFileSync(join(fixtures, `format-${format}.vault.json`), join(folder, 'vault.key'))
  return folder
}

describe('stored data', () => {
  it('of format 1 opens with its settings, administrators, secrets, history and an intact audit trail', async () => {
    const gateway = await createTestGateway({ folder: unpack(1) })
    const { engine, audit } = gateway.services
    assert.deepEqual(engine.damage, [])
    assert.equal(engine.revision, 7)
    assert.deepEqual(read(engine.config, settings), {
      automatic_snat_enabled: false,
      log_mode: 'selected',
      log_actions: ['drop'],
    })
    const admin = findByLogin(engine.config, 'second')
    assert.ok(admin)
    assert.match(gateway.vault.reveal(admin.password_hash, passwordPlace(admin.id)), /^\$argon2id\$/)
    assert.deepEqual(engine.configAt(0)?.[settings.key], settings.initial)
    assert.equal(await audit.verify([]), null)
    await gateway.close()
  })

  it('is brought to the newest format step by step, and an interrupted migration starts again', () => {
    const folder = unpack(1)
    const path = join(folder, 'gateway.db')
    const raw = new DatabaseSync(path)
    raw.exec('BEGIN; CREATE TABLE half_done (x); ')
    // Closed without a commit, as after a crash.
    raw.close()
    const database = new Database(path)
    assert.equal(database.version(), migrations.length)
    assert.throws(() => database.prepare('SELECT * FROM half_done'))
    database.close()
    rmSync(folder, { recursive: true })
  })

  it('that is newer than this version is refused and left as it is', () => {
    const folder = unpack(1)
    const path = join(folder, 'gateway.db')
    const raw = new DatabaseSync(path)
    raw.exec('PRAGMA user_version=99')
    raw.close()
    const before = readFileSync(path)
    assert.throws(() => new Database(path), NewerDataError)
    assert.deepEqual(readFileSync(path), before)
    rmSync(folder, { recursive: true })
  })
})
