// The audit trail is complete, and bounded: actions are recorded before they are answered, records and floods of refusals have
// a limit, and what was cut off at its end is found.
// Requirements 9 and 54.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { createCheckpoints } from '../../src/applyd/checkpoints.ts'
import { maxRecordBytes } from '../../src/core/audit/audit-entry.ts'
import { recordHash } from '../../src/core/audit/audit-verify.ts'
import { Checkpointer } from '../../src/core/audit/checkpointer.ts'
import { GatewayError } from '../../src/core/contract/error.ts'
import { verbatim } from '../../src/shared/said.ts'
import { ftp } from '../contract/backup-calls.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { until } from '../support/until.ts'
import { sourceFiles } from './source.ts'

let gateway: TestGateway
let admin: Client
beforeEach(async () => {
  gateway = await createTestGateway()
  admin = await gateway.client('predefined_admin_write')
})
afterEach(() => gateway.close())

interface Stored {
  readonly sequence: number
  readonly event: string
  readonly who: string
  readonly what: string
  readonly result: string
  readonly message: string
  readonly revision: number | null
  readonly changes: readonly Readonly<Record<string, unknown>>[]
}

/** On the disk, whatever is held in memory. */
const stored = (): Stored[] =>
  gateway.database
    .prepare('SELECT record FROM audit ORDER BY sequence')
    .all()
    .map(({ record }) => JSON.parse(String(record)) as Stored)

