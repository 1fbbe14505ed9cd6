// Every row of the seed that this version serves exists with its method, path, fields and answer. Written by hand from the
// seed, so that a slip in a contract file cannot correct its own test.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTestGateway } from '../support/test-gateway.ts'
import { find } from './contract.ts'
import { schemaOf } from './samples.ts'

interface SeedRow {
  readonly name: string
  /** Fields of the body; a question mark marks one that may be left out. */
  readonly body?: string
  readonly query?: string
  /** Fields of the answer, of its items when it is a list; absent: 200 without a body. */
  readonly reply?: string
  readonly isList?: boolean
}

const administrator = 'id name enabled login role comment password_timestamp'

const rows: readonly SeedRow[] = [
  { name: 'POST /web/auth/login', body: 'login password rest_path' },
  { name: 'DELETE /web/auth/login' },
  { name: 'GET /gather_stat/settings', reply: 'enabled' },
  { name: 'PATCH /gather_stat/settings', body: 'enabled?' },
  { name: 'POST /license/register', body: 'token' },
  { name: 'GET /web/admins/local', query: 'format_type columns', reply: administrator, isList: true },
  { name: 'POST /web/admins/local', body: 'enabled name login password role comment', reply: 'id' },
  { name: 'PATCH /web/admins/local/:admin_id', body: 'enabled? name? login? password? role? comment?' },
  { name: 'GET /firewall/status', reply: 'name status msg', isList: true },
  { name: 'GET /firewall/state', reply: 'enabled' },
  { name: 'GET /firewall/settings', reply: 'automatic_snat_enabled log_mode log_actions' },
  { name: 'PATCH /firewall/settings', body: 'automatic_snat_enabled? log_mode? log_actions?' },
]

/** Rows the other parts of the specification add, with the same notation. */
const added: readonly SeedRow[] = [
  { name: 'PATCH /firewall/state', body: 'enabled?' },
  { name: 'DELETE /web/admins/local/:admin_id' },
  {
    name: 'GET /monitor_backend/admin_sessions',
    isList: true,
    reply:
      'id login name competence role_id role_name domain_name ip auth_type auth_rule_id admin_id login_timestamp country_code',
  },
  { name: 'DELETE /monitor_backend/admin_sessions/:session_id' },
  {
    name: 'GET /license/info',
    reply:
      'modules? general? license_type? license_id? server_name? last_update_time? company_id? server_id? registered unreliable? has_connection license_server',
  },
  { name: 'GET /web/whoami', reply: 'login name role_id role_name competence' },
]

function fieldsOf(schema: ReturnType<typeof schemaOf> | undefined): string {
  const names = Object.keys(schema?.properties ?? {})
  return names
    .map((name) => (schema?.required?.includes(name) ? name : `${name}?`))
    .sort()
    .join(' ')
}

const sorted = (fields = ''): string => fields.split(' ').filter(Boolean).sort().join(' ')

describe('the seed', () => {
  for (const row of [...rows, ...added]) {
    it(`${row.name} is served as it says`, () => {
      const endpoint = find(row.name)
      assert.equal(fieldsOf(endpoint.body ? schemaOf(endpoint.body) : undefined), sorted(row.body))
      assert.equal(sorted(Object.keys(endpoint.query.properties).join(' ')), sorted(row.query))
      const reply = endpoint.reply ? schemaOf(endpoint.reply) : undefined
      assert.equal(reply?.type === 'array', row.isList ?? false)
      assert.equal(fieldsOf(row.isList ? reply?.items : reply), sorted(row.reply))
    })
  }

  it('names the values of enumerations as they are', () => {
    const settings = schemaOf(find('GET /firewall/settings').reply ?? ({} as never)).properties ?? {}
    assert.deepEqual(settings.log_mode?.enum, ['nothing', 'all', 'selected'])
    assert.deepEqual(settings.log_actions?.items?.enum, ['accept', 'drop', 'dnat', 'snat', 'mark_log', 'mark_not_log'])
    const status = schemaOf(find('GET /firewall/status').reply ?? ({} as never)).items?.properties ?? {}
    assert.deepEqual(status.status?.enum, ['active', 'activating', 'deactivating', 'failed', 'inactive', 'reloading'])
    const created = schemaOf(find('POST /web/admins/local').body ?? ({} as never)).properties ?? {}
    assert.deepEqual(created.role?.enum, [
      'predefined_admin_write',
      'predefined_admin_readonly',
      'predefined_reports_view',
      'predefined_reports_change',
      'predefined_security_admin',
      'predefined_firewall_admin',
      'predefined_access_settings_admin',
    ])
    const limits = [created.name, created.login, created.password, created.comment].map((field) => [
      field?.minLength ?? 0,
      field?.maxLength,
    ])
    assert.deepEqual(limits, [
      [1, 42],
      [1, 42],
      [10, 42],
      [0, 255],
    ])
  })

  it('answers changes with 200 and no body', async () => {
    const gateway = await createTestGateway()
    const admin = await gateway.client('predefined_admin_write')
    const id = await gateway.addAdministrator('somebody', 'predefined_reports_view')
    for (const [method, url, body] of [
      ['PATCH', '/gather_stat/settings', { enabled: true }],
      ['PATCH', '/firewall/settings', { log_mode: 'selected', log_actions: ['drop'], automatic_snat_enabled: true }],
      ['PATCH', '/firewall/state', { enabled: false }],
      ['POST', '/license/register', { token: 'a'.repeat(32) }],
      ['PATCH', `/web/admins/local/${id}`, { name: 'x' }],
      ['DELETE', `/web/admins/local/${id}`, undefined],
      ['DELETE', '/web/auth/login', undefined],
    ] as const) {
      const answer = await admin(method, url, body)
      assert.equal(answer.status, 200, `${method} ${url}`)
      assert.equal(answer.text, '', `${method} ${url}`)
    }
    await gateway.close()
  })

  it('names rules-in-kernel and auto-snat in the firewall status', async () => {
    const gateway = await createTestGateway()
    const admin = await gateway.client('predefined_admin_write')
    await gateway.services.engine.reconcile()
    const { body } = await admin('GET', '/firewall/status')
    assert.deepEqual(body, [
      { name: 'rules-in-kernel', status: 'active', msg: [] },
      { name: 'auto-snat', status: 'active', msg: [] },
    ])
    await gateway.close()
  })
})
