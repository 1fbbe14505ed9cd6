// Profiles of the web application firewall with their categories, ordered rules and excluded rules.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Answer, type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const path = '/reverse_proxy_backend/waf/profiles'
const sqlCategory = 'REQUEST-942-APPLICATION-ATTACK-SQLI'
const requiredCategory = 'REQUEST-949-BLOCKING-EVALUATION'

describe('the web application firewall', () => {
  let gateway: TestGateway
  let admin: Client
  let profile = ''
  let other = ''
  let address = ''
  const fields = { name: 'Shop', detection_only: false, disabled_categories: [], server_tokens: false, comment: '' }
  const ruleFields = { aliases_negate: false, action: 'block', comment: 'r', enabled: true }

  const ok = async (method: string, url: string, body?: unknown): Promise<Answer['body']> => {
    const answer = await admin(method, url, body)
    assert.equal(answer.status, 200, `${method} ${url}: ${answer.text}`)
    return answer.body
  }
  const refused = async (status: number, method: string, url: string, body?: unknown): Promise<string[]> => {
    const { revision } = gateway.engine
    const answer = await admin(method, url, body)
    assert.equal(answer.status, status, `${method} ${url}: ${answer.text}`)
    assert.equal(gateway.engine.revision, revision)
    return (answer.body.problems ?? []).map((problem: { field: string }) => problem.field)
  }
  const profileNow = async () => (await ok('GET', path)).find(({ id }: { id: string }) => id === profile)
  const ruleIds = async (): Promise<number[]> =>
    (await ok('GET', `${path}/${profile}/rules`)).map(({ id }: { id: number }) => id)

  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
    address = (await ok('POST', '/aliases/ip_addresses', { title: 'a', value: '203.0.113.9' })).id
  })
  after(() => gateway.close())

  it('has profiles; a client cannot decide where they come from', async () => {
    profile = (await ok('POST', path, { ...fields, from_central_console: true })).id
    other = (await ok('POST', path, { ...fields, name: 'Other' })).id
    await ok('PATCH', `${path}/${profile}`, { detection_only: true, from_central_console: true })
    assert.deepEqual(await profileNow(), {
      ...fields,
      id: profile,
      detection_only: true,
      from_central_console: false,
      exceptions: [],
    })
    await refused(404, 'PATCH', `${path}/none`, {})
    assert.deepEqual(await refused(422, 'POST', path, { ...fields, name: 'n'.repeat(43) }), ['name'])
  })

  it('has categories that can be enabled and disabled, except required ones', async () => {
    const all = await ok('GET', '/reverse_proxy_backend/waf/categories')
    const enabled = async (): Promise<string[]> =>
      (await ok('GET', `${path}/${profile}/categories`)).map(({ id }: { id: string }) => id)
    assert.equal((await enabled()).length, all.length)
    await ok('PATCH', `${path}/${profile}/categories/${sqlCategory}`, { enabled: false })
    await ok('PATCH', `${path}/${profile}/categories/${sqlCategory}`, { enabled: false })
    await ok('PATCH', `${path}/${profile}/categories/${sqlCategory}`, {})
    assert.deepEqual((await profileNow()).disabled_categories, [sqlCategory])
    assert.ok(!(await enabled()).includes(sqlCategory))
    await ok('PATCH', `${path}/${profile}/categories/${sqlCategory}`, { enabled: true })
    assert.deepEqual((await profileNow()).disabled_categories, [])
    const required = `${path}/${profile}/categories/${requiredCategory}`
    assert.deepEqual(await refused(422, 'PATCH', required, { enabled: false }), ['enabled'])
    await refused(404, 'PATCH', `${path}/${profile}/categories/none`, { enabled: false })
    await refused(404, 'PATCH', `${path}/none/categories/${sqlCategory}`, { enabled: false })
    const disabled_categories = [sqlCategory, requiredCategory, 'none']
    assert.deepEqual(await refused(422, 'PATCH', `${path}/${profile}`, { disabled_categories }), [
      'disabled_categories[1]',
      'disabled_categories[2]',
    ])
  })

  it('has rules in the order they are given', async () => {
    const add = async (query = ''): Promise<number> =>
      (await ok('POST', `${path}/${profile}/rules${query}`, { ...ruleFields, aliases: [address] })).id
    const first = await add()
    const third = await add()
    const second = await add(`?anchor_item_id=${first}`)
    assert.deepEqual(await ruleIds(), [first, second, third])
    const params = { profile_id: profile, rule_id: third, anchor_item_id: first, insert_after: false }
    await ok('PATCH', `${path}/rules/move`, { params })
    assert.deepEqual(await ruleIds(), [third, first, second])
    await ok('PATCH', `${path}/rules/move`, { params: { profile_id: profile, rule_id: third, anchor_item_id: second } })
    assert.deepEqual(await ruleIds(), [first, second, third])
    await ok('PATCH', `${path}/${profile}/rules/${first}`, { action: 'pass', aliases: [address, 'iplist.id.276'] })
    assert.deepEqual((await ok('GET', `${path}/${profile}/rules`))[0], {
      ...ruleFields,
      id: first,
      action: 'pass',
      aliases: [address, 'iplist.id.276'],
    })
    await ok('DELETE', `${path}/${profile}/rules/${third}`)
    assert.ok((await add()) > third, 'an id came back')
  })

  it('refuses rules with unknown sources, places or profiles', async () => {
    const rules = `${path}/${profile}/rules`
    for (const alias of ['ip.id.999', 'any', 'port.id.1', 'user.id.1']) {
      const body = { ...ruleFields, aliases: [address, alias] }
      assert.deepEqual(await refused(422, 'POST', rules, body), ['aliases[1]'], alias)
    }
    assert.deepEqual(await refused(422, 'POST', rules, { ...ruleFields, aliases: [] }), ['aliases'])
    const foreign = (await ok('POST', `${path}/${other}/rules`, { ...ruleFields, aliases: [address] })).id
    const body = { ...ruleFields, aliases: [address] }
    assert.deepEqual(await refused(422, 'POST', `${rules}?anchor_item_id=${foreign}`, body), ['anchor_item_id'])
    await refused(404, 'PATCH', `${rules}/${foreign}`, { enabled: false })
    await refused(404, 'DELETE', `${rules}/${foreign}`)
    await refused(404, 'POST', `${path}/none/rules`, body)
    await refused(404, 'GET', `${path}/none/rules`)
  })

  it('keeps an object that a rule uses', async () => {
    const fields = await refused(409, 'DELETE', `/aliases/ip_addresses/${address}`)
    assert.match(fields[0] ?? '', /^web_application_firewall\.rules\[\d+\]\.aliases$/)
  })

  it('has excluded rules, shown with their profile', async () => {
    const exceptions = `${path}/${profile}/exceptions`
    const { id } = await ok('POST', exceptions, { rule_id: 942_100, comment: 'false alarm', enabled: true })
    await ok('PATCH', `${exceptions}/${id}`, { enabled: false })
    const shown = [{ id, rule_id: 942_100, comment: 'false alarm', enabled: false }]
    assert.deepEqual(await ok('GET', exceptions), shown)
    assert.deepEqual((await profileNow()).exceptions, shown)
    assert.deepEqual(await ok('GET', `${path}/${other}/exceptions`), [])
    await refused(404, 'PATCH', `${path}/${other}/exceptions/${id}`, { enabled: true })
    await refused(404, 'DELETE', `${path}/${other}/exceptions/${id}`)
    assert.deepEqual(await refused(422, 'POST', exceptions, { rule_id: 0, comment: '', enabled: true }), ['rule_id'])
  })

  it('keeps everything over a restart, and removes a profile with its rules and excluded rules', async () => {
    const before = [await ok('GET', path), await ok('GET', `${path}/${profile}/rules`)]
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    assert.deepEqual([await ok('GET', path), await ok('GET', `${path}/${profile}/rules`)], before)
    await ok('DELETE', `${path}/${profile}/exceptions/${before[0][0].exceptions[0].id}`)
    assert.deepEqual(await ok('GET', `${path}/${profile}/exceptions`), [])
    await ok('DELETE', `${path}/${profile}`)
    await ok('DELETE', `${path}/${other}`)
    assert.deepEqual(await ok('GET', path), [])
    await ok('DELETE', `/aliases/ip_addresses/${address}`)
  })
})
