// A handler that does not answer in time is answered for, and its work is told to end; so it is when the client has gone.
// Requirement 34.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { createTestGateway, type TestGateway } from '../../../test/support/test-gateway.ts'
import { defineArea, handle } from '../../core/area/handle.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { Type } from '../../core/contract/schema.ts'
import { Deadline } from './deadline.ts'

const wait = endpoint({ method: 'GET', path: '/sample/wait', access: 'signed-in', summary: 'Wait', reply: Type.Null() })
const act = endpoint({
  method: 'POST',
  path: '/sample/wait',
  access: 'signed-in',
  summary: 'Act',
  effect: 'action',
  reply: Type.Null(),
})

describe('requirement 34: a handler', () => {
  let gateway: TestGateway
  /** Settled when the signal of the last call is aborted. */
  let ended = Promise.withResolvers<void>()
  let begun = Promise.withResolvers<void>()
  const waiting = ({ signal }: { readonly signal: AbortSignal }): Promise<null> => {
    const { resolve } = ended
    signal.addEventListener('abort', () => resolve(), { once: true })
    begun.resolve()
    return new Promise(() => {})
  }
  before(async () => {
    const area = defineArea({
      name: 'sample-wait',
      slots: [],
      routes: [handle(wait, waiting), handle(act, waiting)],
    })
    gateway = await createTestGateway({ extraAreas: [area], parts: { handlerMilliseconds: 20 } })
  })
  after(() => gateway.close())

  for (const method of ['GET', 'POST']) {
    it(`that takes too long is answered with 503, and its signal is aborted (${method})`, async () => {
      ended = Promise.withResolvers()
      const client = await gateway.client('predefined_admin_write')
      const { status, body, headers } = await client(method, '/sample/wait')
      assert.equal(status, 503)
      assert.equal(body.code, 'unavailable')
      assert.equal(headers['retry-after'], '5')
      await ended.promise
    })
  }

  it('is told when its client has gone', async () => {
    const patient = await createTestGateway({
      extraAreas: [defineArea({ name: 'sample-wait', slots: [], routes: [handle(wait, waiting)] })],
    })
    try {
      await patient.http.listen({ host: '127.0.0.1', port: 0 })
      const { cookie } = await patient.client('predefined_admin_write')
      ended = Promise.withResolvers()
      begun = Promise.withResolvers()
      const { port } = patient.http.server.address() as AddressInfo
      const asking = request({ host: '127.0.0.1', port, path: '/sample/wait', headers: { cookie } })
      asking.on('error', () => {})
      asking.end()
      await begun.promise
      asking.destroy()
      await ended.promise
    } finally {
      patient.http.server.closeAllConnections()
      await patient.close()
    }
  })

  it('whose client left before its turn came is told so at once', async () => {
    const arrived = Promise.withResolvers<ServerResponse>()
    const server = createServer((_request, response) => arrived.resolve(response)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const asking = request({ host: '127.0.0.1', port })
    asking.on('error', () => {})
    asking.end()
    const response = await arrived.promise
    asking.destroy()
    await once(response, 'close')
    server.close()
    assert.equal(new Deadline(response).signal.aborted, true)
  })
})
