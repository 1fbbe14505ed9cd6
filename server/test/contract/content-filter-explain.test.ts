// The explanation of a web request over the interface: rules of the running configuration, and what is refused.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { type Answer, type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

describe('the explanation of a web request', () => {
  let gateway: TestGateway
  let admin: Client
  beforeEach(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
  })
  afterEach(async () => {
    await gateway.close()
  })

  const explain = (body: object): Promise<Answer> => admin('POST', '/content-filter/explain', body)
  const asked = { source: '10.10.0.5', url: 'https://www.denied.example/page' }

  it('says that nothing is filtered while the filter is off', async () => {
    const { status, body, text } = await explain(asked)
    assert.equal(status, 200, text)
    assert.deepEqual([body.verdict, body.stages.length, body.rule], ['not_filtered', 1, null])
  })

  it('names the rule of the running configuration', async () => {
    const category = { name: 'Forbidden sites', urls: ['denied.example'] }
    assert.equal((await admin('PUT', '/content-filter/users_categories/users.id.2', category)).status, 200)
    assert.equal((await admin('PATCH', '/content-filter/state', { enabled: true })).status, 200)
    const { body, text } = await explain(asked)
    assert.deepEqual([body.verdict, body.rule?.id, body.decrypted], ['deny', 2, true], text)
    assert.deepEqual(body.categories[0], {
      id: 'users.id.2',
      name: 'Forbidden sites',
      entry: 'denied.example',
      source: 'Forbidden sites',
    })
    const other = await explain({ ...asked, url: 'https://other.example' })
    assert.deepEqual([other.body.verdict, other.body.decrypted], ['allow', false], other.text)
    assert.equal(other.body.stages[1].passed_count, 2)
  })

  it('refuses what is not a question, by field', async () => {
    const cases: readonly (readonly [object, string[]])[] = [
      [{ url: 'a.example' }, ['source']],
      [{ source: '999.1.1.1', url: 'http://' }, ['source', 'url']],
      [{ source: '10.0.0.1', user: 'user.id.99', url: 'ftp://a.example/' }, ['user', 'url']],
    ]
    for (const [body, fields] of cases) {
      const answer = await explain(body)
      assert.equal(answer.status, 422, answer.text)
      assert.deepEqual(
        answer.body.problems.map(({ field }: { field: string }) => field),
        fields,
      )
    }
  })

  it('answers hostile addresses of pages', async () => {
    const hosts = ['a%00.example', '[::1', '0x7f.1', 'a'.repeat(2_000), 'xn--', '%', 'a..example', 'é'.repeat(60)]
    for (const url of [...hosts, ...hosts.map((host) => `https://${host}/%zz/../?a=%&&#`)]) {
      const { status, text } = await explain({ source: '10.10.0.5', url })
      assert.ok(status === 200 || status === 422, `${url.slice(0, 50)}: ${status} ${text}`)
    }
  })
})
