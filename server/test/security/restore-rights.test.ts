// Requirement 48: a restore obeys rights. A backup may be crafted with care, well sealed and signed; still only who could make
// each single change can restore it, at the moment it happens, and what it holds passes the same rules.
// Requirement 48.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it, mock } from 'node:test'
import { backupsService } from '../../src/areas/backup/service.ts'
import { type Role, roleIds } from '../../src/core/contract/access.ts'
import { sealedBy, upload } from '../contract/backup-calls.ts'
import { gate } from '../support/gate.ts'
import { type Client, createTestGateway, type TestGateway, testPassword } from '../support/test-gateway.ts'

interface Stored {
  readonly id: string
  readonly login: string
  readonly role: string
  readonly [field: string]: unknown
}

type Entries = Map<string, unknown>

const administratorsFile = 'slots/administrators.local.json'
const placeOf = (id: string): string => `administrators.local/${id}/password_hash`

describe('Requirement 48: an attacker with a well-signed backup of their own making', () => {
  let gateway: TestGateway
  let admin: Client
  beforeEach(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
  })
  afterEach(() => gateway.close())

  async function crafted(change: (entries: Entries) => void): Promise<string> {
    const { id } = (await admin('POST', '/backup/backups', { comment: '' })).body
    const { info, entries } = await gateway.services.of(backupsService).open(id)
    const parsed: Entries = new Map([...entries].map(([name, bytes]) => [name, JSON.parse(bytes.toString())]))
    change(parsed)
    const files = new Map([...parsed].map(([name, value]) => [name, Buffer.from(JSON.stringify(value))]))
    const answer = await upload(admin, await sealedBy(gateway, info, files))
    assert.equal(answer.status, 200, answer.text)
    return answer.body.id
  }

  /** The first administrator once more, with other fields. */
  function addAdministrator(entries: Entries, fields: Partial<Stored>): void {
    const list = entries.get(administratorsFile) as Stored[]
    const [first] = list
    assert.ok(first)
    const added = { ...first, id: '00000000-0000-4000-8000-000000000001', login: 'backdoor', ...fields }
    entries.set(administratorsFile, [...list, added])
    const secrets = entries.get('secrets.json') as Record<string, string>
    entries.set('secrets.json', { ...secrets, [placeOf(added.id)]: secrets[placeOf(first.id)] })
  }

  const withBackdoor = () => crafted((entries) => addAdministrator(entries, {}))
  const administrators = async (): Promise<Stored[]> => (await admin('GET', '/web/admins/local')).body

  it('restores nothing with a lesser role, or with a sign-in that is not fresh', async () => {
    const id = await withBackdoor()
    const clients = new Map<Role, Client>()
    for (const role of roleIds) clients.set(role, await gateway.client(role))
    const { revision } = gateway.engine
    for (const way of ['apply', 'apply/fast', 'apply?dry_run=true']) {
      for (const [role, client] of clients) {
        if (role === 'predefined_admin_write') continue
        assert.equal((await client('POST', `/backup/backups/${id}/${way}`)).status, 403, `${role} ${way}`)
        const change = { method: 'POST', path: `/backup/backups/${id}/${way}` }
        const packet = { source: '10.10.0.9', destination: '203.0.113.9', protocol: 'icmp', incoming_interface: 'lan0' }
        const preview = await client('POST', '/firewall/explain', { packet, change })
        assert.equal(preview.status, 403, `${role} ${way}: ${preview.text}`)
      }
      gateway.clock.advance(600)
      assert.equal((await admin('POST', `/backup/backups/${id}/${way}`)).status, 401, way)
      admin = await gateway.client('predefined_admin_write')
    }
    assert.equal(gateway.engine.revision, revision)
  })

  it('restores nothing when the role is taken away while the file is read', async () => {
    const id = await withBackdoor()
    const attackerId = await gateway.addAdministrator('attacker', 'predefined_admin_write')
    const tokens = gateway.services.accounts.sessions.create(attackerId, '127.0.0.1', '/')
    const cookie = `insecure-portcullis-session=${tokens.session}; __Secure-portcullis-${tokens.secureName}=${tokens.secureValue}`
    const [isOpened, mayGoOn] = [gate(), gate()]
    const backups = gateway.services.of(backupsService)
    const open = backups.open.bind(backups)
    mock.method(backups, 'open', async (name: string) => {
      const content = await open(name)
      isOpened.open()
      await mayGoOn.opened
      return content
    })
    const restore = gateway.http.inject({
      method: 'POST',
      url: `/backup/backups/${id}/apply`,
      headers: { host: 'gateway.test', cookie },
    })
    const late = restore.then(({ statusCode }) => statusCode)
    await isOpened.opened
    const demoted = await admin('PATCH', `/web/admins/local/${attackerId}`, { role: 'predefined_firewall_admin' })
    assert.equal(demoted.status, 200, demoted.text)
    const { revision } = gateway.engine
    mayGoOn.open()
    assert.equal(await late, 401)
    assert.equal(gateway.engine.revision, revision)
  })

  it('gets an administrator in by one revision that the audit trail shows and a revert takes back', async () => {
    const id = await withBackdoor()
    const { revision } = gateway.engine
    const answer = await admin('POST', `/backup/backups/${id}/apply`)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(gateway.engine.revision, revision + 1)
    const records: Stored[] = (await admin('GET', '/journal/records?limit=20')).body
    const record = records.find((one) => one.revision === revision + 1)
    assert.match(
      JSON.stringify(record),
      /administrators\.local\[00000000-0000-4000-8000-000000000001\]","action":"added"/,
    )
    const stranger = await gateway.client(null)
    const signIn = { login: 'backdoor', password: testPassword, rest_path: '/' }
    assert.equal((await stranger('POST', '/web/auth/login', signIn)).status, 200)
    const sessions = (): number =>
      gateway.services.accounts.sessions.list().filter(({ adminId }) => adminId.startsWith('0000')).length
    assert.equal(sessions(), 1)
    assert.equal((await admin('POST', `/config/revisions/${revision}/revert`)).status, 200)
    assert.equal(sessions(), 0)
    assert.equal((await stranger('POST', '/web/auth/login', signIn)).status, 401)
  })

  it('brings in nothing that a single change could not', async () => {
    const cases: readonly (readonly [what: string, why: RegExp, change: (entries: Entries) => void])[] = [
      ['a second spelling of a login', /is taken/, (e) => addAdministrator(e, { login: 'OF-predefined_admin_write' })],
      ['a login of another source', /local\[1\]\.login/, (e) => addAdministrator(e, { login: 'bob@radius' })],
      ['a login with a control character', /local\[1\]\.login/, (e) => addAdministrator(e, { login: 'a\u0007b' })],
      ['a name with a line end', /local\[1\]\.name/, (e) => addAdministrator(e, { name: 'x\ny' })],
      ['an unknown role', /local\[1\]\.role/, (e) => addAdministrator(e, { role: 'root' })],
      ['an unknown field', /is_hidden/, (e) => addAdministrator(e, { is_hidden: true })],
      [
        'no one with full access',
        /must remain/,
        (e) =>
          e.set(
            administratorsFile,
            (e.get(administratorsFile) as Stored[]).map((one) => ({ ...one, role: 'predefined_admin_readonly' })),
          ),
      ],
      [
        'a password without its secret',
        /lacks a secret/,
        (e) => {
          addAdministrator(e, {})
          const { [placeOf('00000000-0000-4000-8000-000000000001')]: _left, ...secrets } = e.get(
            'secrets.json',
          ) as Record<string, string>
          e.set('secrets.json', secrets)
        },
      ],
      [
        'groups that contain each other',
        /into itself/,
        (e) => {
          const local = { domain_type: 'local', domain_name: '', ldap_guid: '' }
          const made = (id: string, parent_id: string) => ({ ...local, id, parent_id, name: id })
          e.set('slots/users.groups.json', [made('group.id.90', 'group.id.91'), made('group.id.91', 'group.id.90')])
        },
      ],
      ['an unknown area', /shadow/, (e) => e.set('slots/shadow.administrators.json', [])],
    ]
    const before = await administrators()
    for (const [what, why, change] of cases) {
      const id = await crafted(change)
      const { revision } = gateway.engine
      for (const way of ['apply', 'apply/fast']) {
        const answer = await admin('POST', `/backup/backups/${id}/${way}`)
        assert.equal(answer.status, 422, `${what}: ${answer.text}`)
        assert.match(answer.text, why, what)
      }
      assert.equal(gateway.engine.revision, revision, what)
    }
    assert.deepEqual(await administrators(), before)
  })
})
