// Synchronization of user groups with directories of both types: the same rules at two paths.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ok, refused } from '../support/answers.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

let gateway: TestGateway
let admin: Client
let number = 0

const aldDomain = {
  name: 'corp.example',
  computer_name: 'gateway-1',
  dns_ips: ['192.0.2.10'],
  user: 'joiner',
  password: 'of the joiner',
}
const adDomain = { ...aldDomain, ldap_paths: [] }

const list = async (path: string): Promise<Record<string, unknown>[]> => ok(await admin('GET', path)).body
const create = async (path: string, body: unknown): Promise<string> => ok(await admin('POST', path, body)).body.id
const find = async (path: string, id: unknown) => (await list(path)).find((item) => item.id === id)
const newGroup = async (): Promise<string> =>
  `group.id.${await create('/user_backend/groups', { name: `Group ${++number}`, parent_id: 'group.id.1' })}`

for (const [title, base, domain] of [
  ['AD', '/ad_backend', adDomain],
  ['ALD', '/ald_backend', aldDomain],
] as const) {
  describe(`group synchronizations of ${title} domains`, () => {
    const domain_name = domain.name
    const path = `${base}/group_settings`
    before(async () => {
      gateway = await createTestGateway()
      admin = await gateway.client('predefined_admin_write')
      await create(`${base}/domains`, domain)
    })
    after(() => gateway.close())

    const fields = async (changes: Record<string, unknown> = {}) => ({
      search_filter: '(&(objectCategory=person)(objectClass=user))',
      object_guid: '6F9619FF-8B86-D011-B42D-00CF4FC964FF',
      group_alias_id: await newGroup(),
      domain_name,
      sync_type: 'ldap',
      ...changes,
    })

    it('are stored, replaced and removed, by their number or by the group', async () => {
      const sent = await fields()
      const id = await create(path, sent)
      assert.equal(typeof id, 'number')
      assert.deepEqual(await list(path), [{ id, ...sent }])
      const other = { ...sent, search_filter: '', sync_type: 'security' }
      assert.equal(ok(await admin('PUT', `${path}/${id}`, other)).text, '')
      assert.deepEqual(await find(path, id), { id, ...other })
      const second = await fields()
      const secondId = await create(path, second)
      assert.deepEqual(
        (await list(path)).map((item) => item.id),
        [id, secondId],
      )
      ok(await admin('DELETE', `${path}/${id}`))
      ok(await admin('DELETE', `${path}/${second.group_alias_id}`))
      assert.deepEqual(await list(path), [])
      for (const gone of [id, second.group_alias_id, 'x']) refused(await admin('DELETE', `${path}/${gone}`), 404)
      refused(await admin('PUT', `${path}/${id}`, await fields()), 404)
      assert.ok((await create(path, await fields())) > secondId, 'a number never comes back')
    })

    it('are refused for what does not exist or cannot be synchronized', async () => {
      const { revision } = gateway.engine
      const sent = await fields({ group_alias_id: 'group.id.1' })
      assert.ok(gateway.engine.revision > revision)
      const now = gateway.engine.revision
      const wrong: [field: string, value: unknown][] = [
        ['search_filter', '(&(cn=x)'],
        ['search_filter', '(cn=x)(cn=*)'],
        ['search_filter', 'a\nb'],
        ['object_guid', 'x'],
        ['object_guid', ''],
        ['group_alias_id', 'group.id.1'],
        ['group_alias_id', 'group.id.2'],
        ['group_alias_id', 'group.id.987654'],
        ['group_alias_id', 'user.id.1'],
        ['group_alias_id', 3],
        ['domain_name', 'other.example'],
        ['domain_name', ''],
        ['sync_type', 'LDAP'],
      ]
      for (const [field, value] of wrong) refused(await admin('POST', path, { ...sent, [field]: value }), 422, field)
      const all = { ...sent, search_filter: '(', domain_name: 'no.example' }
      const { body } = await admin('POST', path, all)
      assert.deepEqual(
        body.problems.map((problem: { field: string }) => problem.field),
        ['group_alias_id', 'domain_name', 'search_filter'],
      )
      assert.equal(gateway.engine.revision, now)
    })

    it('take a group once, and keep it from being removed', async () => {
      const sent = await fields()
      const id = await create(path, sent)
      refused(await admin('POST', path, sent), 409, 'group_alias_id')
      const other = await create(path, await fields())
      refused(await admin('PUT', `${path}/${other}`, sent), 409, 'group_alias_id')
      ok(await admin('PUT', `${path}/${id}`, sent))
      const removal = await admin('DELETE', `/user_backend/groups/${sent.group_alias_id}`)
      const slot = `directory.${title.toLowerCase()}_group_settings`
      refused(removal, 409, `${slot}[${id}].group_alias_id`)
      ok(await admin('DELETE', `${path}/${id}`))
      ok(await admin('DELETE', `/user_backend/groups/${sent.group_alias_id}`))
    })

    it('are the same after a restart', async () => {
      const before = await list(path)
      assert.ok(before.length > 0)
      gateway = await gateway.restart()
      admin = await gateway.client('predefined_admin_write')
      assert.deepEqual(await list(path), before)
    })

    it('go with their domain', async () => {
      const [stored] = await list(`${base}/domains`)
      ok(await admin('DELETE', `${base}/domains/${title === 'AD' ? stored?.id : domain_name}`))
      assert.deepEqual(await list(path), [])
    })
  })
}
