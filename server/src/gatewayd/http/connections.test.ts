// The edge of the listener, over real TLS: what Node's own server gets wrong.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { connect } from 'node:tls'
import { createTlsServer, ensureCertificate } from '../../shared/certificates/tls.ts'
import { createTakeWatch, guardConnections } from './connections.ts'

it('a long body that comes before a long answer has left is read', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-connections-'))
  const long = Buffer.alloc(8_000_000, 'x')
  const certificate = await ensureCertificate(folder, ['127.0.0.1'], new Date())
  const server = guardConnections(
    createTlsServer(certificate, (request, response) => {
      if (request.method === 'GET') {
        response.end(long)
        return
      }
      let length = 0
      request.on('data', (chunk: Buffer) => {
        length += chunk.length
      })
      request.on('end', () => response.end(`read ${length}`))
    }),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
  t.after(() => {
    client.destroy()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  await once(client, 'secureConnect')
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  // The answer waits with the server from here on, and the body comes while it does.
  client.pause()
  client.write(`PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n${'y'.repeat(1_000_000)}`)
  await once(server, 'request')
  client.write('y'.repeat(1_000_000))
  let tail = ''
  for await (const chunk of client as AsyncIterable<Buffer>) {
    tail = (tail + chunk.toString('latin1')).slice(-200)
    if (tail.endsWith('read 2000000')) break
  }
  assert.match(tail, /read 2000000$/)
})

it('a client that takes a long answer at a fair pace is not disconnected, one that takes almost nothing is', () => {
  const socket = { writableLength: 0, bytesWritten: 0 }
  const isStuck = createTakeWatch(socket)
  const look = (seconds: number, taken: number, waiting: number): boolean => {
    Object.assign(socket, { writableLength: waiting, bytesWritten: taken + waiting })
    return isStuck(seconds * 1000)
  }
  for (let second = 0; second <= 600; second++)
    assert.equal(look(second, second * 10_000, 64_000), false, `${second} s`)
  assert.equal(look(601, 6_000_000, 0), false, 'all is taken')
  for (let second = 602; second <= 632; second++) assert.equal(look(second, 6_000_000 + second, 64_000), false)
  assert.equal(look(633, 6_000_700, 64_000), true, 'some bytes a second are not enough')
  assert.equal(look(634, 6_000_700, 0), false)
})
