// Integration with directories: domains of both types, their joins, and what is read from them.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { startJoin } from '../../src/areas/directory/jobs.ts'
import { groups, users } from '../../src/areas/users/config.ts'
import { addItem } from '../../src/core/model/list-edits.ts'
import { read } from '../../src/core/model/slots.ts'
import { ok, refused } from '../support/answers.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const password = 'Canary-7f3a-password'
const unknownId = '6f9619ff-8b86-d011-b42d-00cf4fc964ff'
const notJoined =
  'Stored; joining a directory is not part of this release yet, so the gateway is not a member of the domain.'

let gateway: TestGateway
let admin: Client
let number = 0

const adFields = (changes: Record<string, unknown> = {}) => ({
  name: `ad${++number}.example.com`,
  computer_name: 'gateway-1',
  dns_ips: ['192.0.2.10', '192.0.2.11'],
  user: 'Joiner',
  password,
  ldap_paths: ['OU=Sales,DC=example,DC=com'],
  ...changes,
})
const aldFields = (changes: Record<string, unknown> = {}) => {
  const { ldap_paths: _none, ...rest } = adFields({ name: `ald_${++number}`, ...changes })
  return rest
}

const list = async (path: string): Promise<Record<string, unknown>[]> => ok(await admin('GET', path)).body
const create = async (path: string, body: unknown): Promise<string> => ok(await admin('POST', path, body)).body.id
const find = async (path: string, id: unknown) => (await list(path)).find((item) => item.id === id)
const newGroup = async (): Promise<string> =>
  `group.id.${await create('/user_backend/groups', { name: `Group ${++number}`, parent_id: 'group.id.1' })}`

const open = async (): Promise<void> => {
  gateway = await createTestGateway()
  admin = await gateway.client('predefined_admin_write')
}

describe('AD domains', () => {
  before(open)
  after(() => gateway.close())
  const path = '/ad_backend/domains'

  it('are stored with what was sent, and shown without the password', async () => {
    const sent = adFields()
    const id = await create(path, sent)
    assert.match(id, /^[0-9a-f-]{36}$/)
    const { password: _secret, ...rest } = sent
    assert.deepEqual(await find(path, id), { id, ...rest })
  })

  it('are joined again with another account; name and controllers stay', async () => {
    const sent = adFields()
    const id = await create(path, sent)
    const again = { computer_name: 'GW2', user: 'other', password: 'another one', ldap_paths: [] }
    const answer = ok(await admin('PUT', `${path}/${id}`, again))
    assert.equal(answer.text, '')
    assert.deepEqual(await find(path, id), {
      id,
      name: sent.name,
      dns_ips: sent.dns_ips,
      computer_name: 'GW2',
      user: 'other',
      ldap_paths: [],
    })
    refused(await admin('PUT', `${path}/${id}`, { ...again, name: 'x.example' }), 422, 'name')
    refused(await admin('PUT', `${path}/${id}`, { ...again, dns_ips: [] }), 422, 'dns_ips')
    refused(await admin('PUT', `${path}/${unknownId}`, again), 404)
  })

  it('are removed with their group synchronizations, and their users and groups become local', async () => {
    const [gone, stays] = [adFields(), adFields()]
    const [id, other] = [await create(path, gone), await create(path, stays)]
    const record = async (domain_name: string) =>
      create('/ad_backend/group_settings', {
        search_filter: '',
        object_guid: unknownId,
        group_alias_id: await newGroup(),
        domain_name,
        sync_type: 'ldap',
      })
    await record(gone.name.toUpperCase())
    const kept = await record(stays.name)
    const theirs = { domain_type: 'ad', domain_name: gone.name, ldap_guid: unknownId, parent_id: 'group.id.1' } as const
    await gateway.engine.change({
      edit: (config) => [
        addItem(addItem(config, groups, { id: 'group.id.900', name: 'Imported', ...theirs }), users, {
          id: 'user.id.900',
          name: 'Imported',
          login: 'imported',
          enabled: false,
          phone_number: null,
          comment: '',
          password_hash: null,
          ...theirs,
        }),
        null,
      ],
      actor: { login: 'system', address: '127.0.0.1' },
      reason: 'test',
    })
    const answer = ok(await admin('DELETE', `${path}/${id}`))
    assert.equal(answer.text, '')
    assert.equal(await find(path, id), undefined)
    assert.ok(await find(path, other))
    assert.deepEqual(
      (await list('/ad_backend/group_settings')).map((item) => item.id),
      [kept],
    )
    const { config } = gateway.engine
    for (const slot of [groups, users] as const) {
      const found = read(config, slot as typeof groups).find((item) => item.name === 'Imported')
      assert.deepEqual([found?.domain_type, found?.domain_name], ['local', ''])
    }
    refused(await admin('DELETE', `${path}/${id}`), 404)
  })

  const wrong: [field: string, values: unknown[]][] = [
    [
      'name',
      ['', 'corp', 'a..b', '-a.example', 'a_b.example', '10.0.0.1', 'x.1', `${'a'.repeat(60)}.example`, 'ä.example'],
    ],
    ['computer_name', ['', '-a', 'a-', 'a b', 'a.b', 'a_b', 'a'.repeat(16), 'ä']],
    ['dns_ips', [[], ['192.0.2.10', '192.0.2.10'], Array.from({ length: 17 }, (_, index) => `192.0.2.${index}`)]],
    ['dns_ips[0]', [['192.0.2'], ['192.0.2.010'], ['dc.example'], ['::1'], ['192.0.2.1/24'], [1]]],
    ['user', ['', 'a\nb', 'a'.repeat(256)]],
    ['password', ['', null, 'a'.repeat(256)]],
    ['ldap_paths', [null, Array.from({ length: 11 }, (_, index) => `OU=${index}`)]],
    ['ldap_paths[0]', [[''], ['a'.repeat(1025)], ['a\u0000']]],
  ]
  for (const [field, values] of wrong) {
    it(`are refused with a wrong ${field}`, async () => {
      const { revision } = gateway.engine
      const name = field.replace('[0]', '')
      for (const value of values) refused(await admin('POST', path, adFields({ [name]: value })), 422, field)
      assert.equal(gateway.engine.revision, revision)
    })
  }

  it('take ten paths of 1024 characters, and names and computers as long as they may be', async () => {
    const name = `${'a'.repeat(52)}.${'b'.repeat(3)}.example`
    assert.equal(name.length, 64)
    const ldap_paths = Array.from({ length: 10 }, (_, index) => `${index}`.repeat(1024))
    const id = await create(path, adFields({ name, ldap_paths, computer_name: 'a'.repeat(15) }))
    assert.deepEqual((await find(path, id))?.ldap_paths, ldap_paths)
  })

  it('have a name once, whatever its letters and the type of the other domain', async () => {
    const { name } = adFields()
    await create(path, adFields({ name }))
    for (const taken of [name, name.toUpperCase()]) {
      refused(await admin('POST', path, adFields({ name: taken })), 409, 'name')
      refused(await admin('POST', '/ald_backend/domains', aldFields({ name: taken })), 409, 'name')
    }
  })

  it('keep their order and everything else across a restart, and nowhere the password', async () => {
    const before = await list(path)
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    assert.deepEqual(await list(path), before)
    const reader = await gateway.client('predefined_admin_readonly')
    for (const url of [path, '/config/revisions', '/ad_backend/status'])
      assert.doesNotMatch((await reader('GET', url)).text, /Canary/)
    const files = ['gateway.db', 'gateway.db-wal'].map((name) => readFileSync(join(gateway.folder, name), 'latin1'))
    assert.doesNotMatch(files.join(''), /Canary/)
  })
})

