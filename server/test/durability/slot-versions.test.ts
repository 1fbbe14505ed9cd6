// A slot goes through three versions: what is stored, every old revision, a revert and a backup give values of the release
// that reads them; what is newer than that release is refused and left unchanged.

import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { areas } from '../../src/areas/index.ts'
import { RevisionReader } from '../../src/core/config/revision-reader.ts'
import { ConfigStore } from '../../src/core/config/store.ts'
import { strictObject } from '../../src/core/contract/fields.ts'
import { Type } from '../../src/core/contract/schema.ts'
import { Database, NewerDataError } from '../../src/core/database/database.ts'
import { type Config, list, type UpgradeStep } from '../../src/core/model/slots.ts'
import { upgradeValue } from '../../src/core/model/upgrades.ts'
import { etagOf } from '../../src/gatewayd/http/request.ts'
import { download, make, upload, useGateways } from '../contract/backup-calls.ts'
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { itemSteps, itemsKey, settingsKey, settingsSteps, versionedArea } from '../support/versioned-area.ts'
import { assertWhole } from './stored.ts'

const { start, restart } = useGateways()

type Fields = Readonly<Record<string, unknown>>

const urls = (count: number): string[] => Array.from({ length: count }, (_, at) => `https://${at}.example/`)
const actor = { login: 'admin', address: '127.0.0.1' }

const edit = (gateway: TestGateway, change: (config: Config) => Fields) =>
  gateway.engine.change({
    edit: (config) => [{ ...config, ...change(config) }, null],
    actor,
    reason: 'test',
  })

const items = (config: Config | null): readonly Fields[] => (config?.[itemsKey] ?? []) as readonly Fields[]
const valuesOf = (config: Config | null) => ({ settings: config?.[settingsKey], items: items(config) })

/** Step by step to version 3, by hand. */
const asVersion3 = (value: unknown, steps: typeof itemSteps, from: number): unknown =>
  steps.slice(from - 1).reduce((fields, step) => step(fields), value as Fields)

interface Past {
  readonly revision: number
  readonly settings: unknown
  readonly items: readonly unknown[]
}

/** The state now, with its values as version 3 has them. */
function note({ services: { engine } }: TestGateway, version: number): Past {
  return {
    revision: engine.revision,
    settings: asVersion3(engine.config[settingsKey], settingsSteps, version),
    items: items(engine.config).map((item) => asVersion3(item, itemSteps, version)),
  }
}

const openAs = (gateway: TestGateway, version: 1 | 2 | 3): Promise<TestGateway> =>
  restart(gateway, { extraAreas: [versionedArea(version)] })

/** History under versions 1 and 2; at the end the gateway runs version 3. */
async function threeReleases() {
  let gateway = await start({ extraAreas: [versionedArea(1)] })
  const past: Past[] = [note(gateway, 1)]
  const change = async (version: number, changes: (config: Config) => Fields): Promise<void> => {
    await edit(gateway, changes)
    past.push(note(gateway, version))
  }
  const password = gateway.vault.seal('secret of one', `${itemsKey}/1/password`)
  await change(1, () => ({ [settingsKey]: { limit: '20' } }))
  await change(1, () => ({ [itemsKey]: [{ id: 1, name: 'one', urls: urls(200), password }] }))
  await change(1, (config) => ({
    [itemsKey]: [...items(config), { id: 2, name: 'two', urls: [], password: null }],
  }))
  // Of the long list only what differs is kept.
  await change(1, (config) => ({
    [itemsKey]: items(config).map((item) => (item.id === 1 ? { ...item, urls: urls(201) } : item)),
  }))
  await change(1, (config) => ({
    [itemsKey]: items(config).map((item) => (item.id === 1 ? { ...item, urls: urls(205).slice(3) } : item)),
  }))
  gateway = await openAs(gateway, 2)
  await change(2, () => ({ [settingsKey]: { limit: 30 } }))
  await change(2, (config) => ({
    [itemsKey]: items(config)
      .toReversed()
      .map((item) => (item.id === 1 ? { ...item, title: 'uno', urls: urls(210) } : item)),
  }))
  await change(2, (config) => ({ [itemsKey]: items(config).slice(1) }))
  await change(2, (config) => ({ [itemsKey]: items(config).map((item) => ({ ...item, urls: urls(190) })) }))
  gateway = await openAs(gateway, 3)
  return { gateway, past }
}

/** The state of a gateway that runs, as it is on the disk. */
function copyOf(gateway: TestGateway): string {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-versions-'))
  cpSync(gateway.folder, folder, { recursive: true })
  return folder
}

const openCopy = (folder: string, version: 1 | 2 | 3) =>
  createTestGateway({ folder, extraAreas: [versionedArea(version)] })

const slotsOf = (version: 1 | 2 | 3) => [...areas, versionedArea(version)].flatMap(({ slots }) => slots)

const versionsQuery = `SELECT version FROM items WHERE slot LIKE 'versioned.%'`

