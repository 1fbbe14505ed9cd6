// Requirement 69.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { until } from '../../../test/support/until.ts'
import { issueServer, makeRoot } from '../../shared/certificates/certificate-maker.ts'
import { guardConnections } from './connections.ts'

const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
const names = ['127.0.0.1']

describe('pipelined requests', async () => {
  const { key, chain } = await issueServer(await makeRoot(names, new Date()), names, new Date())
  const servers: Server[] = []
  const clients: TLSSocket[] = []
  after(() => {
    for (const client of clients) client.destroy()
    for (const server of servers) server.close()
  })

  /** `begun` holds what was handed over and not answered yet. */
  async function start(): Promise<{ begun: ServerResponse[]; client: TLSSocket; received: () => string }> {
    const begun: ServerResponse[] = []
    const server = guardConnections(createServer({ key, cert: chain }, (_request, response) => begun.push(response)))
    servers.push(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const client = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
    clients.push(client)
    let text = ''
    client.on('error', () => {})
    client.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
    })
    await once(client, 'secureConnect')
    return { begun, client, received: () => text }
  }

  it('are taken one after the other and all answered, in order', async () => {
    const { begun, client, received } = await start()
    client.write(request.repeat(20))
    for (let index = 0; index < 20; index++) {
      await until('it has its turn', () => begun.length > 0)
      assert.equal(begun.length, 1)
      begun.pop()?.end(`(${index})`)
    }
    await until('all are answered', () => received().includes('(19)'))
    const bodies = [...received().matchAll(/\((\d+)\)/g)].map(([, index]) => Number(index))
    assert.deepEqual(
      bodies,
      Array.from({ length: 20 }, (_, index) => index),
    )
  })

  it('a client that sends them without end is disconnected, and its requests are not kept', async () => {
    const { begun, client } = await start()
    client.write(request.repeat(1_000))
    await once(client, 'close')
    assert.equal(begun.length, 1)
  })

  it('nothing is answered after an answer that ends the connection', async () => {
    const { begun, client } = await start()
    client.write(request.repeat(3))
    await until('the first has its turn', () => begun.length > 0)
    begun[0]?.setHeader('connection', 'close').end()
    await once(client, 'close')
    assert.equal(begun.length, 1)
  })
})