describe('the AD integration', () => {
  before(open)
  after(() => gateway.close())
  const status = async (): Promise<string[]> => ok(await admin('GET', '/ad_backend/status')).body.msg

  it('has nothing to report while nothing is stored', async () => assert.deepEqual(await status(), []))

  it('says of each domain that it is not joined, also after a restart', async () => {
    const { name } = adFields()
    await create('/ad_backend/domains', adFields({ name }))
    assert.deepEqual(await status(), [`${name}: ${notJoined}`])
    const { body } = await admin('GET', '/journal/records?limit=50')
    assert.match(JSON.stringify(body), new RegExp(`Join of the domain ${name}`))
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    assert.deepEqual(await status(), [`${name}: ${notJoined}`])
  })

  it('joins nothing in a dry run', async () => {
    const joins = async (): Promise<number> =>
      (await admin('GET', '/journal/records?limit=1000')).text.split('Join of the domain').length
    const id = await create('/ad_backend/domains', adFields())
    const [before, count] = [await status(), await joins()]
    const answer = ok(await admin('POST', '/ad_backend/domains?dry_run=true', adFields()))
    assert.doesNotMatch(answer.text, /Canary/)
    const { name: _name, dns_ips: _ips, ...again } = adFields()
    ok(await admin('PUT', `/ad_backend/domains/${id}?dry_run=true`, again))
    ok(await admin('POST', '/ald_backend/domains?dry_run=true', aldFields()))
    assert.deepEqual([await status(), await joins()], [before, count])
    ok(await admin('PUT', `/ad_backend/domains/${id}`, again))
    assert.equal(await joins(), count + 1)
  })

  it('keeps its settings and says what is not applied', async () => {
    const path = '/ad_backend/settings'
    assert.deepEqual(await list(path), { authorization_by_logs: false })
    ok(await admin('PATCH', path, { authorization_by_logs: true }))
    assert.deepEqual(await list(path), { authorization_by_logs: true })
    assert.match((await status()).join(' '), /security log is stored/)
    ok(await admin('PATCH', path, {}))
    assert.deepEqual(await list(path), { authorization_by_logs: true })
    const importPath = '/ad_backend/security_group_import_settings'
    assert.deepEqual(await list(importPath), { compatibility_mode: false })
    ok(await admin('PATCH', importPath, { compatibility_mode: true }))
    assert.deepEqual(await list(importPath), { compatibility_mode: true })
  })

  it('has no forward zones, groups or units of a domain that is not joined', async () => {
    const { name } = adFields()
    await create('/ad_backend/domains', adFields({ name }))
    assert.deepEqual(await list('/ad_backend/forward_zones'), [])
    for (const what of ['security_groups', 'tree']) {
      assert.deepEqual(await list(`/ad_backend/domains/${name}/${what}`), [])
      refused(await admin('GET', `/ad_backend/domains/other.example/${what}`), 404)
      refused(await admin('GET', `/ald_backend/domains/${name}/${what}`), 404)
    }
  })

  it('refuses to remove or rejoin a domain that is being joined', async () => {
    const id = await create('/ad_backend/domains', adFields())
    const { promise, resolve } = Promise.withResolvers<void>()
    startJoin(gateway.services, { id, name: 'ad.example' }, () => promise)
    const { name: _name, dns_ips: _ips, ...again } = adFields()
    refused(await admin('PUT', `/ad_backend/domains/${id}`, again), 409)
    refused(await admin('DELETE', `/ad_backend/domains/${id}`), 409)
    resolve()
    await promise
    ok(await admin('DELETE', `/ad_backend/domains/${id}`))
  })

  it('says no_license when the operator has a key and the licence lacks the module', async () => {
    const { publicKey } = generateKeyPairSync('ed25519')
    const licensed = await createTestGateway({
      licenceKey: publicKey.export({ type: 'spki', format: 'pem' }) as string,
    })
    const client = await licensed.client('predefined_admin_write')
    assert.deepEqual((await client('GET', '/ad_backend/status')).body, { msg: ['no_license'] })
    await licensed.close()
  })
})