const storedVersions = ({ folder }: Pick<TestGateway, 'folder'>): number[] => {
  const raw = new DatabaseSync(join(folder, 'gateway.db'))
  const rows = raw.prepare(versionsQuery).all() as { version: number }[]
  raw.close()
  return rows.map(({ version }) => version)
}

describe('a slot that changed its shape', () => {
  it('is loaded in the new one, written back, and the same after every further start', async () => {
    const { gateway, past } = await threeReleases()
    const { engine } = gateway
    const last = past.at(-1)
    assert.deepEqual(engine.damage, [])
    assert.deepEqual(valuesOf(engine.config), { settings: last?.settings, items: last?.items })
    assert.deepEqual(storedVersions(gateway), [3, 3])
    await assertWhole(gateway, slotsOf(3))
    const again = await openAs(gateway, 3)
    assert.deepEqual(valuesOf(again.services.engine.config), { settings: last?.settings, items: last?.items })
    await assertWhole(again, slotsOf(3))
  })

  it('shows every old revision in the new one, and its changes', async () => {
    const { gateway, past } = await threeReleases()
    const { engine } = gateway
    const revisions = new RevisionReader(gateway.database, engine.slots)
    for (const { revision, ...values } of past) {
      assert.deepEqual(valuesOf(engine.configAt(revision)), values)
      assert.deepEqual(valuesOf(revisions.configAt(revision)), values)
    }
    for (const { revision } of past.slice(1)) {
      const changes = revisions.describe(revision)?.changes ?? []
      assert.ok(changes.length > 0, `revision ${revision}`)
      assert.doesNotMatch(JSON.stringify(changes), /"(limit|name|urls)"/)
    }
    const [lengthened] = revisions.describe(past[4]?.revision ?? 0)?.changes ?? []
    assert.deepEqual(lengthened?.fields, [
      { field: 'links', before: [], after: [{ url: 'https://200.example/' }], at: 200, unchanged: 200 },
    ])
  })

  it('can be reverted to any of them', async () => {
    const { gateway, past } = await threeReleases()
    const { engine } = gateway
    for (const { revision, ...values } of past) {
      await edit(gateway, () => engine.configAt(revision) ?? {})
      assert.deepEqual(valuesOf(engine.config), values)
    }
    for (const { revision, ...values } of past) assert.deepEqual(valuesOf(engine.configAt(revision)), values)
    await assertWhole(gateway, slotsOf(3))
  })

  it('is rebuilt from the history of all versions when a row is damaged', async () => {
    const { gateway, past } = await threeReleases()
    const raw = new DatabaseSync(join(gateway.folder, 'gateway.db'))
    raw.exec(`UPDATE items SET version = 9 WHERE slot = '${itemsKey}'`)
    raw.close()
    const again = await openAs(gateway, 3)
    const { engine } = again.services
    assert.match(engine.damage.join(), /rebuilt/)
    assert.deepEqual(items(engine.config), past.at(-1)?.items)
    for (const { revision, ...values } of past) assert.deepEqual(valuesOf(engine.configAt(revision)), values)
  })

  it('keeps its version through a release that does not know it', async () => {
    const { gateway, past } = await threeReleases()
    const without = await restart(gateway, { extraAreas: [] })
    const raw = new DatabaseSync(join(without.folder, 'gateway.db'))
    raw.exec(`UPDATE items SET body = body || ' ' WHERE slot = 'administrators.local'`)
    raw.exec(`UPDATE items SET body = body || ' ' WHERE slot = '${settingsKey}'`)
    raw.close()
    const again = await openAs(await restart(without, { extraAreas: [] }), 3)
    assert.deepEqual(again.services.engine.config[settingsKey], past.at(-1)?.settings)
  })

  it('is upgraded all at once or not at all, and is readable while the disk accepts no writes', async () => {
    const gateway = await start({ extraAreas: [versionedArea(1)] })
    await edit(gateway, () => ({
      [settingsKey]: { limit: '20' },
      [itemsKey]: [{ id: 1, name: 'one', urls: [], password: null }],
    }))
    const folder = copyOf(gateway)
    const database = new Database(join(folder, 'gateway.db'))
    const load = () => new ConfigStore(database, slotsOf(2)).load()
    const versions = () =>
      database
        .prepare(versionsQuery)
        .all()
        .map((row) => row.version)
    database.prepare('PRAGMA query_only=1').run()
    assert.deepEqual(load().snapshot.config[settingsKey], { limit: 20 })
    assert.deepEqual(versions(), [1, 1])
    database.prepare('PRAGMA query_only=0').run()
    const refusal = `BEFORE UPDATE ON items WHEN new.slot = '${settingsKey}' BEGIN SELECT RAISE(FAIL, 'injected'); END`
    database.prepare(`CREATE TEMP TRIGGER fault ${refusal}`).run()
    assert.throws(load, /injected/)
    assert.deepEqual(versions(), [1, 1])
    database.prepare('DROP TRIGGER fault').run()
    for (let time = 0; time < 2; time++) {
      assert.deepEqual(load().snapshot.config[settingsKey], { limit: 20 })
      assert.deepEqual(versions(), [2, 2])
    }
    database.close()
    rmSync(folder, { recursive: true })
  })

  it('is never given another id or a moved secret by a step', () => {
    const sealed = { sealed: 'v1.1.a.b' }
    const refusedSteps: readonly [UpgradeStep, RegExp][] = [
      [(old) => ({ ...old, id: 9 }), /changed an id/],
      [
        ({ password, ...rest }) => ({ ...rest, secret: password }),
        /moved or made the secret versioned\.items\/1\/secret/,
      ],
    ]
    for (const [step, reason] of refusedSteps) {
      const slot = list(itemsKey, strictObject({ id: Type.Integer() }), { upgrades: [step] })
      assert.throws(() => upgradeValue(slot, { id: 1, password: sealed }, 1), reason)
    }
  })

  it('has other ETags, so that no client takes its old copy for the new form', () => {
    const tags = ([1, 2, 3] as const).map((version) => {
      const [slot] = versionedArea(version).slots
      return slot && etagOf(slot, 7)
    })
    assert.deepEqual(tags, ['"versioned.settings-7"', '"versioned.settings.v2-7"', '"versioned.settings.v3-7"'])
  })
})

