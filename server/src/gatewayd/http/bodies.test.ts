// A body that is read in a worker gets the answer that it gets when it is small: spaces make it large without changing it.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Client, createTestGateway, type TestGateway } from '../../../test/support/test-gateway.ts'

const spaces = ' '.repeat(300 * 1024)

describe('M1: a large body', () => {
  let gateway: TestGateway
  let client: Client
  before(async () => {
    gateway = await createTestGateway()
    client = await gateway.client('predefined_admin_write')
  })
  after(() => gateway.close())

  const rows: readonly (readonly [title: string, status: number, body: string])[] = [
    ['that is not JSON', 400, '{"name":'],
    ['with a field twice', 400, '{"name":"a","name":"b","value":[]}'],
    ['with a forbidden field name', 400, '{"__proto__":1,"value":[]}'],
    ['with a number that is not exact', 400, '{"name":12345678901234567890,"value":[]}'],
    ['that is nested too deep', 400, `${'['.repeat(21)}${']'.repeat(21)}`],
    ['of another type', 422, '[1,2]'],
    ['with faults in several fields', 422, '{"name":5,"value":[1],"other":true}'],
    ['with a list that is too long', 422, `{"name":"a","value":[${'1,'.repeat(20_000)}1]}`],
  ]
  for (const [title, status, body] of rows) {
    it(`${title} is refused as a small one is`, async () => {
      const small = await client('POST', '/acl/rules', body)
      const large = await client('POST', '/acl/rules', `${body}${spaces}`)
      assert.equal(small.status, status, small.text)
      assert.equal(large.status, status, large.text)
      const { request_id: _small, ...expected } = small.body
      const { request_id: _large, ...given } = large.body
      assert.deepEqual(given, expected)
    })
  }

  it('that fits is stored', async () => {
    const values = Array.from({ length: 20_000 }, (_, index) => `11.0.${index >> 8}.${index & 255}`)
    const body = { title: 'many', comment: '', values }
    assert.ok(JSON.stringify(body).length > 256 * 1024)
    const { status, text } = await client('POST', '/aliases/ip_address_lists', body)
    assert.equal(status, 200, text)
    const { body: lists } = await client('GET', '/aliases/ip_address_lists')
    assert.deepEqual(lists[0].values, values)
  })
})
