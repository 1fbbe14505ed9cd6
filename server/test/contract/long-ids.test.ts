// Ids in paths may be as long as a request line: one that names nothing is answered like any other that does, and lists
// of ids and long names fit.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { nameOf } from '../../src/core/contract/endpoint.ts'
import { createTlsGateway, sendRaw, type TlsGateway } from '../security/tls-gateway.ts'
import { createTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { ask, endpoints, fillPath } from './contract.ts'
import { sample, schemaOf } from './samples.ts'

const withIds = endpoints.filter(({ params, rawBodyType }) => params.length > 0 && rawBodyType === null)

describe('a long id in a path', () => {
  let gateway: TestGateway
  let cookie = ''
  before(async () => {
    gateway = await createTestGateway()
    cookie = (await gateway.client('predefined_admin_write')).cookie
  })
  after(() => gateway.close())

  for (const endpoint of withIds) {
    it(`of ${nameOf(endpoint)} is answered like any other that names nothing`, async () => {
      const body = endpoint.body ? { body: sample(schemaOf(endpoint.body)) } : {}
      const send = (id: string) =>
        ask(gateway, { method: endpoint.method, url: fillPath(endpoint.path, id), cookie, ...body })
      const { revision } = gateway.engine
      const short = await send('x'.repeat(20))
      const lengths = endpoint.params.length === 1 ? [201, 1_000, 7_500] : [201, 1_000, 3_500]
      for (const length of lengths) {
        const long = await send('x'.repeat(length))
        assert.equal(long.status, short.status, `${length}: ${long.text}`)
        assert.ok(!long.text.includes('x'.repeat(201)), 'the id is not said back in full')
        assert.ok(long.text.length < 1_500, 'a long id does not make a long answer')
      }
      assert.equal(gateway.engine.revision, revision, 'a revision was made')
    })
  }

  it('may be a list of hundreds of messages', async () => {
    const ids = Array.from({ length: 500 }, (_, index) => `4BxYz${`${index}`.padStart(6, '0')}`).join(',')
    const { status, text } = await ask(gateway, { method: 'DELETE', url: `/mail/mail_queue/${ids}`, cookie })
    assert.equal(status, 200, text)
  })
})

describe('a path on the wire', () => {
  let target: TlsGateway
  before(async () => {
    target = await createTlsGateway()
  })
  after(() => target.close())

  it('is read up to 8 KiB, and refused beyond as too large', async () => {
    const { cookie } = await target.gateway.client('predefined_admin_write')
    const get = (length: number) =>
      sendRaw(
        target,
        `GET /config/revisions/${'7'.repeat(length)} HTTP/1.1\r\nHost: localhost\r\nCookie: ${cookie}\r\n\r\n`,
      )
    for (const [length, status] of [
      [20, 404],
      [7_000, 404],
      [9_000, 431],
    ] as const)
      assert.deepEqual((await get(length)).statuses, [status])
  })
})