describe('ALD domains', () => {
  before(open)
  after(() => gateway.close())
  const path = '/ald_backend/domains'

  it('are stored and end in the state error, with the reason; neither account nor password is shown', async () => {
    const sent = aldFields()
    const id = await create(path, sent)
    const { user: _user, password: _secret, ...rest } = sent
    assert.deepEqual(await find(path, id), { id, ...rest, status: 'error', error: notJoined })
  })

  it('cannot be removed while they are joined, and can afterwards, by name', async () => {
    for (const outcome of ['completed', 'error'] as const) {
      const { name } = aldFields()
      const id = await create(path, aldFields({ name }))
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      startJoin(gateway.services, { id, name }, () => promise)
      assert.deepEqual((await find(path, id))?.status, 'init')
      assert.deepEqual((await find(path, id))?.error, '')
      const { revision } = gateway.engine
      refused(await admin('DELETE', `${path}/${name}`), 409)
      assert.equal(gateway.engine.revision, revision)
      if (outcome === 'completed') resolve()
      else reject(new Error('No controller answers.'))
      await promise.catch(() => {})
      assert.equal((await find(path, id))?.status, outcome)
      assert.equal((await find(path, id))?.error, outcome === 'error' ? 'No controller answers.' : '')
      assert.equal(ok(await admin('DELETE', `${path}/${name.toUpperCase()}`)).text, '')
      assert.equal(await find(path, id), undefined)
      refused(await admin('DELETE', `${path}/${name}`), 404)
    }
  })

  it('take names with underscores, hyphens and dots, and no others', async () => {
    for (const name of ['a', 'ald_x.example-1.com', '_x'])
      assert.equal((await find(path, await create(path, aldFields({ name }))))?.name, name)
    for (const name of ['', '.', '..', 'a..b', 'a b', 'a/b', 'ä', 'a@b', 'a\n', 'radius', 'RADIUS', 'a'.repeat(254)])
      refused(await admin('POST', path, aldFields({ name })), 422, 'name')
    refused(await admin('POST', path, { ...aldFields(), ldap_paths: [] }), 422, 'ldap_paths')
  })

  it('have no groups or units while they are not joined', async () => {
    const { name } = aldFields()
    await create(path, aldFields({ name }))
    for (const what of ['security_groups', 'tree']) {
      assert.deepEqual(await list(`${path}/${name}/${what}`), [])
      refused(await admin('GET', `${path}/other/${what}`), 404)
    }
  })

  it('are the same after a restart', async () => {
    const before = await list(path)
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    assert.deepEqual(await list(path), before)
  })
})