describe('a slot of a newer version', () => {
  it('is not read: the start is refused with a clear message and nothing is written', async () => {
    const { gateway } = await threeReleases()
    const folder = copyOf(gateway)
    const before = storedVersions({ folder })
    await assert.rejects(openCopy(folder, 2), (error: Error) => {
      assert.ok(error instanceof NewerDataError)
      assert.match(
        error.message,
        /"versioned\.\w+" has version 3; this release knows versions up to 2\. Start the newer/,
      )
      return true
    })
    assert.deepEqual(storedVersions({ folder }), before)
    rmSync(folder, { recursive: true })
  })

  it('is refused also when only its history is newer', async () => {
    const gateway = await start({ extraAreas: [versionedArea(2)] })
    await edit(gateway, () => ({ [itemsKey]: [{ id: 1, title: 'one', urls: [], password: null }] }))
    await edit(gateway, () => ({ [itemsKey]: [] }))
    const folder = copyOf(gateway)
    await assert.rejects(openCopy(folder, 1), NewerDataError)
    rmSync(folder, { recursive: true })
  })
})

describe('a backup', () => {
  it('of an older version is restored in the new one, with its secrets', async () => {
    const { gateway: old, past } = await threeReleases()
    const first = await start({ extraAreas: [versionedArea(1)] })
    const password = first.vault.seal('secret of one', `${itemsKey}/1/password`)
    await edit(first, () => ({
      [settingsKey]: { limit: '20' },
      [itemsKey]: [{ id: 1, name: 'one', urls: urls(3), password }],
    }))
    const id = await make(await first.client('predefined_admin_write'))
    const second = await openAs(first, 3)
    const admin = await second.client('predefined_admin_write')
    await edit(second, () => ({ [settingsKey]: { limits: { soft: 1, hard: 1 } }, [itemsKey]: [] }))
    const answer = await admin('POST', `/backup/backups/${id}/apply`)
    assert.equal(answer.status, 200, answer.text)
    const { config } = second.services.engine
    assert.deepEqual(config[settingsKey], { limits: { soft: 20, hard: 40 } })
    const [item] = items(config)
    assert.deepEqual(
      { ...item, password: second.vault.reveal(item?.password as { sealed: string }, `${itemsKey}/1/password`) },
      { id: 1, title: 'one', links: urls(3).map((url) => ({ url })), password: 'secret of one' },
    )
    // A backup made by version 3 is restored unchanged.
    const own = await old.client('predefined_admin_write')
    const latest = await make(own)
    await edit(old, () => ({ [itemsKey]: [] }))
    assert.equal((await own('POST', `/backup/backups/${latest}/apply`)).status, 200)
    // Its secrets are sealed again.
    const titlesAndLinks = (all: readonly unknown[]) => all.map((one) => ({ ...(one as Fields), password: null }))
    assert.deepEqual(titlesAndLinks(items(old.services.engine.config)), titlesAndLinks(past.at(-1)?.items ?? []))
  })

  it('of a newer version is refused with a clear message', async () => {
    const { gateway: newer } = await threeReleases()
    const maker = await newer.client('predefined_admin_write')
    const file = await download(newer, maker, await make(maker))
    const older = await start({ extraAreas: [versionedArea(2)] })
    const admin = await older.client('predefined_admin_write')
    const { key } = (await maker('GET', '/backup/recovery_key')).body
    assert.equal((await admin('POST', '/backup/recovery_key', { key })).status, 200)
    const uploaded = await upload(admin, file)
    assert.equal(uploaded.status, 200, uploaded.text)
    const { revision } = older.services.engine
    const answer = await admin('POST', `/backup/backups/${uploaded.body.id}/apply`)
    assert.equal(answer.status, 422)
    assert.deepEqual(
      answer.body.problems.map(({ field }: { field: string }) => field),
      [settingsKey, itemsKey],
    )
    assert.match(answer.body.problems[0].message, /version 3 of these settings; this release knows versions up to 2/)
    assert.equal(older.services.engine.revision, revision)
  })
})