describe('M5: an answered action', () => {
  it('is on the disk, and so is a look at a secret', async () => {
    assert.equal((await admin('PATCH', '/backup/settings', { ftp })).status, 200)
    const calls = [
      ['DELETE', '/web/auth/blocks'],
      ['POST', '/backup/backups', { comment: 'x' }],
      ['GET', '/backup/recovery_key'],
      ['GET', '/backup/settings'],
    ] as const
    for (const [method, path, body] of calls) {
      const before = stored().length
      const { status, text } = await admin(method, path, body)
      assert.equal(status, 200, `${method} ${path} ${text}`)
      const added = stored().slice(before)
      assert.deepEqual(
        added.map(({ what }) => what),
        [`${method} ${path}`],
      )
    }
  })

  it('shares its sync with those that are answered at the same time, and each has its record', async () => {
    const before = stored().length
    let commits = 0
    const { transact } = gateway.database
    gateway.database.transact = (work) => {
      commits++
      return transact.call(gateway.database, work) as ReturnType<typeof work>
    }
    const answers = await Promise.all(Array.from({ length: 50 }, () => admin('DELETE', '/web/auth/blocks')))
    assert.ok(answers.every(({ status }) => status === 200))
    assert.equal(stored().length - before, 50)
    // Lifting the blocks is a commit each; their records are a handful.
    assert.ok(commits < 100, `${commits} commits`)
  })

  it('shows no secret without a record; what was done without room on the disk is recorded later', async () => {
    assert.equal((await admin('PATCH', '/backup/settings', { ftp })).status, 200)
    const { body } = await admin('POST', '/backup/backups', { comment: 'x' })
    gateway.database.prepare('PRAGMA query_only=1').run()
    for (const path of ['/backup/settings', '/backup/recovery_key']) {
      const refused = await admin('GET', path)
      assert.equal(refused.status, 503, refused.text)
      assert.match(refused.body.message, /^The audit record of this call could not be written/)
      assert.ok(!refused.text.includes(ftp.password))
    }
    assert.equal((await admin('DELETE', `/backup/backups/${body.id}`)).status, 200)
    gateway.database.prepare('PRAGMA query_only=0').run()
    gateway.services.audit.flush()
    assert.ok(stored().some(({ what }) => what === 'DELETE /backup/backups/:backup_id'))
  })

  it('is never only noted: what is written later is a refusal, or of the gateway itself', () => {
    const users = sourceFiles.filter(({ text }) => /\baudit\.note\(/.test(text)).map(({ path }) => path)
    assert.deepEqual(users, ['gatewayd/app.ts', 'gatewayd/http/audited.ts', 'gatewayd/http/server.ts'])
  })
})

describe('M2: the audit trail', () => {
  it('gathers the refusals of a signed-in administrator', async () => {
    const viewer = await gateway.client('predefined_reports_view')
    const before = stored().length
    for (let count = 0; count < 500; count++)
      assert.equal((await viewer('PATCH', '/firewall/settings', {})).status, 403)
    gateway.clock.advance(61)
    assert.equal((await viewer('PATCH', '/firewall/settings', {})).status, 403)
    gateway.services.audit.flush()
    const added = stored().slice(before)
    assert.equal(added.length, 62)
    const summary = added.find(({ what }) => what === '(several)')
    assert.deepEqual([summary?.who, summary?.event], ['of-predefined_reports_view', 'refused'])
    assert.match(summary?.message ?? '', /^440 more requests of this administrator/)
  })

  it('has records of at most 16 KiB: of a large change the objects and fields, and the revision has the whole', async () => {
    const urls = Array.from({ length: 5_000 }, (_, index) => `site-${index}.example.com`)
    const made = await admin('POST', '/content-filter/users_categories', { name: 'long', comment: '', urls })
    assert.equal(made.status, 200, made.text.slice(0, 500))
    const last = stored().at(-1) as Stored
    assert.ok(JSON.stringify(last).length <= maxRecordBytes)
    const change = last.changes.find(({ is_shortened }) => is_shortened)
    assert.ok(JSON.stringify(change?.fields).includes('"urls"'))
    const revision = (await admin('GET', `/config/revisions/${last.revision}`)).text
    assert.ok(revision.includes('site-4999.example.com'))
    assert.equal((await admin('GET', '/journal/verify')).body.intact, true)
  })

  it('names how many changes are left out when there are too many objects', () => {
    const { audit } = gateway.services
    const changes = Array.from({ length: 5_000 }, (_, index) => ({
      object: `x[${index}]`,
      action: 'added',
      fields: [],
    }))
    const texts = { who: 'w'.repeat(5_000), what: '"'.repeat(5_000), message: '\u0000'.repeat(50_000) }
    audit.write([{ event: 'change', address: '', result: 'ok', request_id: '', revision: null, changes, ...texts }])
    const last = stored().at(-1) as Stored
    assert.ok(JSON.stringify(last).length <= maxRecordBytes)
    const omitted = Number(last.changes.at(-1)?.omitted)
    assert.equal(omitted + last.changes.length - 1, 5_000)
  })

  it('with very large records of an earlier release is read in pieces, gathered without them, and intact', async () => {
    const { audit } = gateway.services
    const large = 'x'.repeat(3_000_000)
    const insert = gateway.database.prepare('INSERT INTO audit (sequence, record, hash) VALUES (?, ?, ?)')
    let { sequence } = audit.head
    let hash: Uint8Array = Buffer.from(audit.head.hash, 'hex')
    const time = gateway.clock.now().toISOString()
    for (let count = 0; count < 20; count++) {
      sequence++
      const rest = { who: 'old', address: '', what: 'w', result: 'ok', message: 'm', request_id: '', revision: null }
      const record = JSON.stringify({ sequence, time, event: 'change', ...rest, changes: [large] })
      hash = recordHash(hash, record)
      insert.run(sequence, record, hash)
    }
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    const pieces = [...gateway.services.audit.listJson(1_000, 0)]
    assert.ok(pieces.length > 20)
    assert.ok(pieces.every((piece) => piece.length < 4_000_000))
    const page = gateway.services.audit.pageAfter(sequence - 20, 500)
    assert.ok(page.isMore && page.records.length === 1 && !('changes' in (page.records[0] ?? {})))
    const { text, status } = await admin('GET', '/journal/records?limit=25')
    assert.equal(status, 200)
    assert.equal((JSON.parse(text) as Stored[]).filter(({ who }) => who === 'old').length, 20)
    const logs = await admin('GET', '/logs_backend/logs')
    assert.equal(logs.body.data.filter(({ message }: Stored) => message.startsWith('change old')).length, 20)
    assert.equal((await admin('GET', '/journal/verify')).body.intact, true)
  })
})

describe('M4: a tail that was cut off', () => {
  let directory: string
  let mismatches: string[]
  let checkpoints: ReturnType<typeof createCheckpoints>
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'portcullis-checkpoints-'))
    checkpoints = createCheckpoints(directory, () => {})
    mismatches = []
    follow()
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  /** What main.ts does, with applyd's own book of checkpoints. */
  let checkpointer: Checkpointer
  const follow = (): void => {
    checkpointer = new Checkpointer({
      audit: gateway.services.audit,
      keep: async (sequence, hash, isFirst) => {
        try {
          checkpoints.add(sequence, hash, isFirst)
        } catch (error) {
          throw new GatewayError('internal', verbatim((error as Error).message))
        }
      },
      onMismatch: (message) => mismatches.push(message),
      onFault: () => {},
    })
  }
  const verify = async () => gateway.services.audit.verify(await checkpoints.list())
  /** Stopped for long enough to delete the last records. */
  async function restartWithout(count: number): Promise<number> {
    gateway.services.audit.flush()
    await checkpointer.now()
    const { sequence } = gateway.services.audit.head
    gateway.database.prepare('DELETE FROM audit WHERE sequence > ?').run(sequence - count)
    const kept = sequence - count
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    return kept
  }

  it('is found by the checkpoint of the last records, now and when others have taken their numbers', async () => {
    for (let count = 0; count < 5; count++) await admin('DELETE', '/web/auth/blocks')
    const kept = await restartWithout(3)
    follow()
    await checkpointer.now()
    assert.match(mismatches.join(), /does not follow/)
    assert.equal((await verify())?.sequence, kept + 1)
    for (let count = 0; count < 10; count++) await admin('DELETE', '/web/auth/blocks')
    await checkpointer.now()
    for (let count = 0; count < 10; count++) await admin('DELETE', '/web/auth/blocks')
    await checkpointer.now()
    const fault = await verify()
    assert.equal(fault?.sequence, kept + 3)
    assert.match(fault?.message ?? '', /does not match the signed checkpoint/)
  })

  it('with records of changes is found without any checkpoint: a revision has no record', async () => {
    await gateway.addAdministrator('evil', 'predefined_admin_write')
    const { revision } = gateway.engine
    const kept = await restartWithout(1)
    assert.deepEqual(await gateway.services.audit.verify([]), {
      sequence: kept + 1,
      message: `The record of revision ${revision} is missing.`,
    })
    // And so it stays when the gateway goes on.
    await gateway.addAdministrator('other', 'predefined_reports_view')
    assert.equal((await gateway.services.audit.verify([]))?.sequence, kept + 1)
  })

  it('is found when the gateway is restarted every few minutes, and is not seen where nothing was cut', async () => {
    for (let restart = 0; restart < 6; restart++) {
      await admin('DELETE', '/web/auth/blocks')
      await restartWithout(0)
      gateway.clock.advance(240)
      follow()
      await checkpointer.now()
      assert.equal(await verify(), null)
    }
    assert.deepEqual(mismatches, [])
    const kept = await restartWithout(1)
    assert.equal((await verify())?.sequence, kept + 1)
  })

  it('is signed shortly after a change, without the change waiting for it', async () => {
    await checkpointer.now()
    assert.equal((await admin('PATCH', '/firewall/settings', { log_mode: 'all' })).status, 200)
    const { sequence } = gateway.services.audit.head
    await until('the change is signed', async () => (await checkpoints.list()).at(-1)?.sequence === sequence)
  })

  it('a record of a revision that does not exist is found, and revisions that were removed are not compared', async () => {
    await admin('PATCH', '/firewall/settings', { log_mode: 'all' })
    await admin('PATCH', '/firewall/settings', { log_mode: 'nothing' })
    const { revision } = gateway.engine
    gateway.database.prepare('DELETE FROM revisions WHERE revision < ?').run(revision)
    assert.equal(await gateway.services.audit.verify([]), null)
    gateway.database.prepare('UPDATE revisions SET revision = revision - 1').run()
    const fault = await gateway.services.audit.verify([])
    assert.match(fault?.message ?? '', /which does not exist/)
    gateway.database.prepare('UPDATE revisions SET revision = revision + 1').run()
  })
})
