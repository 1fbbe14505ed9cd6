// A plain collection as declared with the helpers: create, list, change and remove, with defaults and ids of its own.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sampleArea } from '../support/sample-area.ts'
import { createTestGateway } from '../support/test-gateway.ts'

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

it('a declared collection is created, listed in order, changed and removed, and survives a restart', async () => {
  let gateway = await createTestGateway({ extraAreas: [sampleArea] })
  let admin = await gateway.client('predefined_admin_write')
  const add = async (body: object): Promise<string> => (await admin('POST', '/sample/labels', body)).body.id
  const first = await add({ title: 'first' })
  const second = await add({ title: 'second', comment: 'kept' })
  assert.match(first, uuid)
  const both = [
    { id: first, title: 'first', comment: '' },
    { id: second, title: 'second', comment: 'kept' },
  ]
  assert.deepEqual((await admin('GET', '/sample/labels')).body, both)
  assert.equal((await admin('PATCH', `/sample/labels/${first}`, { comment: 'now' })).status, 200)
  assert.equal((await admin('DELETE', `/sample/labels/${second}`)).status, 200)
  assert.equal((await admin('DELETE', `/sample/labels/${second}`)).status, 404)
  assert.equal((await admin('PATCH', `/sample/labels/${second}`, { comment: 'x' })).status, 404)
  assert.equal((await admin('POST', '/sample/labels', { comment: 'no title' })).status, 422)
  gateway = await gateway.restart()
  admin = await gateway.client('predefined_admin_write')
  assert.deepEqual((await admin('GET', '/sample/labels')).body, [{ id: first, title: 'first', comment: 'now' }])
  await gateway.close()
})
