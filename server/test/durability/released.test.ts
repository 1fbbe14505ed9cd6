// This release reads what every release stored: its state with an item in every slot, all of its history, and its backup.
// A schema that changes without an upgrade step fails here, and so does a slot that no fixture has.
// Requirement 65.

import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { areas } from '../../src/areas/index.ts'
import { licence } from '../../src/areas/licence/config.ts'
import { RevisionReader } from '../../src/core/config/revision-reader.ts'
import { strictObject } from '../../src/core/contract/fields.ts'
import { Type } from '../../src/core/contract/schema.ts'
import { resealAll } from '../../src/core/model/reseal.ts'
import { type Config, type Slot, single } from '../../src/core/model/slots.ts'
import { createPlanner } from '../../src/core/plan/planner.ts'
import { faultsOf } from '../../src/core/validation/validate.ts'
import { upload, useGateways } from '../contract/backup-calls.ts'
import { createTestGateway } from '../support/test-gateway.ts'
import { assertWhole } from './stored.ts'

const { start } = useGateways()
const fixtures = join(import.meta.dirname, '..', 'fixtures', 'released')
const slots = areas.flatMap((area) => area.slots)

const portalSlots = ['portal.settings', 'portal.second_factors', 'portal.second_factor_providers']

const healthSlots = ['health.mail_targets', 'health.webhooks']

/** Slots that were added after a release, so that its fixture does not have them. */
const newerThan: Readonly<Record<string, readonly string[]>> = {
  '0.1.0': [
    'configuration.history',
    'firewall.connection_limits',
    'authorization.settings',
    'logs.remote_syslog_tls',
    'logs.retention',
    'inspection.failures',
    'monitor.application_detection',
    'web_proxy.settings',
    'web_proxy.exclusions',
    'web_proxy.antivirus',
    'web_proxy.authority',
    ...portalSlots,
    ...healthSlots,
  ],
}

/** Made by support/make-released.ts on the commit of the release. */
const fileOf = (release: string, name: string): string => join(fixtures, release, name)

function unpack(release: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-released-'))
  const database = new DatabaseSync(join(folder, 'gateway.db'))
  database.exec(`BEGIN; ${readFileSync(fileOf(release, 'state.sql'), 'utf8')}; COMMIT`)
  database.close()
  copyFileSync(fileOf(release, 'vault.json'), join(folder, 'vault.key'))
  return folder
}

/** What the schemas of this release do not accept. */
const schemaFaults = (config: Config, all: readonly Slot[] = slots): string[] =>
  all.flatMap((slot) => {
    const values = slot.kind === 'list' ? (config[slot.key] as readonly unknown[]) : [config[slot.key]]
    return values
      .flatMap((value) => faultsOf(slot.schema, value))
      .map(({ field, message }) => `${slot.key}: ${field}: ${message}`)
  })

const withoutSecrets = (config: Config): Config => resealAll(config, () => ({ sealed: '' }))

describe('the fixtures', () => {
  it('exist for every release that is listed, and no other', () => {
    const folders = readdirSync(fixtures, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    assert.deepEqual(folders.map(({ name }) => name).sort(), Object.keys(newerThan).sort())
  })

  it('would show a schema that changed without an upgrade step', () => {
    const Now = strictObject({ enabled: Type.Boolean(), added: Type.Integer() })
    const changed = single('statistics.settings', Now, { enabled: false, added: 1 })
    assert.deepEqual(schemaFaults({ 'statistics.settings': { enabled: true } }, [changed]).length, 1)
  })
})

for (const release of Object.keys(newerThan)) {
  const newer = new Set(newerThan[release])

  describe(`the state of release ${release}`, () => {
    it('holds something in every slot but those that are newer', () => {
      const folder = unpack(release)
      const raw = new DatabaseSync(join(folder, 'gateway.db'))
      const stored = new Set(
        raw
          .prepare('SELECT DISTINCT slot FROM items')
          .all()
          .map(({ slot }) => slot),
      )
      raw.close()
      rmSync(folder, { recursive: true })
      assert.deepEqual(
        slots.map(({ key }) => key).filter((key) => stored.has(key) === newer.has(key)),
        [],
        'a slot of this release is missing, or one is named as newer that is there',
      )
    })

    it('opens undamaged, with values that the schemas accept and all areas agree to', async () => {
      const gateway = await start({ folder: unpack(release) })
      const { engine } = gateway
      assert.deepEqual(engine.damage, [])
      assert.deepEqual(schemaFaults(engine.config), [])
      assert.deepEqual(createPlanner(areas).verify(engine.config), [])
      await assertWhole(gateway, slots)
    })

    it('keeps its secrets', async () => {
      const gateway = await start({ folder: unpack(release) })
      let count = 0
      resealAll(gateway.engine.config, (secret, place) => {
        assert.ok(gateway.vault.reveal(secret, place).length > 0, place)
        count++
        return secret
      })
      assert.ok(count > 10)
    })

    it('has a history that can be read and returned to, revision by revision', async () => {
      const gateway = await start({ folder: unpack(release) })
      const { engine } = gateway
      const reader = new RevisionReader(gateway.database, engine.slots)
      const newest = engine.revision
      const wanted = engine.config
      for (let revision = 0; revision < newest; revision++) {
        const config = engine.configAt(revision) ?? assert.fail(`there is no revision ${revision}`)
        assert.deepEqual(schemaFaults(config), [], `revision ${revision}`)
        assert.ok(revision === 0 || reader.describe(revision), `revision ${revision}`)
        assert.deepEqual(reader.configAt(revision), config, `revision ${revision} as a worker reads it`)
      }
      for (const revision of [Math.floor(newest / 2), newest])
        await engine.change({
          edit: () => [engine.configAt(revision) ?? {}, null],
          actor: { login: 'system', address: '127.0.0.1' },
          reason: 'test',
        })
      assert.deepEqual(engine.config, wanted)
    })
  })

  it(`a backup of release ${release} is restored, with everything but the licence`, async () => {
    const before = await createTestGateway({ folder: unpack(release) })
    const { [licence.key]: _ofTheMachine, ...wanted } = withoutSecrets(before.services.engine.config)
    await before.close()
    const gateway = await start()
    const admin = await gateway.client('predefined_admin_write')
    const key = readFileSync(fileOf(release, 'recovery-key.txt'), 'utf8').trim()
    assert.equal((await admin('POST', '/backup/recovery_key', { key })).status, 200)
    const uploaded = await upload(admin, readFileSync(fileOf(release, 'gateway.backup')))
    assert.equal(uploaded.status, 200, uploaded.text)
    const restored = await admin('POST', `/backup/backups/${uploaded.body.id}/apply`)
    assert.equal(restored.status, 200, restored.text)
    const { config } = gateway.engine
    assert.deepEqual(schemaFaults(config), [])
    const { [licence.key]: _own, ...held } = withoutSecrets(config)
    assert.deepEqual(held, wanted)
  })
}
