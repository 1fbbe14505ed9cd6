// Administrators who are known elsewhere: rules for groups of directories, and the RADIUS servers with their secrets.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { radius, secretPlace } from '../../src/areas/directory-administrators/config.ts'
import { roleIds } from '../../src/core/contract/access.ts'
import { read } from '../../src/core/model/slots.ts'
import { ok, refused } from '../support/answers.ts'
import { type Answer, type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

let gateway: TestGateway
let admin: Client

const get = async (path: string, client = admin) => ok(await client('GET', path)).body

const open = async (): Promise<void> => {
  gateway = await createTestGateway()
  admin = await gateway.client('predefined_admin_write')
}

const restart = async (): Promise<void> => {
  gateway = await gateway.restart()
  admin = await gateway.client('predefined_admin_write')
}

for (const title of ['ad', 'ald']) {
  describe(`administrator rules of ${title.toUpperCase()} directories`, () => {
    before(open)
    after(() => gateway.close())
    const path = `/web/admins/${title}`
    const group_alias = 'security_group.guid.6F9619FF-8B86-D011-B42D-00CF4FC964FF'
    const fields = (changes: Record<string, unknown> = {}) => ({
      enabled: true,
      role: 1,
      group_alias,
      comment: 'first',
      ...changes,
    })
    const create = async (changes: Record<string, unknown> = {}): Promise<string> =>
      ok(await admin('POST', path, fields(changes))).body.id

    it('are created, shown in order, changed in the fields that were sent, and removed', async () => {
      const ids = [await create(), await create({ comment: '', enabled: false }), await create()]
      assert.deepEqual(await get(path), [
        { id: ids[0], ...fields() },
        { id: ids[1], ...fields({ comment: '', enabled: false }) },
        { id: ids[2], ...fields() },
      ])
      const other = 'security_group.guid.00000000-0000-0000-0000-000000000001'
      assert.equal(ok(await admin('PATCH', `${path}/${ids[0]}`, { group_alias: other })).text, '')
      assert.deepEqual((await get(path))[0], { id: ids[0], ...fields({ group_alias: other }) })
      ok(await admin('PATCH', `${path}/${ids[0]}`, fields({ comment: 'x', role: 'predefined_admin_readonly' })))
      assert.deepEqual((await get(path))[0], {
        id: ids[0],
        ...fields({ comment: 'x', role: 'predefined_admin_readonly' }),
      })
      assert.equal(ok(await admin('DELETE', `${path}/${ids[1]}`)).text, '')
      assert.deepEqual(
        (await get(path)).map((rule: { id: string }) => rule.id),
        [ids[0], ids[2]],
      )
      refused(await admin('DELETE', `${path}/${ids[1]}`), 404)
      refused(await admin('PATCH', `${path}/${ids[1]}`, {}), 404)
    })

    it('keep the role in the form it was sent in: a number from 1 to 7 or a name', async () => {
      for (const role of [1, 2, 3, 4, 5, 6, 7, ...roleIds]) {
        const id = await create({ role })
        assert.equal((await get(path)).find((rule: { id: string }) => rule.id === id).role, role)
      }
      for (const role of [0, 8, -1, 1.5, '1', 'admin', '', null, true, [1]])
        refused(await admin('POST', path, fields({ role })), 422, 'role')
    })

    it('name a security group by its alias, and nothing else', async () => {
      for (const alias of ['', 'group.id.1', 'security_group.guid.', 'security_group.guid.x', `${group_alias}0`, null])
        refused(await admin('POST', path, fields({ group_alias: alias })), 422, 'group_alias')
      refused(await admin('POST', path, fields({ comment: 'x'.repeat(256) })), 422, 'comment')
      refused(await admin('POST', path, fields({ id: 'mine' })), 422, 'id')
    })

    it('are had as CSV of the columns asked for', async () => {
      const [first] = await get(path)
      const all = await admin('GET', `${path}?format_type=CSV`)
      assert.equal(all.headers['content-type'], 'text/csv; charset=utf-8')
      assert.equal(all.text.split('\r\n')[0], 'id,enabled,role,group_alias,comment')
      assert.equal(all.text.split('\r\n')[1], `${first.id},True,predefined_admin_readonly,${group_alias},x`)
      const some = await admin('GET', `${path}?format_type=CSV&columns=["role","id"]`)
      assert.deepEqual(some.text.split('\r\n').slice(0, 2), ['role,id', `predefined_admin_readonly,${first.id}`])
      assert.deepEqual((await admin('GET', `${path}?format_type=JSON&columns=["id"]`)).body, await get(path))
      refused(await admin('GET', `${path}?columns=["login"]`), 422, 'columns[0]')
    })

    it('are found as users of their group', async () => {
      const alias = 'security_group.guid.00000000-0000-0000-0000-00000000000a'
      const id = await create({ group_alias: alias, comment: 'the guards' })
      assert.deepEqual(await get(`/aliases/where_used/${alias}`), [
        {
          object: `directory_administrators.${title}[${id}]`,
          field: 'group_alias',
          title: `${title.toUpperCase()} administrator rule "the guards"`,
        },
      ])
    })

    it('are the same after a restart', async () => {
      const before = await get(path)
      await restart()
      assert.deepEqual(await get(path), before)
    })
  })
}

describe('RADIUS for administrators', () => {
  before(open)
  after(() => gateway.close())
  const path = '/admins-radius-auth/settings'
  const canary = 'Canary-41c0-shared'
  const empty = { primary: { server: '', port: 1812, secret: '' }, secondary: { server: '', port: null, secret: '' } }
  const patch = (body: unknown): Promise<Answer> => admin('PATCH', path, body)

  it('is off until it is switched on', async () => {
    assert.deepEqual(await get('/admins-radius-auth/state'), { enabled: false })
    assert.equal(ok(await admin('PATCH', '/admins-radius-auth/state', { enabled: true })).text, '')
    assert.deepEqual(await get('/admins-radius-auth/state'), { enabled: true })
  })

  it('begins with the usual port and nothing else', async () => assert.deepEqual(await get(path), empty))

  it('lets no one sign in yet', async () => {
    const body = { login: 'anna@radius', password: 'x', rest_path: '/' }
    assert.equal((await (await gateway.client(null))('POST', '/web/auth/login', body)).status, 401)
  })

  /** What the gateway itself can read. */
  const revealed = (which: 'primary' | 'secondary'): string => {
    const { secret } = read(gateway.engine.config, radius)[which]
    return secret === null ? '' : gateway.services.vault.reveal(secret, secretPlace(which))
  }

  it('has a secondary server only beside a primary one with a secret', async () => {
    const secondary = { server: 'radius2.example', port: 1813, secret: 's2' }
    const { revision } = gateway.engine
    refused(await patch({ secondary }), 422, 'secondary')
    refused(await patch({ secondary, primary: { server: '192.0.2.1' } }), 422, 'secondary')
    refused(await patch({ secondary, primary: { secret: 's1' } }), 422, 'secondary')
    assert.equal(gateway.engine.revision, revision)
    ok(await patch({ secondary: { server: 'radius2.example' } }))
    const primary = { server: '192.0.2.1', secret: canary }
    refused(await patch({ primary, secondary: { secret: 's2' } }), 422, 'secondary.port')
    assert.equal(ok(await patch({ primary, secondary })).text, '')
    assert.deepEqual(await get(path), {
      primary: { ...primary, port: 1812, secret: '***' },
      secondary: { ...secondary, secret: '***' },
    })
    assert.equal(revealed('primary'), canary)
    refused(await patch({ primary: { server: '' } }), 422, 'secondary')
    refused(await patch({ primary: { secret: '' } }), 422, 'secondary')
  })

  it('keeps a secret that is absent, null or masked, and drops it for an empty one', async () => {
    const before = await get(path)
    for (const secret of [null, '***'])
      ok(await patch({ primary: { secret }, secondary: { secret, server: 'radius2.example' } }))
    ok(await patch({ primary: { port: 1645 }, secondary: {} }))
    assert.deepEqual(await get(path), { ...before, primary: { ...before.primary, port: 1645 } })
    assert.equal(revealed('primary'), canary)
    ok(await patch({ primary: { port: null } }))
    assert.equal((await get(path)).primary.port, null)
    ok(await patch({ secondary: { secret: '' } }))
    assert.equal((await get(path)).secondary.secret, '')
  })

  it('takes allow_external for secondary, never both', async () => {
    ok(await patch({ allow_external: { server: '192.0.2.2', port: 1, secret: 's3' } }))
    assert.deepEqual((await get(path)).secondary, { server: '192.0.2.2', port: 1, secret: '***' })
    refused(await patch({ allow_external: {}, secondary: {} }), 422, 'allow_external')
    refused(await patch({ allow_external: { port: 0 } }), 422, 'allow_external.port')
  })

  const wrong: [field: string, values: unknown[]][] = [
    [
      'server',
      ['a b', '192.0.2.256', '2130706433', '0x7f.1', '-a', 'http://a', 'a/b', 'a:1812', 'a'.repeat(254), null],
    ],
    ['port', [0, 65_536, 1.5, '1812', '']],
    ['secret', ['a'.repeat(129), 1, 'a\nb']],
    ['extra', [1]],
  ]
  for (const [field, values] of wrong) {
    it(`refuses a wrong ${field} of either server`, async () => {
      for (const which of ['primary', 'secondary'])
        for (const value of values) refused(await patch({ [which]: { [field]: value } }), 422, `${which}.${field}`)
    })
  }

  it('shows secrets to no one', async () => {
    for (const role of ['predefined_admin_write', 'predefined_admin_readonly', 'predefined_firewall_admin'] as const) {
      const shown = await get(path, await gateway.client(role))
      assert.deepEqual([shown.primary.secret, shown.secondary.secret], ['***', '***'])
    }
  })

  it('has them nowhere else: not in revisions, dry runs, the audit trail or on disk', async () => {
    const dry = await admin('PATCH', `${path}?dry_run=true`, { primary: { secret: `${canary}-2` } })
    assert.doesNotMatch(ok(dry).text, /Canary/)
    const revisions = await get('/config/revisions?limit=100')
    for (const { revision } of revisions)
      assert.doesNotMatch(JSON.stringify(await get(`/config/revisions/${revision}`)), /Canary/)
    assert.doesNotMatch(JSON.stringify(await get('/journal/records?limit=1000')), /Canary/)
    const files = ['gateway.db', 'gateway.db-wal'].map((name) => readFileSync(join(gateway.folder, name), 'latin1'))
    assert.doesNotMatch(files.join(''), /Canary/)
  })

  it('opens its secrets under a new key and after a restart', async () => {
    const before = await get(path)
    assert.equal(revealed('primary'), canary)
    ok(await admin('POST', '/config/keys/rotate'))
    assert.equal(revealed('primary'), canary)
    await restart()
    assert.deepEqual(await get(path), before)
    assert.equal(revealed('primary'), canary)
    assert.deepEqual(await get('/admins-radius-auth/state'), { enabled: true })
  })
})
