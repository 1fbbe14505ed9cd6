// What happened is on record: every change, every refused attempt, every sign-in and sign-out once, with who, from where,
// what, and before and after.
// Requirement 9.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { mayUse } from '../../src/core/contract/access.ts'
import { nameOf } from '../../src/core/contract/endpoint.ts'
import { say } from '../../src/shared/said.ts'
import { ask, cookieOf, fillPath, protectedEndpoints } from '../contract/contract.ts'
import { type Client, createTestGateway, type TestGateway, testPassword } from '../support/test-gateway.ts'

interface Record {
  readonly sequence: number
  readonly event: string
  readonly who: string
  readonly address: string
  readonly what: string
  readonly result: string
  readonly message: string
  readonly request_id: string
  readonly revision: number | null
  readonly changes: { object?: string; fields?: unknown }[]
}

describe('the audit trail', () => {
  let gateway: TestGateway
  let admin: Client
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
  })
  after(() => gateway.close())

  /** The records that `work` adds, oldest first. */
  async function recordsOf(work: () => Promise<unknown>): Promise<Record[]> {
    gateway.services.audit.flush()
    const start = gateway.services.audit.head.sequence
    await work()
    return (JSON.parse([...gateway.services.audit.listJson(1_000, 0)].join('')) as Record[])
      .filter((r) => r.sequence > start)
      .reverse()
  }

  it('holds a change with before and after', async () => {
    const headers = { 'portcullis-reason': 'because' }
    const [record, ...more] = await recordsOf(() => admin('PATCH', '/firewall/settings', { log_mode: 'all' }, headers))
    assert.deepEqual(more, [])
    const { sequence: _sequence, request_id, ...rest } = record as Record
    assert.notEqual(request_id, '')
    assert.deepEqual(rest, {
      time: gateway.clock.now().toISOString(),
      event: 'change',
      who: 'of-predefined_admin_write',
      address: '127.0.0.1',
      what: 'because',
      result: 'ok',
      message: `Revision ${gateway.engine.revision}`,
      revision: gateway.engine.revision,
      changes: [
        {
          object: 'firewall.settings',
          action: 'changed',
          fields: [{ field: 'log_mode', before: 'nothing', after: 'all' }],
        },
      ],
    })
  })

  it('holds nothing for a change that changes nothing, a dry run or a read', async () => {
    const records = await recordsOf(async () => {
      await admin('PATCH', '/firewall/settings', { log_mode: 'all' })
      await admin('PATCH', '/firewall/settings?dry_run=true', { log_mode: 'nothing' })
      await admin('GET', '/firewall/settings')
      await admin('GET', '/nothing')
    })
    assert.deepEqual(records, [])
  })

  it('holds every access that was refused, once, for each endpoint', async () => {
    const viewer = gateway.services.accounts.sessions
    const id = await gateway.addAdministrator('viewer', 'predefined_reports_view')
    const cookie = cookieOf(viewer.create(id, '127.0.0.1', '/'))
    for (const [index, endpoint] of protectedEndpoints.entries()) {
      const url = fillPath(endpoint.path)
      // One address would soon be only counted.
      const from = `198.18.${index >> 8}.${index & 255}`
      // So would one administrator.
      gateway.clock.advance(2)
      const strangers = await recordsOf(() => ask(gateway, { method: endpoint.method, url, from }))
      assert.deepEqual(
        strangers.map(({ event, who, address, what, result }) => [event, who, address, what, result]),
        [['refused', '', from, nameOf(endpoint), 'unauthenticated']],
      )
      if (mayUse('predefined_reports_view', endpoint.access)) continue
      const lesser = await recordsOf(() => ask(gateway, { method: endpoint.method, url, cookie, from: '192.0.2.8' }))
      assert.deepEqual(
        lesser.map(({ event, who, address, what, result }) => [event, who, address, what, result]),
        [['refused', 'viewer', '192.0.2.8', nameOf(endpoint), 'forbidden']],
      )
    }
    admin = await gateway.client('predefined_admin_write')
  })

  it('holds every change that was refused, with what was wrong', async () => {
    const attempts: [result: string, attempt: () => Promise<unknown>][] = [
      ['malformed', () => admin('PATCH', '/firewall/settings', '{')],
      ['invalid', () => admin('PATCH', '/firewall/settings', { log_mode: 'x', y: 1 })],
      ['not_found', () => admin('DELETE', '/web/admins/local/none')],
      ['conflict', () => admin('POST', '/config/confirm')],
      ['precondition_failed', () => admin('PATCH', '/firewall/settings', { log_mode: 'all' }, { 'if-match': '"x"' })],
      ['too_large', () => admin('PATCH', '/firewall/settings', 'x'.repeat(70_000))],
      ['unsupported_type', () => admin('PATCH', '/firewall/settings', '{}', { origin: 'https://gateway.test' })],
      ['forbidden', () => admin('PATCH', '/firewall/settings', {}, { origin: 'https://evil.test' })],
      ['method_not_allowed', () => admin('PUT', '/firewall/settings', '{}')],
      ['not_found', () => admin('POST', '/nothing', '{}')],
    ]
    for (const [result, attempt] of attempts) {
      const records = await recordsOf(attempt)
      assert.deepEqual(
        records.map((record) => [record.event, record.who, record.result, record.revision]),
        [['refused', 'of-predefined_admin_write', result, null]],
      )
    }
    const [faults] = await recordsOf(() => admin('PATCH', '/firewall/settings', { log_mode: 'x', y: 1 }))
    assert.deepEqual(
      faults?.changes.map((problem) => (problem as { field?: string }).field),
      ['y', 'log_mode'],
    )
  })

  it('holds a change the machine refused, and that it was reverted', async () => {
    gateway.applier.putBackWith = [{ field: 'x', message: say`no` }]
    const records = await recordsOf(() => admin('PATCH', '/firewall/settings', { automatic_snat_enabled: false }))
    gateway.applier.putBackWith = []
    gateway.log.expect(/^error: a request failed .*failed on the machine\. It was reverted/s)
    assert.deepEqual(
      records.map((record) => [record.event, record.who, record.result]),
      [
        ['change', 'of-predefined_admin_write', 'ok'],
        ['change', 'system', 'ok'],
        ['refused', 'of-predefined_admin_write', 'not_applied'],
      ],
    )
  })

  it('holds sign-ins and sign-outs, once each', async () => {
    const body = { login: 'viewer', password: testPassword, rest_path: '/' }
    const records = await recordsOf(async () => {
      const answer = await ask(gateway, { method: 'POST', url: '/web/auth/login', body, from: '192.0.2.9' })
      const cookie = (answer.headers['set-cookie'] as string[]).map((text) => text.split(';')[0]).join('; ')
      await ask(gateway, { method: 'DELETE', url: '/web/auth/login', cookie, from: '192.0.2.9' })
      await ask(gateway, {
        method: 'POST',
        url: '/web/auth/login',
        body: { ...body, password: 'wrong' },
        from: '192.0.2.9',
      })
    })
    assert.deepEqual(
      records.map(({ event, who, address, result }) => [event, who, address, result]),
      [
        ['sign-in', 'viewer', '192.0.2.9', 'ok'],
        ['sign-out', 'viewer', '192.0.2.9', 'ok'],
        ['sign-in', 'viewer', '192.0.2.9', 'unauthenticated'],
      ],
    )
  })

  it('holds actions that do not change the configuration', async () => {
    const id = await gateway.addAdministrator('short', 'predefined_reports_view')
    const { handle } = gateway.services.accounts.sessions.create(id, '127.0.0.1', '/')
    const records = await recordsOf(async () => {
      await admin('DELETE', '/web/auth/blocks')
      await admin('DELETE', `/monitor_backend/admin_sessions/${handle}`)
      await admin('POST', '/config/keys/rotate')
    })
    assert.deepEqual(
      records.map(({ event, what }) => [event, what]).sort(),
      [
        ['action', 'DELETE /monitor_backend/admin_sessions/:session_id'],
        ['action', 'DELETE /web/auth/blocks'],
        ['change', 'Seal all stored secrets with a new key'],
      ].sort(),
    )
  })

  it('holds the same request id as the answer', async () => {
    let answered = ''
    const [record] = await recordsOf(async () => {
      answered = (await admin('DELETE', '/web/admins/local/none')).body.request_id
    })
    assert.equal(record?.request_id, answered)
  })

  it('is intact, also after a restart, and shows which record was altered', async () => {
    const { body } = await admin('GET', '/journal/verify')
    assert.deepEqual({ ...body, records: 0 }, { intact: true, records: 0, checkpoints: 0, first_bad: null })
    assert.ok(body.records > 20)
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    assert.equal((await admin('GET', '/journal/verify')).body.intact, true)
    gateway.database.prepare("UPDATE audit SET record = replace(record, 'viewer', 'nobody') WHERE sequence >= 9").run()
    const changed = gateway.database
      .prepare("SELECT min(sequence) AS first FROM audit WHERE record LIKE '%nobody%'")
      .get()
    const verified = (await admin('GET', '/journal/verify')).body
    assert.equal(verified.intact, false)
    assert.deepEqual(verified.first_bad, { sequence: changed?.first, message: 'This record was altered.' })
  })

  it('and the sessions can be read while the disk is full, and changes are refused', async () => {
    gateway.database.prepare('PRAGMA query_only=1').run()
    gateway.clock.advance(60)
    assert.equal((await admin('GET', '/firewall/settings')).status, 200)
    assert.equal((await admin('GET', '/journal/records')).status, 200)
    assert.equal((await admin('DELETE', '/web/admins/local/none')).status, 404)
    const refused = await admin('PATCH', '/firewall/state', { enabled: false })
    assert.equal(refused.status, 503)
    assert.equal(refused.body.code, 'unavailable')
    gateway.database.prepare('PRAGMA query_only=0').run()
    assert.equal((await admin('PATCH', '/firewall/state', { enabled: false })).status, 200)
    const [kept] = (await admin('GET', '/journal/records')).body.filter(
      (record: Record) => record.result === 'not_found',
    )
    assert.equal(kept.what, 'DELETE /web/admins/local/:admin_id')
  })
})
