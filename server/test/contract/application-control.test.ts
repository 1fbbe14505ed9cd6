// Application control rules through the interface: fields, order, faults, and what outlives a restart.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Answer, type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const url = '/application_control_backend/rules'
const rule = {
  parent_id: 'f3ffde22-a562-4f43-ac04-c40fcec6a88c',
  name: 'No file transfer',
  action: 'drop',
  comment: '"; } #',
  aliases: ['any'],
  protocols: ['id.l7.ftp_protocol', 'id.l7.telegram'],
  enabled: true,
}

describe('application control rules', () => {
  let gateway: TestGateway
  let admin: Client
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
  })
  after(() => gateway.close())

  const rules = async () => (await admin('GET', url)).body
  const ids = async (): Promise<number[]> => (await rules()).map(({ id }: { id: number }) => id)
  const add = async (body: object = rule, query = ''): Promise<number> => {
    const answer = await admin('POST', url + query, body)
    assert.equal(answer.status, 200, answer.text)
    return answer.body.id
  }
  const assertRefused = (answer: Answer, ...fields: string[]): void => {
    assert.equal(answer.status, 422, answer.text)
    assert.deepEqual(
      answer.body.problems.map((problem: { field: string }) => problem.field),
      fields,
    )
  }

  it('are added, replaced and removed', async () => {
    assert.deepEqual(await rules(), [])
    const id = await add()
    assert.equal(id, 1)
    assert.deepEqual(await rules(), [{ id, ...rule }])
    const changed = { ...rule, name: 'Other', action: 'accept', aliases: [], protocols: [], enabled: false }
    const answer = await admin('PUT', `${url}/${id}`, changed)
    assert.deepEqual([answer.status, answer.text], [200, ''])
    assert.deepEqual(await rules(), [{ id, ...changed }])
    const { parent_id, comment, enabled, ...least } = rule
    assert.equal((await admin('PUT', `${url}/${id}`, least)).status, 200)
    assert.deepEqual(await rules(), [{ id, ...rule, comment: '' }])
    assert.equal((await admin('DELETE', `${url}/${id}`)).status, 200)
    assert.deepEqual(await rules(), [])
    assert.equal(await add(), 2)
    assert.equal((await admin('DELETE', `${url}/2`)).status, 200)
    assert.equal((await admin('PUT', `${url}/2`, rule)).status, 404)
    assert.equal((await admin('DELETE', `${url}/2`)).status, 404)
  })

  it('keep the place they were given, and move', async () => {
    const [a, b] = [await add(), await add()]
    const c = await add(rule, `?anchor_item_id=${a}`)
    assert.deepEqual(await ids(), [a, c, b])
    const move = (id: number, anchor_item_id: number, insert_after: boolean) =>
      admin('PATCH', `${url}/move`, { params: { id, anchor_item_id, insert_after } })
    assert.equal((await move(a, b, true)).status, 200)
    assert.deepEqual(await ids(), [c, b, a])
    assert.equal((await move(a, c, false)).status, 200)
    assert.deepEqual(await ids(), [a, c, b])
    assert.equal((await move(999, c, false)).status, 404)
    assertRefused(await move(a, 999, false), 'params.anchor_item_id')
  })

  const faults: readonly (readonly [title: string, change: object, ...fields: string[]])[] = [
    ['no name', { name: '' }, 'name'],
    ['a long comment', { comment: 'x'.repeat(256) }, 'comment'],
    ['an unknown action', { action: 'deny' }, 'action'],
    ['any with others', { aliases: ['any', 'ip.id.1'] }, 'aliases'],
    ['objects that are not there', { aliases: ['ip.id.999', 'zone.id.1'] }, 'aliases[0]', 'aliases[1]'],
    ['protocols that are not ids', { protocols: ['a b', ''] }, 'protocols[0]', 'protocols[1]'],
    ['a group that is not an id', { parent_id: 'a/b' }, 'parent_id'],
    ['an id', { id: 1 }, 'id'],
  ]
  for (const [title, change, ...fields] of faults) {
    it(`with ${title} are refused`, async () => {
      const before = await rules()
      assertRefused(await admin('POST', url, { ...rule, ...change }), ...fields)
      assertRefused(await admin('PUT', `${url}/${before[0].id}`, { ...rule, ...change }), ...fields)
      assert.deepEqual(await rules(), before)
    })
  }

  it('keep the objects they use', async () => {
    const address = (await admin('POST', '/aliases/ip_addresses', { title: 'a', value: '10.0.0.5' })).body.id
    const id = await add({ ...rule, aliases: [address] })
    const refused = await admin('DELETE', `/aliases/ip_addresses/${address}`)
    assert.equal(refused.status, 409)
    assert.equal(refused.body.problems[0].field, `application_control.rules[${id}].aliases`)
    assert.equal((await admin('DELETE', `${url}/${id}`)).status, 200)
    assert.equal((await admin('DELETE', `/aliases/ip_addresses/${address}`)).status, 200)
  })

  it('say in the status that nothing is applied', async () => {
    const status = '/application_control_backend/status'
    const [item] = (await admin('GET', status)).body
    assert.deepEqual([item.name, item.status], ['application-control', 'inactive'])
    assert.match(item.msg[0], /No application control rule is enabled/)
  })

  it('survive a restart with their order and numbers', async () => {
    const last = await add()
    await admin('DELETE', `${url}/${last}`)
    const before = await rules()
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    assert.deepEqual(await rules(), before)
    assert.equal(await add(), last + 1)
  })
})
