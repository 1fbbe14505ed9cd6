// Damaged files: every flipped byte and every cut leads to the right configuration, to an alarm, or to a refusal to
// start; never to a wrong policy that no one notices.
// Requirement 64.

import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { areas } from '../../src/areas/index.ts'
import { ConfigStore } from '../../src/core/config/store.ts'
import { Database } from '../../src/core/database/database.ts'
import { createTestGateway } from '../support/test-gateway.ts'

const copies = process.env.PORTCULLIS_NIGHTLY ? 2_000 : 150
const slots = areas.flatMap((area) => area.slots)

describe('a damaged database', () => {
  let folder: string
  let expected: unknown
  /** Every configuration that ever was: a fall-back to an older one is allowed, with an alarm. */
  const history = new Set<string>()
  before(async () => {
    const gateway = await createTestGateway()
    const admin = await gateway.client('predefined_admin_write')
    const { engine } = gateway
    history.add(JSON.stringify(engine.configAt(0)))
    for (let index = 0; index < 40; index++) {
      await admin('PATCH', '/firewall/settings', { automatic_snat_enabled: index % 2 === 0 })
      await gateway.addAdministrator(`admin-${index}`, 'predefined_admin_readonly')
    }
    for (let revision = 0; revision <= engine.revision; revision++)
      history.add(JSON.stringify(engine.configAt(revision)))
    expected = engine.config
    folder = mkdtempSync(join(tmpdir(), 'portcullis-damage-'))
    const shut = await gateway.restart()
    await shut.engine.idle()
    shut.database.close()
    cpSync(shut.folder, folder, { recursive: true })
    rmSync(shut.folder, { recursive: true })
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  /** 'right', 'alarm' or 'refused'; anything else is silent wrong data. */
  function openDamaged(damage: (path: string) => void): string {
    const copy = mkdtempSync(join(tmpdir(), 'portcullis-damaged-'))
    cpSync(folder, copy, { recursive: true })
    damage(join(copy, 'gateway.db'))
    try {
      const database = new Database(join(copy, 'gateway.db'))
      try {
        const loaded = new ConfigStore(database, slots).load()
        const text = JSON.stringify(loaded.snapshot.config)
        if (loaded.damage.length > 0) return history.has(text) ? 'alarm' : `wrong with an alarm: ${text.slice(0, 200)}`
        return text === JSON.stringify(expected) ? 'right' : 'silently wrong'
      } finally {
        database.close()
      }
    } catch {
      return 'refused'
    } finally {
      rmSync(copy, { recursive: true, force: true })
    }
  }

  const size = (): number => readFileSync(join(folder, 'gateway.db')).length

  it(`is noticed for ${copies} flipped bytes`, () => {
    const total = size()
    for (let index = 0; index < copies; index++) {
      const at = Math.floor(((index + 0.5) * total) / copies)
      const result = openDamaged((path) => {
        const bytes = readFileSync(path)
        bytes[at] = (bytes[at] ?? 0) ^ (1 << (index % 8))
        writeFileSync(path, bytes)
      })
      assert.match(result, /^(right|alarm|refused)$/, `byte ${at}`)
    }
  })

  it('is noticed when it is cut short', () => {
    const total = size()
    for (let index = 1; index < 25; index++) {
      const at = Math.floor((index * total) / 25)
      const result = openDamaged((path) => truncateSync(path, at))
      assert.match(result, /^(right|alarm|refused)$/, `cut at ${at}`)
    }
  })
})
